/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SCHED_LLC_PREFER_H
#define _LINUX_SCHED_LLC_PREFER_H

/*
 * What the two halves of cpu.llc_prefer share: kernel/cgroup/llc_prefer.c, which
 * has the files, the hierarchy and the translation of CPU lists to LLCs, and
 * kernel/sched/llc_prefer.c, which makes the scheduler follow a preference.
 */

#include <linux/cgroup-defs.h>
#include <linux/cpumask_types.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock_types.h>
#include <linux/workqueue_types.h>

struct sched_cache_group;
struct llc_load;
struct llc_prefer_count;
struct seq_file;

/* What a cgroup states, in the words of the file. */
enum llc_prefer_mode {
	LLC_PREFER_DEFAULT,	/* nothing: the nearest ancestor that states something decides */
	LLC_PREFER_OFF,		/* no LLC preference of any kind */
	LLC_PREFER_PROCESS,	/* per-process cache aware scheduling */
	LLC_PREFER_GROUP,	/* one group, the kernel chooses its LLCs */
	LLC_PREFER_LIST,	/* the LLCs that contain the listed CPUs */
};

/* Why a preference has no effect; the first that holds is reported. */
enum llc_prefer_state {
	LLC_PREFER_ACTIVE,
	LLC_PREFER_SINGLE_LLC,
	LLC_PREFER_DISABLED,
	LLC_PREFER_OFFLINE,
	LLC_PREFER_CPUSET,
	LLC_PREFER_NUMA,
	LLC_PREFER_IDLE,
	LLC_PREFER_CROWDED,
};

/* Why a group prefers other LLCs than before. */
enum llc_prefer_reason {
	LLC_PREFER_STAY,	/* it does not */
	LLC_PREFER_FIRST,	/* it had chosen none, or none that it may use */
	LLC_PREFER_GROW,	/* they do not hold it */
	LLC_PREFER_SHRINK,	/* fewer hold it */
	LLC_PREFER_MOVE,	/* others leave it too little room there */
	LLC_PREFER_FOLLOW,	/* its members run elsewhere */
};

/* What sent a task to a preferred LLC. */
enum llc_prefer_steer {
	LLC_PREFER_STEER_WAKEUP,
	LLC_PREFER_STEER_FORK,
	LLC_PREFER_STEER_EXEC,
	LLC_PREFER_STEER_PUSH,
};

/**
 * struct llc_info - one LLC as the scheduler domains have it
 * @cpus: its active CPUs; none where the id is not in use
 * @mate: the CPU that stands for the LLC, also for its CPUs that are offline
 * @nid: node of its CPUs, or %NUMA_NO_NODE
 * @nr_cpus: weight of @cpus
 * @changed: when a group last chose or left it, in jiffies
 * @promised: CPUs in %SCHED_CAPACITY_SCALE for groups that chose it lately, and whose
 *	 members may not be there yet
 * @promised_at: when that was last said, in jiffies
 *
 * The last three are written when a choice changes, under a lock of
 * kernel/sched/llc_prefer.c, and read without.
 */
struct llc_info {
	struct cpumask	*cpus;
	int		mate;
	int		nid;
	unsigned int	nr_cpus;
	unsigned long	changed;
	unsigned long	promised;
	unsigned long	promised_at;
};

/**
 * struct llc_topo - every LLC, indexed by scheduler LLC id
 * @rcu: frees the table once no reader can hold it
 * @nr: ids run from 0 to @nr - 1
 * @llc: the LLCs; the masks follow in the same allocation
 *
 * LLC ids are dense, differ per boot and are reused after hot-plug, so nothing
 * outlives a rebuild of the scheduler domains by its id: the table is made anew
 * and what is kept as CPUs is translated again.
 */
struct llc_topo {
	struct rcu_head	rcu;
	unsigned int	nr;
	struct llc_info	llc[] __counted_by(nr);
};

/**
 * struct llc_prefer - one stated preference and the group that it makes
 * @mode: what was stated, never %LLC_PREFER_DEFAULT
 * @listed: @wanted was written, so the LLCs must be among those
 * @bounded: the LLCs below this cgroup are confined to @bound
 * @numa_yield: at the last scan NUMA balancing wanted every running member elsewhere
 * @css: the cgroup that states it; valid while the preference can be found
 * @wanted: the CPUs written, as written
 * @cpus: the CPUs of the LLCs preferred now
 * @llcs: the ids of the LLCs preferred now
 * @allowed: the ids of the LLCs that may be preferred
 * @bound: the ids that cgroups below are confined to, if @bounded
 * @full: the ids of those in @llcs that had no CPU to spare at the last scan
 * @visited: the ids of the LLCs that the group ran on lately
 * @grp: occupancy of the group; %NULL where the mode needs none
 * @count: what cpu.llc_prefer.stat tells, by CPU; there if @grp is
 * @rcu: frees the preference
 * @ref: one for the cgroup that states it, one for each @push queued or running
 * @lock: serialises @cpus, @llcs and @allowed between the scan and a resolution
 * @resolved: resolutions so far, under @lock; a scan's choice counts only if there was
 *	 none meanwhile
 * @scanning: a scan is under way; there is one at a time
 * @usable: the CPUs that members seen by the last scans may use
 * @seen: the same, since @usable was last made from it
 * @load: what is known of each LLC, by id
 * @nr_scans: scans so far
 * @scanned: @resolved as of the last of them
 * @last_scan: when the last was, in nsec
 * @recent: the time that recent run time is measured against, in nsec
 * @members: average of how many members ran when a scan looked; this and the two that
 *	 follow in %SCHED_CAPACITY_SCALE
 * @waiting: average of how many waited for each other on @llcs
 * @excess: average of how many @llcs would not hold without the smallest of them
 * @leaning: what the last scans would have liked, an enum llc_prefer_reason
 * @lead: how many of them
 * @shrunk_at: when it last gave an LLC back, in jiffies; 0 for never
 * @regret: how often it grew again soon after
 * @nr_moves: changes of @llcs by choice
 * @next_push: do not push members before this, in jiffies
 * @push_delay: how long to wait after a push that moved nobody, in jiffies
 * @push: moves running members that are off their LLCs
 *
 * @mode, @listed, @css and @wanted never change once it is published. @bound and
 * @bounded change under llc_prefer_mutex, @allowed under @lock as well. The scheduler
 * reads @cpus, @llcs and @full without a lock: a reader may see a change half done and
 * then picks an LLC of the old or of the new set, which the next enqueue corrects.
 */
struct llc_prefer {
	enum llc_prefer_mode		mode;
	bool				listed;
	bool				bounded;
	bool				numa_yield;
	struct cgroup_subsys_state	*css;
	cpumask_var_t			wanted;
	cpumask_var_t			cpus;
	unsigned long			*llcs;
	unsigned long			*allowed;
	unsigned long			*bound;
	unsigned long			*full;
	unsigned long			*visited;
	struct sched_cache_group	*grp;
	struct llc_prefer_count __percpu *count;
	struct rcu_head			rcu;
	refcount_t			ref;

	/* Written by the scan and by running members. */
	raw_spinlock_t			lock ____cacheline_aligned;
	unsigned int			resolved;
	unsigned long			scanning;
	cpumask_var_t			usable;
	cpumask_var_t			seen;
	struct llc_load			*load;
	unsigned int			nr_scans;
	unsigned int			scanned;
	u64				last_scan;
	u64				recent;
	unsigned long			members;
	unsigned long			waiting;
	unsigned long			excess;
	unsigned int			leaning;
	unsigned int			lead;
	unsigned long			shrunk_at;
	unsigned int			regret;
	unsigned int			nr_moves;
	unsigned long			next_push;
	unsigned long			push_delay;
	struct work_struct		push;
};

/**
 * struct llc_prefer_node - a task group's place in the hierarchy
 * @own: what its cgroup states, %NULL for "default"; under llc_prefer_mutex
 * @eff: what decides here: @own, else the nearest ancestor's; %NULL if nobody
 *	 states anything
 * @offline: the cgroup is gone and must not be given an @eff any more
 */
struct llc_prefer_node {
	struct llc_prefer		*own;
	struct llc_prefer __rcu		*eff;
	bool				offline;
};

#ifdef CONFIG_CGROUP_LLC_PREFER
/* kernel/cgroup/llc_prefer.c */
void llc_prefer_css_online(struct cgroup_subsys_state *css);
void llc_prefer_css_offline(struct cgroup_subsys_state *css);
void llc_prefer_rebuild(void);

/* kernel/sched/llc_prefer.c */
struct llc_prefer_node *css_llc_prefer(struct cgroup_subsys_state *css);
struct llc_prefer *llc_prefer_alloc(struct cgroup_subsys_state *css,
				    enum llc_prefer_mode mode,
				    const struct cpumask *wanted);
int llc_prefer_alloc_group(struct llc_prefer *lp);
void llc_prefer_put(struct llc_prefer *lp);
void llc_prefer_publish(struct llc_prefer *lp, const unsigned long *allowed,
			const struct llc_topo *topo);
void llc_prefer_queue_push(struct llc_prefer *lp);
enum llc_prefer_state llc_prefer_state(struct llc_prefer *lp,
				       const struct cpumask *usable);
void llc_prefer_stat_show(struct seq_file *sf, struct llc_prefer *lp);
bool llc_topo_multi(void);
void llc_topo_note_mates(void);
int llc_topo_mate(int cpu);
int llc_topo_rebuild(bool used);
struct llc_topo *llc_topo_get(void);
void llc_prefer_key_set(bool used);
#else /* !CONFIG_CGROUP_LLC_PREFER: */
static inline void llc_prefer_css_online(struct cgroup_subsys_state *css) { }
static inline void llc_prefer_css_offline(struct cgroup_subsys_state *css) { }
static inline void llc_prefer_rebuild(void) { }
#endif /* !CONFIG_CGROUP_LLC_PREFER */

#endif /* _LINUX_SCHED_LLC_PREFER_H */
