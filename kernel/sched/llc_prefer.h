/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_SCHED_LLC_PREFER_H
#define _KERNEL_SCHED_LLC_PREFER_H

/*
 * The calls of cpu.llc_prefer in the fair class. Each is a static branch that
 * is off until a cgroup states a preference on a machine with several LLCs, and
 * while cache aware scheduling is switched off.
 */

#include <linux/sched/llc_prefer.h>

#ifdef CONFIG_CGROUP_LLC_PREFER
DECLARE_STATIC_KEY_FALSE(llc_prefer_used);

struct llc_prefer *__task_llc_prefer(struct task_struct *p);
struct sched_cache_group *__task_llc_group(struct task_struct *p);
bool __llc_prefer_account(struct rq *rq, struct task_struct *p, s64 delta_exec);
void __llc_prefer_enqueue(struct task_struct *p);
void __llc_prefer_forget(struct task_struct *p);
bool __llc_prefer_scan(struct task_struct *p);
bool llc_prefer_forbids(struct task_struct *p, int src_cpu, int dst_cpu);
bool __llc_prefer_pulls(const struct cpumask *src_cpus, int dst_cpu);
bool __llc_prefer_keeps(struct rq *rq, int dst_cpu);
int __llc_prefer_wake(struct task_struct *p, int prev_cpu, int target);
bool __llc_prefer_fork(struct task_struct *p, int *cpu, int sd_flag);
void __llc_prefer_migrated(struct task_struct *p, int src_cpu, int dst_cpu);
int __llc_prefer_numa_cpu(struct task_struct *p, int nid, int idle_cpu);

static inline bool llc_prefer_enabled(void)
{
	return static_branch_unlikely(&llc_prefer_used) && sched_cache_enabled();
}

/* Does a cgroup, rather than the process, decide about @p's LLC? */
static inline bool llc_prefer_decides(struct task_struct *p)
{
	return llc_prefer_enabled() && __task_llc_prefer(p);
}

/* The group that @p's run time counts for: its cgroup's, else its process's. */
static inline struct sched_cache_group *task_sched_cache_group(struct task_struct *p)
{
	if (llc_prefer_enabled())
		return __task_llc_group(p);

	return rcu_dereference_all(p->sched_cache_grp);
}

/* Charge @p's run time to its cgroup's group; false if it has none. */
static inline bool llc_prefer_account(struct rq *rq, struct task_struct *p,
				      s64 delta_exec)
{
	return llc_prefer_enabled() && __llc_prefer_account(rq, p, delta_exec);
}

/* Give @p its home LLC, before it is counted on the runqueue. */
static inline void llc_prefer_enqueue(struct task_struct *p)
{
	if (llc_prefer_enabled())
		__llc_prefer_enqueue(p);
}

/* @p changes its task group; what it preferred before says nothing now. */
static inline void llc_prefer_forget(struct task_struct *p)
{
	if (llc_prefer_enabled())
		__llc_prefer_forget(p);
}

/* Let the group of @p, which is current, look where it runs; false if it has none. */
static inline bool llc_prefer_scan(struct task_struct *p)
{
	return llc_prefer_enabled() && __llc_prefer_scan(p);
}

/* Is there no reason for the task that runs on @rq to leave its LLC for @dst_cpu? */
static inline bool llc_prefer_keeps(struct rq *rq, int dst_cpu)
{
	return llc_prefer_enabled() && __llc_prefer_keeps(rq, dst_cpu);
}

/* Does a task that runs on one of @src_cpus belong on idle @dst_cpu's LLC? */
static inline bool llc_prefer_pulls(const struct cpumask *src_cpus, int dst_cpu)
{
	return llc_prefer_enabled() && __llc_prefer_pulls(src_cpus, dst_cpu);
}

/* Where should the search for an idle CPU for waking @p begin, if not at @target? */
static inline int llc_prefer_wake(struct task_struct *p, int prev_cpu, int target)
{
	return llc_prefer_enabled() ? __llc_prefer_wake(p, prev_cpu, target) : target;
}

/* Where does new @p start, or @p that executes another program, if not anywhere? */
static inline bool llc_prefer_fork(struct task_struct *p, int *cpu, int sd_flag)
{
	return llc_prefer_enabled() && __llc_prefer_fork(p, cpu, sd_flag);
}

/* Count what the load balancer does with @p. */
static inline void llc_prefer_migrated(struct task_struct *p, int src_cpu, int dst_cpu)
{
	if (llc_prefer_enabled())
		__llc_prefer_migrated(p, src_cpu, dst_cpu);
}

/* Which idle CPU of node @nid for @p, if there is a better one than @idle_cpu? */
static inline int llc_prefer_numa_cpu(struct task_struct *p, int nid, int idle_cpu)
{
	return llc_prefer_enabled() ? __llc_prefer_numa_cpu(p, nid, idle_cpu) : idle_cpu;
}

#else /* !CONFIG_CGROUP_LLC_PREFER: */

static inline bool llc_prefer_decides(struct task_struct *p)
{
	return false;
}

#ifdef CONFIG_SCHED_CACHE
static inline struct sched_cache_group *task_sched_cache_group(struct task_struct *p)
{
	return rcu_dereference_all(p->sched_cache_grp);
}
#endif

static inline bool llc_prefer_account(struct rq *rq, struct task_struct *p,
				      s64 delta_exec)
{
	return false;
}

static inline void llc_prefer_enqueue(struct task_struct *p) { }

static inline void llc_prefer_forget(struct task_struct *p) { }

static inline bool llc_prefer_scan(struct task_struct *p)
{
	return false;
}

static inline bool llc_prefer_forbids(struct task_struct *p, int src_cpu, int dst_cpu)
{
	return false;
}

static inline bool llc_prefer_pulls(const struct cpumask *src_cpus, int dst_cpu)
{
	return false;
}

static inline bool llc_prefer_keeps(struct rq *rq, int dst_cpu)
{
	return false;
}

static inline int llc_prefer_wake(struct task_struct *p, int prev_cpu, int target)
{
	return target;
}

static inline bool llc_prefer_fork(struct task_struct *p, int *cpu, int sd_flag)
{
	return false;
}

static inline void llc_prefer_migrated(struct task_struct *p, int src_cpu, int dst_cpu) { }

static inline int llc_prefer_numa_cpu(struct task_struct *p, int nid, int idle_cpu)
{
	return idle_cpu;
}
#endif /* !CONFIG_CGROUP_LLC_PREFER */

#endif /* _KERNEL_SCHED_LLC_PREFER_H */
