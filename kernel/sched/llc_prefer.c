// SPDX-License-Identifier: GPL-2.0
/*
 * How the fair class follows cpu.llc_prefer.
 *
 * A cgroup that states a preference owns a struct sched_cache_group, the same
 * object that a process has for cache aware scheduling, and every task of the
 * cgroup's subtree is charged to that instead of to its process's. From the
 * preference each task draws one home LLC, kept in p->preferred_llc, so that the
 * counters and the pulls of cache aware load balancing work as they do for a
 * process. The pointer from a task to its process's group is left alone; who
 * decides is looked up where it is needed.
 *
 * The home LLC is drawn anew where the task is not counted on a runqueue, or
 * under its lock: at enqueue, at update_curr(), and when it changes its group.
 *
 * Which LLCs a group chooses is in llc_prefer_policy.c. What follows from a choice
 * is four questions, each a function without locks:
 *
 *   llc_prefer_home()	which LLC of its preference is a task's own?
 *   llc_prefer_forbids()	may the balancer move this task there?
 *   __llc_prefer_wake()	where does a waking task look for an idle CPU?
 *   llc_prefer_idle_cpu()	where can a task start, or be pushed to, at once?
 */

#include "sched.h"
#include "llc_prefer.h"
#include "llc_prefer_policy.h"

#define CREATE_TRACE_POINTS
#include <trace/events/sched_llc_prefer.h>

/* Cgroups state something and there are several LLCs to prefer one of. */
DEFINE_STATIC_KEY_FALSE(llc_prefer_used);

/* Changed under llc_prefer_mutex. NULL: nothing is preferred. */
static struct llc_topo __rcu *llc_topo;

/* The CPU that stands for this CPU's LLC, kept while this CPU is offline. */
static DEFINE_PER_CPU(int, llc_mate) = -1;
/* Scratch of llc_topo_note_mates(), by LLC id: ids are below nr_cpu_ids. */
static int mate_of_id[NR_CPUS];

/* A push that moved nobody is not tried again for this long, doubling up to it. */
#define LLC_PREFER_PUSH_MIN	max(HZ / 50, 1)
#define LLC_PREFER_PUSH_MAX	(2 * HZ)

/* Run time counts by a sixteenth less with each scan. */
#define LLC_PREFER_RECENT_SHIFT	4
/* Of the time that a group slept no more than this counts, in nsec. */
#define LLC_PREFER_GAP		(NSEC_PER_SEC / 5ULL)

/* After a scan so many times its length pass before the next, up to this. */
#define LLC_PREFER_SCAN_REST	8
#define LLC_PREFER_SCAN_MAX	(HZ / 5)

/* A CPU that no member was seen to be allowed on for so many scans is not used. */
#define LLC_PREFER_REMEMBER	64
/* A group that grows so soon after it shrank waits longer before it does again. */
#define LLC_PREFER_REGRET	(2 * HZ)
#define LLC_PREFER_REGRET_MAX	6

/* For so long after a group chose or left an LLC, others do not judge how full it is, */
#define LLC_PREFER_SETTLE	(HZ / 5)
/* and for so long they reckon with what it was chosen for. */
#define LLC_PREFER_PROMISE	(HZ / 2)

/* What sd->imbalance_pct is where a domain has several LLCs. */
#define LLC_PREFER_CAPACITY_PCT	117

/* Members count as off their LLCs when more than 1/16 of their run time is. */
#define LLC_PREFER_STRAY_SHIFT	4

enum llc_prefer_event {
	LLC_PREFER_WAKEUPS,
	LLC_PREFER_WAKEUPS_STEERED,
	LLC_PREFER_FORKS_STEERED,
	LLC_PREFER_MIGRATIONS_IN,
	LLC_PREFER_MIGRATIONS_OUT,
	LLC_PREFER_SPILLS,
	LLC_PREFER_NR_EVENTS,
};

static const char * const llc_prefer_event_name[] = {
	[LLC_PREFER_WAKEUPS]		= "nr_wakeups",
	[LLC_PREFER_WAKEUPS_STEERED]	= "nr_wakeups_steered",
	[LLC_PREFER_FORKS_STEERED]	= "nr_forks_steered",
	[LLC_PREFER_MIGRATIONS_IN]	= "nr_migrations_in",
	[LLC_PREFER_MIGRATIONS_OUT]	= "nr_migrations_out",
	[LLC_PREFER_SPILLS]		= "nr_spills",
};

/**
 * struct llc_prefer_count - what a group did on one CPU
 * @usage: run time of its tasks, in nsec
 * @preferred: the part of @usage on an LLC that was preferred
 * @syncp: for readers of these two; they are written under the CPU's rq lock
 * @nr: events, by enum llc_prefer_event
 */
struct llc_prefer_count {
	u64_stats_t		usage;
	u64_stats_t		preferred;
	struct u64_stats_sync	syncp;
	unsigned long		nr[LLC_PREFER_NR_EVENTS];
};

static int llc_of(int cpu)
{
	return per_cpu(sd_llc_id, cpu);
}

struct llc_prefer_node *css_llc_prefer(struct cgroup_subsys_state *css)
{
	return &css_tg(css)->llc_prefer;
}

/*
 * What decides for @p about LLCs instead of its process, or NULL. A snapshot that
 * RCU keeps alive: @p's group is stable under its pi_lock or rq lock, but what
 * decides for the group may be changed by a write at any time.
 */
struct llc_prefer *__task_llc_prefer(struct task_struct *p)
{
	struct llc_prefer *lp;

	/* A kernel thread works for nobody's group, even on a user's mm. */
	if (p->flags & PF_KTHREAD)
		return NULL;

	lp = rcu_dereference_all(READ_ONCE(p->sched_task_group)->llc_prefer.eff);
	if (!lp || lp->mode == LLC_PREFER_PROCESS)
		return NULL;
	return lp;
}

struct sched_cache_group *__task_llc_group(struct task_struct *p)
{
	struct llc_prefer *lp = __task_llc_prefer(p);

	return lp ? READ_ONCE(lp->grp) : rcu_dereference_all(p->sched_cache_grp);
}

/* The table of LLCs */

bool llc_topo_multi(void)
{
	return static_branch_likely(&sched_cache_present);
}

/**
 * llc_topo_note_mates() - Remember which CPUs share an LLC.
 *
 * A CPU that goes offline loses its LLC id, yet goes on naming the LLC it was
 * part of. All CPUs of an LLC have one representative, which newcomers take
 * over and which stays when it, or anybody, goes offline.
 *
 * Context: CPU hot-plug and sched_domains_mutex held.
 */
void llc_topo_note_mates(void)
{
	int cpu, id;

	for (id = 0; id < nr_cpu_ids; id++)
		mate_of_id[id] = -1;

	for_each_online_cpu(cpu) {
		id = llc_of(cpu);
		if (id >= 0 && mate_of_id[id] < 0)
			mate_of_id[id] = per_cpu(llc_mate, cpu);
	}
	for_each_online_cpu(cpu) {
		id = llc_of(cpu);
		if (id < 0)
			continue;
		if (mate_of_id[id] < 0)
			mate_of_id[id] = cpu;
		per_cpu(llc_mate, cpu) = mate_of_id[id];
	}
}

/* Representative of the LLC that @cpu is, or last was, part of; -1 if unknown. */
int llc_topo_mate(int cpu)
{
	return per_cpu(llc_mate, cpu);
}

/* The table, or NULL. Context: llc_prefer_mutex held, or RCU. */
struct llc_topo *llc_topo_get(void)
{
	return rcu_dereference_check(llc_topo, lockdep_is_cpus_held());
}

static struct llc_topo *llc_topo_alloc(unsigned int nr)
{
	struct llc_topo *topo;
	unsigned int id;
	void *masks;

	topo = kvzalloc(ALIGN(struct_size(topo, llc, nr), sizeof(long)) +
			(size_t)nr * cpumask_size(), GFP_KERNEL);
	if (!topo)
		return NULL;

	topo->nr = nr;
	masks = (void *)topo + ALIGN(struct_size(topo, llc, nr), sizeof(long));
	for (id = 0; id < nr; id++) {
		topo->llc[id].cpus = masks + id * cpumask_size();
		topo->llc[id].nid = NUMA_NO_NODE;
		topo->llc[id].mate = -1;
	}
	return topo;
}

/**
 * llc_topo_rebuild() - Make the table of LLCs anew from the scheduler's LLC ids.
 * @used: Somebody states a preference; without, or with one LLC, there is no table.
 *
 * Context: llc_prefer_mutex and CPU hot-plug held; the latter is what is checked.
 * Return: 0, or -ENOMEM, and then there is no table.
 */
int llc_topo_rebuild(bool used)
{
	struct llc_topo *topo = NULL, *old;
	unsigned int nr = 0;
	int cpu, ret = 0;

	if (used && llc_topo_multi()) {
		for_each_cpu(cpu, cpu_active_mask)
			nr = max_t(int, nr, llc_of(cpu) + 1);

		topo = llc_topo_alloc(nr);
		if (!topo)
			ret = -ENOMEM;
	}
	if (topo) {
		for_each_cpu(cpu, cpu_active_mask) {
			int id = llc_of(cpu);

			/* A CPU isolated from load balancing has none. */
			if (id < 0 || id >= nr)
				continue;
			cpumask_set_cpu(cpu, topo->llc[id].cpus);
			topo->llc[id].nr_cpus++;
			topo->llc[id].mate = llc_topo_mate(cpu);
			topo->llc[id].nid = cpu_to_node(cpu);
		}
	}

	old = rcu_replace_pointer(llc_topo, topo, lockdep_is_cpus_held());
	if (old)
		kvfree_rcu(old, rcu);
	return ret;
}

/**
 * llc_prefer_key_set() - Turn the calls in the fair class on or off.
 * @used: Somebody states a preference, and there is a table of LLCs.
 *
 * Context: CPU hot-plug held.
 */
void llc_prefer_key_set(bool used)
{
	if (used)
		static_branch_enable_cpuslocked(&llc_prefer_used);
	else
		static_branch_disable_cpuslocked(&llc_prefer_used);
}

/* The life of a preference */

static void llc_prefer_free(struct llc_prefer *lp)
{
	sched_cache_group_put(lp->grp);
	free_percpu(lp->count);
	kvfree(lp->load);
	free_cpumask_var(lp->usable);
	free_cpumask_var(lp->seen);
	bitmap_free(lp->visited);
	bitmap_free(lp->full);
	bitmap_free(lp->bound);
	bitmap_free(lp->allowed);
	bitmap_free(lp->llcs);
	free_cpumask_var(lp->cpus);
	free_cpumask_var(lp->wanted);
	kfree(lp);
}

static void llc_prefer_free_rcu(struct rcu_head *rcu)
{
	llc_prefer_free(container_of(rcu, struct llc_prefer, rcu));
}

static void llc_prefer_push_work(struct work_struct *work);

/**
 * llc_prefer_alloc() - Make a preference that nobody sees yet.
 * @css: Who states it.
 * @mode: What, not %LLC_PREFER_DEFAULT.
 * @wanted: The CPUs given with it; empty for none.
 *
 * Context: may sleep.
 * Return: The preference, or %NULL without memory.
 */
struct llc_prefer *llc_prefer_alloc(struct cgroup_subsys_state *css,
				    enum llc_prefer_mode mode,
				    const struct cpumask *wanted)
{
	struct llc_prefer *lp = kzalloc_obj(*lp);

	if (!lp)
		return NULL;

	lp->css = css;
	lp->mode = mode;
	lp->listed = !cpumask_empty(wanted);
	lp->push_delay = LLC_PREFER_PUSH_MIN;
	lp->next_push = jiffies;
	raw_spin_lock_init(&lp->lock);
	refcount_set(&lp->ref, 1);
	INIT_WORK(&lp->push, llc_prefer_push_work);

	lp->llcs = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	lp->allowed = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	lp->bound = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	lp->full = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	if (!zalloc_cpumask_var(&lp->wanted, GFP_KERNEL) ||
	    !zalloc_cpumask_var(&lp->cpus, GFP_KERNEL) ||
	    !lp->llcs || !lp->allowed || !lp->bound || !lp->full) {
		llc_prefer_free(lp);
		return NULL;
	}

	cpumask_copy(lp->wanted, wanted);
	return lp;
}

/**
 * llc_prefer_alloc_group() - Give a preference what it takes to follow tasks.
 * @lp: The preference; may have it already, or be of a mode that needs none.
 *
 * Does nothing on a machine with one LLC.
 *
 * Context: llc_prefer_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int llc_prefer_alloc_group(struct llc_prefer *lp)
{
	struct sched_cache_group *grp;
	int cpu;

	if (lp->grp || !llc_topo_multi())
		return 0;
	if (lp->mode != LLC_PREFER_GROUP && lp->mode != LLC_PREFER_LIST)
		return 0;

	/* What is there from a try that failed is used, or freed with @lp. */
	if (!lp->load)
		lp->load = kvcalloc(nr_cpu_ids, sizeof(*lp->load), GFP_KERNEL);
	if (!lp->visited)
		lp->visited = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	if (!lp->count)
		lp->count = alloc_percpu(struct llc_prefer_count);
	if (!lp->load || !lp->visited || !lp->count ||
	    (!cpumask_available(lp->usable) &&
	     !zalloc_cpumask_var(&lp->usable, GFP_KERNEL)) ||
	    (!cpumask_available(lp->seen) &&
	     !zalloc_cpumask_var(&lp->seen, GFP_KERNEL)))
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(lp->count, cpu)->syncp);

	grp = sched_cache_group_alloc();
	if (!grp)
		return -ENOMEM;

	lp->last_scan = ktime_get_ns();

	/* Whoever sees the group sees it, and the above, complete. */
	smp_store_release(&lp->grp, grp);
	return 0;
}

/**
 * llc_prefer_put() - Drop a reference to a preference.
 * @lp: The preference, or %NULL. Readers may still see it until RCU is done.
 */
void llc_prefer_put(struct llc_prefer *lp)
{
	if (lp && refcount_dec_and_test(&lp->ref))
		call_rcu(&lp->rcu, llc_prefer_free_rcu);
}

/*
 * Bring @lp->cpus in line with @lp->llcs. What is new comes before what is old
 * goes, so that a choice that only moves is never seen empty.
 *
 * Context: @lp->lock held.
 */
static void llc_prefer_set_cpus(struct llc_prefer *lp, const struct llc_topo *topo)
{
	unsigned int id;

	lockdep_assert_held(&lp->lock);

	if (!topo) {
		cpumask_clear(lp->cpus);
		return;
	}
	for_each_set_bit(id, lp->llcs, topo->nr)
		cpumask_or(lp->cpus, lp->cpus, topo->llc[id].cpus);
	for (id = 0; id < topo->nr; id++) {
		if (!test_bit(id, lp->llcs))
			cpumask_andnot(lp->cpus, lp->cpus, topo->llc[id].cpus);
	}
	/* CPUs that went offline are in no LLC of the table. */
	cpumask_and(lp->cpus, lp->cpus, cpu_active_mask);
}

/**
 * llc_prefer_publish() - Prefer what was newly resolved.
 * @lp: The preference.
 * @allowed: The ids of the LLCs that may be preferred.
 * @topo: The table of LLCs, or %NULL.
 *
 * A list prefers all of it. A group keeps the LLCs it chose, by their CPUs, as
 * long as they are allowed, and chooses again if none is.
 *
 * Context: llc_prefer_mutex held, RCU.
 */
void llc_prefer_publish(struct llc_prefer *lp, const unsigned long *allowed,
			const struct llc_topo *topo)
{
	unsigned int id;

	/* Against the scan, which reads what is allowed and changes the rest. */
	guard(raw_spinlock_irqsave)(&lp->lock);

	bitmap_copy(lp->allowed, allowed, nr_cpu_ids);
	bitmap_zero(lp->llcs, nr_cpu_ids);
	for (id = 0; topo && id < topo->nr; id++) {
		if (!test_bit(id, lp->allowed))
			continue;
		if (lp->mode == LLC_PREFER_LIST ||
		    (lp->mode == LLC_PREFER_GROUP &&
		     cpumask_intersects(lp->cpus, topo->llc[id].cpus)))
			__set_bit(id, lp->llcs);
	}
	llc_prefer_set_cpus(lp, topo);
	/* Ids may mean something else now, and a push something to do. */
	bitmap_zero(lp->full, nr_cpu_ids);
	lp->leaning = LLC_PREFER_STAY;
	lp->lead = 0;
	lp->resolved++;
	WRITE_ONCE(lp->push_delay, LLC_PREFER_PUSH_MIN);
	WRITE_ONCE(lp->next_push, jiffies);
}

/* Placement */

static bool llc_prefer_numa_ok(struct task_struct *p, int cpu)
{
#ifdef CONFIG_NUMA_BALANCING
	if (static_branch_likely(&sched_numa_balancing) &&
	    p->numa_preferred_nid != NUMA_NO_NODE &&
	    cpu_to_node(cpu) != p->numa_preferred_nid)
		return false;
#endif
	return true;
}

/*
 * Which LLC is @p's own? The one it is on, if that is preferred, so that it
 * moves freely inside the preference; else the one it had, else any with a CPU
 * that @p may use; one that is full only if there is no other. -1 where affinity
 * or NUMA balancing leaves none, and for tasks that are not the cgroup's to place.
 *
 * Context: @p's rq lock or pi_lock held.
 */
static int llc_prefer_home(struct llc_prefer *lp, struct task_struct *p)
{
	int i, cpu = task_cpu(p), old = p->preferred_llc, full = -1;
	const struct llc_topo *topo = rcu_dereference_all(llc_topo);
	unsigned int id;

	/* Core scheduling decides where a task with a cookie runs. */
	if (task_has_sched_core(p))
		return -1;

	if (cpumask_test_cpu(cpu, lp->cpus) && llc_prefer_numa_ok(p, cpu))
		return llc_of(cpu);

	if (!topo || !cpumask_intersects(lp->cpus, p->cpus_ptr))
		return -1;

	if (old >= 0 && old < topo->nr && test_bit(old, lp->llcs)) {
		i = cpumask_first_and(topo->llc[old].cpus, p->cpus_ptr);
		if (i < nr_cpu_ids && llc_prefer_numa_ok(p, i)) {
			if (!test_bit(old, lp->full))
				return old;
			full = old;
		}
	}

	/* Start anywhere, so that tasks that come from outside spread over the set. */
	for_each_set_bit_wrap(id, lp->llcs, topo->nr,
			      reciprocal_scale(hash_32(p->pid, 32), topo->nr)) {
		if (full >= 0 && test_bit(id, lp->full))
			continue;
		i = cpumask_first_and(topo->llc[id].cpus, p->cpus_ptr);
		if (i >= nr_cpu_ids || !llc_prefer_numa_ok(p, i))
			continue;
		if (!test_bit(id, lp->full))
			return id;
		full = id;
	}
	return full;
}

static bool llc_core_idle(int cpu)
{
#ifdef CONFIG_SCHED_SMT
	int sibling;

	if (!sched_smt_active())
		return true;
	for_each_cpu(sibling, cpu_smt_mask(cpu)) {
		if (!available_idle_cpu(sibling))
			return false;
	}
#endif
	return true;
}

/*
 * An idle CPU of @cpu's LLC that @p may use, one on an idle core if there is, else
 * @cpu first; -1 if there is none. This is where an LLC is found full: looked up
 * now, since a utilisation or a count of busy CPUs lags behind by a tick or more,
 * and bounded by the size of an LLC.
 *
 * Context: RCU.
 */
static int llc_idle_cpu(struct task_struct *p, int cpu)
{
	struct sched_domain *sd = rcu_dereference_all(per_cpu(sd_llc, cpu));
	int i, idle = -1, src = task_cpu(p);

	if (!sd)
		return -1;

	for_each_cpu_wrap(i, sched_domain_span(sd), cpu) {
		if (!available_idle_cpu(i) || !cpumask_test_cpu(i, p->cpus_ptr) ||
		    !sched_cpu_cookie_match(cpu_rq(i), p))
			continue;
		/* @p may not fit on a smaller CPU. */
		if (sched_asym_cpucap_active() &&
		    arch_scale_cpu_capacity(i) < arch_scale_cpu_capacity(src))
			continue;
		if (llc_core_idle(i))
			return i;
		if (idle < 0)
			idle = i;
	}
	return idle;
}

/* Besides its own, so many LLCs are searched for a task. */
#define LLC_PREFER_SEARCH	2

/*
 * The same on the LLC of @cpu and, if there is none, on others that @lp prefers. What
 * was full at the last scan is not looked at again, and of a long list not all.
 *
 * Context: RCU.
 */
static int llc_prefer_find_idle(struct llc_prefer *lp, struct task_struct *p, int cpu)
{
	const struct llc_topo *topo = rcu_dereference_all(llc_topo);
	unsigned int id, tries = LLC_PREFER_SEARCH;
	int i, home = llc_of(cpu);

	i = llc_idle_cpu(p, cpu);
	if (i >= 0 || !topo)
		return i;

	for_each_andnot_bit(id, lp->llcs, lp->full, topo->nr) {
		if (id == home)
			continue;
		cpu = cpumask_first_and(topo->llc[id].cpus, p->cpus_ptr);
		if (cpu >= nr_cpu_ids || !llc_prefer_numa_ok(p, cpu))
			continue;
		i = llc_idle_cpu(p, cpu);
		if (i >= 0 || !--tries)
			return i;
	}
	return -1;
}

/*
 * Would a move from @src_cpu to @dst_cpu take @p off its LLCs? Not where NUMA
 * balancing does not want it on @src_cpu anyway.
 */
static bool llc_prefer_leaves(struct llc_prefer *lp, struct task_struct *p,
			      int src_cpu, int dst_cpu)
{
	return !task_has_sched_core(p) &&
	       cpumask_test_cpu(src_cpu, lp->cpus) && llc_prefer_numa_ok(p, src_cpu) &&
	       !(cpumask_test_cpu(dst_cpu, lp->cpus) && llc_prefer_numa_ok(p, dst_cpu));
}

/**
 * llc_prefer_forbids() - Must the balancer leave @p where it is?
 * @p: A task that its cgroup decides for, queued on @src_cpu.
 * @src_cpu: Where it is.
 * @dst_cpu: Where the balancer wants it.
 *
 *   is on \ moves to     preferred LLC   any other LLC
 *   a preferred LLC       no              yes, unless it waits and they are full
 *   any other LLC         no              no
 *
 * An LLC is full when none of its CPUs that @p may use is idle: it holds as many
 * running tasks as it has CPUs. A task that waits, while all LLCs it prefers are
 * full, goes wherever the balancer finds room; so does one that NUMA balancing
 * wants there.
 *
 * Context: @src_cpu's rq lock held.
 */
bool llc_prefer_forbids(struct task_struct *p, int src_cpu, int dst_cpu)
{
	struct llc_prefer *lp = __task_llc_prefer(p);

	if (!lp || !llc_prefer_leaves(lp, p, src_cpu, dst_cpu))
		return false;

	return llc_prefer_find_idle(lp, p, src_cpu) >= 0;
}

/*
 * The same question for the task that runs on @rq, which active balance would
 * move to @dst_cpu, without @rq's lock. What waits behind it can go instead, or
 * to the idle CPU of its LLCs.
 */
bool __llc_prefer_keeps(struct rq *rq, int dst_cpu)
{
	struct task_struct *p;
	struct llc_prefer *lp;

	guard(rcu)();

	/* Capacity comes first, also what interrupts and others leave of it. */
	if (rq->cpu_capacity * LLC_PREFER_CAPACITY_PCT <
	    arch_scale_cpu_capacity(cpu_of(rq)) * 100)
		return false;

	p = rcu_dereference_all(rq->curr);
	if (!p || p->sched_class != &fair_sched_class)
		return false;
	lp = __task_llc_prefer(p);
	if (!lp || !llc_prefer_leaves(lp, p, cpu_of(rq), dst_cpu))
		return false;

	return READ_ONCE(rq->nr_running) <= 1 ||
	       llc_prefer_find_idle(lp, p, cpu_of(rq)) >= 0;
}

/*
 * Does a task that runs on one of @src_cpus have its home on the LLC of
 * @dst_cpu, which has nothing to do and could run it at once? Cache aware
 * balancing asks for more room there than a cgroup's preference does.
 *
 * Context: RCU.
 */
bool __llc_prefer_pulls(const struct cpumask *src_cpus, int dst_cpu)
{
	int cpu, home = llc_of(dst_cpu);

	for_each_cpu(cpu, src_cpus) {
		struct task_struct *p = rcu_dereference_all(cpu_rq(cpu)->curr);

		if (p && READ_ONCE(p->preferred_llc) == home && llc_of(cpu) != home &&
		    cpumask_test_cpu(dst_cpu, p->cpus_ptr) && __task_llc_prefer(p))
			return true;
	}
	return false;
}

/* Count an event of the group; nothing if it has no counters yet. */
static void llc_prefer_event(struct llc_prefer *lp, enum llc_prefer_event event)
{
	/* Pairs with the release in llc_prefer_alloc_group(). */
	if (smp_load_acquire(&lp->grp))
		this_cpu_inc(lp->count->nr[event]);
}

/*
 * Where should the search for an idle CPU for @p, which wakes, begin? At @target,
 * where it would have begun without a preference, if that is on a preferred LLC;
 * else at an idle CPU of one, the home LLC first, and there where @p was if that is
 * on it. Where all are full @p goes to @target, unless there is nothing idle
 * either: then it had better wait where its data is. On a machine with CPUs of
 * different capacity the search does not end with an LLC: leave it.
 *
 * Context: @p's pi_lock held, RCU.
 */
int __llc_prefer_wake(struct task_struct *p, int prev_cpu, int target)
{
	struct llc_prefer *lp = __task_llc_prefer(p);
	const struct llc_topo *topo;
	int home, cpu = prev_cpu;

	if (!lp)
		return target;

	llc_prefer_event(lp, LLC_PREFER_WAKEUPS);

	if (sched_asym_cpucap_active() || cpumask_test_cpu(target, lp->cpus))
		return target;

	home = llc_prefer_home(lp, p);
	if (home < 0)
		return target;
	if (llc_of(cpu) != home || !cpumask_test_cpu(cpu, p->cpus_ptr)) {
		topo = rcu_dereference_all(llc_topo);
		if (!topo || home >= topo->nr)
			return target;
		cpu = cpumask_any_and_distribute(topo->llc[home].cpus, p->cpus_ptr);
		if (cpu >= nr_cpu_ids)
			return target;
	}

	cpu = llc_prefer_find_idle(lp, p, cpu);
	if (cpu < 0) {
		if (!cpumask_test_cpu(prev_cpu, lp->cpus) ||
		    !cpumask_test_cpu(prev_cpu, p->cpus_ptr) ||
		    !llc_prefer_numa_ok(p, prev_cpu))
			return target;
		cpu = llc_idle_cpu(p, target);
		if (cpu < 0)
			return prev_cpu;
		llc_prefer_event(lp, LLC_PREFER_SPILLS);
		trace_sched_llc_prefer_spill(p, prev_cpu, cpu);
		return cpu;
	}

	llc_prefer_event(lp, LLC_PREFER_WAKEUPS_STEERED);
	trace_sched_llc_prefer_steer(p, target, cpu, LLC_PREFER_STEER_WAKEUP);
	return cpu;
}

/*
 * Where can @p run at once on an LLC that it prefers? On LLC @home first and on an
 * idle core first, never on a CPU with less capacity or, where the machine packs
 * asymmetrically, of lower priority. -1 if nowhere.
 */
static int llc_prefer_idle_cpu(struct llc_prefer *lp, struct task_struct *p, int home)
{
	int cpu, src = task_cpu(p);
	int best = -1, rank, best_rank = -1;

	/* Not all that look at once should find the same one. */
	for_each_cpu_wrap(cpu, lp->cpus, src + 1) {
		if (!cpumask_test_cpu(cpu, p->cpus_ptr) || !available_idle_cpu(cpu) ||
		    !llc_prefer_numa_ok(p, cpu))
			continue;
		if (arch_scale_cpu_capacity(cpu) < arch_scale_cpu_capacity(src))
			continue;
		if (rcu_access_pointer(per_cpu(sd_asym_packing, src)) &&
		    sched_asym_prefer(src, cpu))
			continue;

		rank = 2 * (llc_of(cpu) == home) + llc_core_idle(cpu);
		if (rank > best_rank) {
			best = cpu;
			best_rank = rank;
		}
		if (rank == 3)
			break;
	}
	return best;
}

/*
 * Is there a CPU on a preferred LLC where @p, which is new or executes another
 * program, can run at once? Put it in @cpu. A task that execs alone on a CPU of
 * its LLCs stays there.
 *
 * Context: @p's pi_lock held, RCU.
 */
bool __llc_prefer_fork(struct task_struct *p, int *cpu, int sd_flag)
{
	struct llc_prefer *lp = __task_llc_prefer(p);
	int home, to, here = task_cpu(p);

	if (!lp || sched_asym_cpucap_active())
		return false;
	home = llc_prefer_home(lp, p);
	if (home < 0)
		return false;

	if (sd_flag == WF_EXEC && cpumask_test_cpu(here, lp->cpus) &&
	    READ_ONCE(cpu_rq(here)->nr_running) <= 1) {
		*cpu = here;
		return true;
	}
	to = llc_prefer_idle_cpu(lp, p, home);
	if (to < 0)
		return false;

	llc_prefer_event(lp, LLC_PREFER_FORKS_STEERED);
	trace_sched_llc_prefer_steer(p, here, to, sd_flag == WF_EXEC ?
				     LLC_PREFER_STEER_EXEC : LLC_PREFER_STEER_FORK);
	*cpu = to;
	return true;
}

#ifdef CONFIG_NUMA_BALANCING
/*
 * NUMA balancing moves @p to node @nid, where it found @idle_cpu idle: is there an
 * idle CPU on an LLC that @p prefers?
 *
 * Context: any; @p is current.
 */
int __llc_prefer_numa_cpu(struct task_struct *p, int nid, int idle_cpu)
{
	struct llc_prefer *lp;
	int cpu;

	guard(rcu)();

	lp = __task_llc_prefer(p);
	if (!lp || idle_cpu < 0 || cpumask_test_cpu(idle_cpu, lp->cpus))
		return idle_cpu;

	for_each_cpu_and(cpu, lp->cpus, cpumask_of_node(nid)) {
		if (available_idle_cpu(cpu) && cpumask_test_cpu(cpu, p->cpus_ptr) &&
		    !READ_ONCE(cpu_rq(cpu)->numa_migrate_on))
			return cpu;
	}
	return idle_cpu;
}
#endif

/* Called by the fair class */

bool __llc_prefer_account(struct rq *rq, struct task_struct *p, s64 delta_exec)
{
	struct llc_prefer *lp = __task_llc_prefer(p);
	struct sched_cache_group *grp;
	struct llc_prefer_count *count;
	int id = llc_of(cpu_of(rq));

	if (!lp)
		return false;

	/* Pairs with the release in llc_prefer_alloc_group(). */
	grp = smp_load_acquire(&lp->grp);
	if (grp) {
		sched_cache_account(rq, grp, delta_exec);

		count = per_cpu_ptr(lp->count, cpu_of(rq));
		u64_stats_update_begin(&count->syncp);
		u64_stats_add(&count->usage, delta_exec);
		if (cpumask_test_cpu(cpu_of(rq), lp->cpus))
			u64_stats_add(&count->preferred, delta_exec);
		u64_stats_update_end(&count->syncp);

		/* Mostly set: read before dirtying the line. */
		if (id >= 0 && !test_bit(id, lp->visited))
			set_bit(id, lp->visited);
	}

	sched_cache_set_llc(rq, p, llc_prefer_home(lp, p));
	return true;
}

/* Context: @p's rq lock held; @p is not counted on the rq yet. */
void __llc_prefer_enqueue(struct task_struct *p)
{
	struct llc_prefer *lp = __task_llc_prefer(p);

	if (lp)
		WRITE_ONCE(p->preferred_llc, llc_prefer_home(lp, p));
}

/* Context: @p's rq lock held. */
void __llc_prefer_forget(struct task_struct *p)
{
	/* A task that is still counted is corrected by its next update_curr(). */
	if (!p->se.on_rq)
		WRITE_ONCE(p->preferred_llc, -1);
}

/*
 * The balancer takes @p from @src_cpu to @dst_cpu.
 *
 * Context: @src_cpu's rq lock held.
 */
void __llc_prefer_migrated(struct task_struct *p, int src_cpu, int dst_cpu)
{
	struct llc_prefer *lp = __task_llc_prefer(p);
	bool from, to;

	if (!lp)
		return;
	from = cpumask_test_cpu(src_cpu, lp->cpus);
	to = cpumask_test_cpu(dst_cpu, lp->cpus);
	if (to && !from)
		llc_prefer_event(lp, LLC_PREFER_MIGRATIONS_IN);
	if (from && !to) {
		llc_prefer_event(lp, LLC_PREFER_MIGRATIONS_OUT);
		if (llc_idle_cpu(p, src_cpu) < 0) {
			llc_prefer_event(lp, LLC_PREFER_SPILLS);
			trace_sched_llc_prefer_spill(p, src_cpu, dst_cpu);
		}
	}
}

/* The scan */

/* Write a bit that others read all the time only if it changes. */
static void llc_bit_set(unsigned int id, unsigned long *bits, bool value)
{
	if (test_bit(id, bits) != value)
		assign_bit(id, bits, value);
}

/* @p is a member: the group may use what @p may. */
static void llc_prefer_may_use(struct llc_prefer *lp, struct task_struct *p)
{
	if (cpumask_subset(&p->cpus_mask, lp->seen))
		return;
	cpumask_or(lp->seen, lp->seen, &p->cpus_mask);
	cpumask_or(lp->usable, lp->usable, &p->cpus_mask);
}

/* What runs on some CPUs at a moment; the last two in SCHED_CAPACITY_SCALE a CPU. */
struct llc_seen {
	unsigned int	members;
	unsigned int	yield;		/* those that NUMA balancing keeps from a CPU */
	unsigned long	others;		/* CPUs that somebody else runs on */
	unsigned long	waiting;	/* recent average of tasks that wait */
};

/*
 * Look at what runs on an LLC: members of the group of @lp, which are asked whether
 * NUMA balancing lets them run on CPU @first, and others, on CPUs that the group may
 * use.
 */
static struct llc_seen llc_look(struct llc_prefer *lp, const struct llc_info *llc, int first)
{
	struct llc_seen seen = { };
	const struct sched_avg *avg;
	struct task_struct *cur;
	unsigned long runnable, util;
	int cpu;

	for_each_cpu(cpu, llc->cpus) {
		/* What an idle CPU has on record is old. */
		cur = rcu_dereference_all(cpu_rq(cpu)->curr);
		if (!cur || is_idle_task(cur))
			continue;

		if (__task_llc_prefer(cur) == lp)
			llc_prefer_may_use(lp, cur);
		else if (!cpumask_test_cpu(cpu, lp->usable))
			continue;

		avg = &cpu_rq(cpu)->cfs.avg;
		runnable = READ_ONCE(avg->runnable_avg);
		util = READ_ONCE(avg->util_avg);
		if (runnable > util)
			seen.waiting += runnable - util;

		if (__task_llc_prefer(cur) != lp) {
			seen.others += SCHED_CAPACITY_SCALE;
			continue;
		}
		seen.members++;
		seen.yield += first < nr_cpu_ids && READ_ONCE(cur->preferred_llc) < 0 &&
			      !llc_prefer_numa_ok(cur, first);
	}
	return seen;
}

/* How many CPUs of an LLC may members use? */
static unsigned int llc_usable_cpus(struct llc_prefer *lp, const struct llc_info *llc,
				    bool all_usable)
{
	return all_usable ? llc->nr_cpus : cpumask_weight_and(llc->cpus, lp->usable);
}

/* The run time of the group on an LLC since it was set up, in nsec. */
static u64 llc_usage(struct llc_prefer *lp, const struct llc_info *llc)
{
	const struct llc_prefer_count *count;
	unsigned int start;
	u64 usage, sum = 0;
	int cpu;

	for_each_cpu(cpu, llc->cpus) {
		count = per_cpu_ptr(lp->count, cpu);
		do {
			start = u64_stats_fetch_begin(&count->syncp);
			usage = u64_stats_read(&count->usage);
		} while (u64_stats_fetch_retry(&count->syncp, start));
		sum += usage;
	}
	return sum;
}

/*
 * Look where the group of @lp runs, of which @p is a member that does. Returns its
 * recent run time off its LLCs in @stray and in all in @total, as CPUs in
 * SCHED_CAPACITY_SCALE.
 */
static void llc_prefer_look(struct llc_prefer *lp, const struct llc_topo *topo,
			    struct task_struct *p, unsigned long *stray,
			    unsigned long *total)
{
	unsigned long members, waiting = 0, capacity = 0, least = ULONG_MAX, cpus;
	unsigned int id, all = 0, yield = 0, resolved = READ_ONCE(lp->resolved);
	bool all_usable;
	u64 usage, now = ktime_get_ns();
	struct llc_load *load;
	struct llc_seen seen;
	int first;

	*stray = 0;
	*total = 0;
	lp->nr_scans++;
	/*
	 * Run time and time are both decayed and their quotient is the average: a
	 * CPU may charge much at once, and scans are as irregular as ticks.
	 */
	lp->recent -= lp->recent >> LLC_PREFER_RECENT_SHIFT;
	lp->recent += min(now - lp->last_scan, LLC_PREFER_GAP);
	lp->last_scan = now;
	first = cpumask_first(lp->cpus);

	/* What nobody may use any more is forgotten after a while. */
	if (lp->nr_scans % LLC_PREFER_REMEMBER == 0) {
		cpumask_copy(lp->usable, lp->seen);
		cpumask_clear(lp->seen);
	}
	llc_prefer_may_use(lp, p);
	all_usable = cpumask_subset(cpu_active_mask, lp->usable);

	if (lp->scanned != resolved) {
		/* The ids may stand for other LLCs, which ran other sums. */
		for (id = 0; id < topo->nr; id++) {
			lp->load[id].usage = llc_usage(lp, &topo->llc[id]);
			lp->load[id].recent = 0;
		}
		lp->scanned = resolved;
	}

	/* Only where it ran: the cost must not grow with the machine. */
	for_each_set_bit(id, lp->visited, nr_cpu_ids) {
		if (id >= topo->nr) {
			clear_bit(id, lp->visited);
			continue;
		}

		load = &lp->load[id];
		usage = llc_usage(lp, &topo->llc[id]);
		load->recent -= load->recent >> LLC_PREFER_RECENT_SHIFT;
		load->recent += usage - min(usage, load->usage);
		load->usage = usage;
		load->own = div64_u64(load->recent << SCHED_CAPACITY_SHIFT, lp->recent + 1);
		/* A member that runs there again sets it again. */
		if (load->own < SCHED_CAPACITY_SCALE / 64)
			clear_bit(id, lp->visited);

		seen = llc_look(lp, &topo->llc[id], first);
		all += seen.members;
		yield += seen.yield;
		load->others = load->stamp == lp->nr_scans - 1 ?
			       llc_prefer_average(load->others, seen.others) : seen.others;
		load->stamp = lp->nr_scans;

		*total += load->own;
		if (!test_bit(id, lp->llcs)) {
			*stray += load->own;
			llc_bit_set(id, lp->full, false);
			continue;
		}
		/* Who waits for somebody else needs another LLC rather than one more. */
		waiting += seen.waiting - min(seen.waiting, seen.others);
		llc_bit_set(id, lp->full, seen.members + (seen.others >> SCHED_CAPACITY_SHIFT) >=
			    llc_usable_cpus(lp, &topo->llc[id], all_usable));
	}
	/* Nobody looked at the others. */
	for_each_andnot_bit(id, lp->full, lp->visited, nr_cpu_ids)
		clear_bit(id, lp->full);

	members = (unsigned long)all << SCHED_CAPACITY_SHIFT;
	if (first >= nr_cpu_ids) {
		/* Until there is a choice the most that was seen counts. */
		lp->members = max(lp->members, members);
		lp->waiting = 0;
		lp->excess = 0;
	} else {
		for_each_set_bit(id, lp->llcs, topo->nr) {
			cpus = llc_usable_cpus(lp, &topo->llc[id], all_usable);
			capacity += cpus;
			least = min(least, cpus);
		}
		capacity = (capacity - min(capacity, least)) << SCHED_CAPACITY_SHIFT;
		lp->members = llc_prefer_average(lp->members, members);
		lp->waiting = llc_prefer_average(lp->waiting, waiting);
		lp->excess = llc_prefer_average(lp->excess, members - min(members, capacity));
	}
	if (lp->numa_yield != (all && yield == all))
		lp->numa_yield = !lp->numa_yield;
}

/*
 * Complete what is known of an LLC for a decision. Where the last scan did not look,
 * the load balancer's records of who is busy there have to do.
 */
static void llc_prefer_assess(struct llc_prefer *lp, const struct llc_topo *topo,
			      unsigned int id, bool all_usable)
{
	const struct llc_info *llc = &topo->llc[id];
	struct llc_load *load = &lp->load[id];
	struct sched_domain_shared *sds;
	unsigned long util, busy;
	unsigned int cpus;

	load->nid = llc->nid;
	cpus = llc_usable_cpus(lp, llc, all_usable);
	load->capacity = (unsigned long)cpus << SCHED_CAPACITY_SHIFT;

	if (load->stamp == lp->nr_scans)
		return;
	load->own = 0;
	load->others = 0;
	if (!llc->nr_cpus)
		return;
	sds = rcu_dereference_all(per_cpu(sd_llc_shared, cpumask_first(llc->cpus)));
	if (sds) {
		/* Both may be out of date, and then mostly say too much. */
		util = READ_ONCE(sds->util_avg);
		busy = (unsigned long)atomic_read(&sds->nr_busy_cpus) << SCHED_CAPACITY_SHIFT;
		load->others = min(util + util / 4, busy) * cpus / llc->nr_cpus;
	}
}

static bool llc_is_promised(const struct llc_info *llc, unsigned long now)
{
	return READ_ONCE(llc->promised) &&
	       time_before(now, READ_ONCE(llc->promised_at) + LLC_PREFER_PROMISE);
}

/*
 * One group at a time chooses, so that two do not run to the same room; another
 * tries again with its next scan. Whoever has the bit may use the masks.
 */
static unsigned long llc_prefer_choosing;
static struct {
	struct cpumask cur;	/* ids of LLCs, which are fewer than CPUs */
	struct cpumask next;	/* the same */
	struct cpumask from;	/* CPUs */
} llc_choice;

#define llc_choice_cur	cpumask_bits(&llc_choice.cur)
#define llc_choice_next	cpumask_bits(&llc_choice.next)

/* Find what is better than llc_choice_cur; see llc_prefer_pick(). */
static enum llc_prefer_reason llc_prefer_search(struct llc_prefer *lp,
						const struct llc_topo *topo,
						const struct llc_demand *demand,
						enum llc_prefer_reason lean)
{
	bool all_usable = cpumask_subset(cpu_active_mask, lp->usable);
	unsigned int id, tries = 4;
	unsigned long now = jiffies, others;
	enum llc_prefer_reason reason;
	bool wrong;

	for_each_set_bit(id, lp->allowed, topo->nr) {
		llc_prefer_assess(lp, topo, id, all_usable);
		if (!test_bit(id, llc_choice_cur) && llc_is_promised(&topo->llc[id], now))
			lp->load[id].others = max(lp->load[id].others,
						  READ_ONCE(topo->llc[id].promised));
	}

	/* Look at the CPUs of what was only known from records, before going there. */
	do {
		reason = llc_prefer_pick(lp->load, topo->nr, lp->allowed, llc_choice_cur,
					 demand, lean, llc_choice_next);
		wrong = false;
		for_each_andnot_bit(id, llc_choice_next, llc_choice_cur, topo->nr) {
			if (lp->load[id].stamp == lp->nr_scans)
				continue;
			others = llc_look(lp, &topo->llc[id], nr_cpu_ids).others;
			lp->load[id].stamp = lp->nr_scans;
			if (others > lp->load[id].others + SCHED_CAPACITY_SCALE / 2) {
				lp->load[id].others = others;
				wrong = true;
			}
		}
	} while (wrong && --tries);

	return reason;
}

/* Prefer what is in llc_choice_next, unless things changed since @resolved. */
static bool llc_prefer_commit(struct llc_prefer *lp, struct llc_topo *topo,
			      unsigned int resolved, unsigned long demand)
{
	unsigned long share, capacity = 0, now = jiffies;
	struct llc_info *llc;
	unsigned int id;

	guard(raw_spinlock_irqsave)(&lp->lock);

	/* The ids changed under us: a resolution is on its way or was just done. */
	if (topo != rcu_access_pointer(llc_topo) || lp->resolved != resolved)
		return false;

	for_each_set_bit(id, llc_choice_next, topo->nr)
		capacity += lp->load[id].capacity;
	for (id = 0; id < topo->nr; id++) {
		llc = &topo->llc[id];
		if (test_bit(id, llc_choice_next) == test_bit(id, llc_choice_cur))
			continue;
		WRITE_ONCE(llc->changed, now);
		if (!test_bit(id, llc_choice_next) || !capacity)
			continue;
		share = min(demand, capacity) * lp->load[id].capacity / capacity;
		/* Of what was promised before, the load has come in part. */
		if (llc_is_promised(llc, now))
			share += llc->promised * (llc->promised_at + LLC_PREFER_PROMISE - now) /
				 LLC_PREFER_PROMISE;
		WRITE_ONCE(llc->promised, share);
		WRITE_ONCE(llc->promised_at, now);
	}

	bitmap_copy(lp->llcs, llc_choice_next, nr_cpu_ids);
	llc_prefer_set_cpus(lp, topo);
	bitmap_zero(lp->full, nr_cpu_ids);
	lp->nr_moves++;
	return true;
}

/*
 * A group grows. If it shrank just before, its members may wait for what more LLCs do
 * not cure, such as each other on CPUs they are bound to: be slower the next time.
 */
static void llc_prefer_regret(struct llc_prefer *lp, unsigned long now)
{
	if (!lp->shrunk_at || time_after(now, lp->shrunk_at + 8 * LLC_PREFER_REGRET))
		lp->regret = 0;
	else if (time_before(now, lp->shrunk_at + (LLC_PREFER_REGRET << (lp->regret / 2))))
		lp->regret = min(lp->regret + 1, LLC_PREFER_REGRET_MAX);
}

/* Let a group choose, if it is time. Returns whether its choice changed. */
static bool llc_prefer_choose(struct llc_prefer *lp, struct llc_topo *topo,
			      unsigned long total)
{
	/*
	 * A scan takes place while a member runs and so finds one too many of those
	 * that seldom do; run time does not tell how many ran at a time. The lesser
	 * counts.
	 */
	struct llc_demand demand = {
		.running = min(lp->members, total),
		.waiting = lp->waiting,
		.excess = lp->excess,
	};
	unsigned long now = jiffies;
	bool all_usable = cpumask_subset(cpu_active_mask, lp->usable), changed = false;
	unsigned int id, resolved = READ_ONCE(lp->resolved);
	enum llc_prefer_reason lean;
	unsigned int patience;

	for_each_set_bit(id, lp->llcs, topo->nr)
		llc_prefer_assess(lp, topo, id, all_usable);

	lean = llc_prefer_lean(lp->load, topo->nr, lp->llcs, &demand, total);
	if (lean == LLC_PREFER_STAY) {
		lp->lead /= 2;
		return false;
	}
	if (lean != lp->leaning) {
		lp->leaning = lean;
		lp->lead = 0;
	}
	patience = llc_prefer_patience(lean);
	if (lean == LLC_PREFER_GROW)
		patience <<= lp->regret;
	if (++lp->lead < patience)
		return false;

	if (lean == LLC_PREFER_MOVE) {
		/* Somebody just came or left: see what that does first. */
		for_each_set_bit(id, lp->llcs, topo->nr) {
			if (time_before(now, READ_ONCE(topo->llc[id].changed) +
					LLC_PREFER_SETTLE))
				return false;
		}
	}
	/* Whoever has the bit must not be kept from giving it back. */
	guard(preempt)();
	if (test_and_set_bit_lock(0, &llc_prefer_choosing))
		return false;

	bitmap_copy(llc_choice_cur, lp->llcs, nr_cpu_ids);
	bitmap_zero(llc_choice_next, nr_cpu_ids);
	lean = llc_prefer_search(lp, topo, &demand, lean);
	lp->lead = 0;
	if (lean != LLC_PREFER_STAY) {
		cpumask_copy(&llc_choice.from, lp->cpus);
		changed = llc_prefer_commit(lp, topo, resolved, demand.running);
	}
	if (changed && lean == LLC_PREFER_SHRINK)
		lp->shrunk_at = now;
	if (changed && lean == LLC_PREFER_GROW)
		llc_prefer_regret(lp, now);
	if (changed)
		trace_sched_llc_prefer_choose(cgroup_id(lp->css->cgroup), &llc_choice.from,
					      lp->cpus, demand.running + demand.waiting, lean);

	clear_bit_unlock(0, &llc_prefer_choosing);
	return changed;
}

/*
 * A scan that takes long, as on a kernel that checks itself, or where the hypervisor
 * has taken the CPU away, must not be most of what members do.
 */
static void llc_prefer_rest(struct llc_prefer *lp, struct sched_cache_group *grp)
{
	u64 took = ktime_get_ns() - lp->last_scan;
	unsigned long rest = nsecs_to_jiffies(LLC_PREFER_SCAN_REST * took);

	if (rest > READ_ONCE(llc_epoch_period))
		WRITE_ONCE(grp->next_scan, jiffies + min(rest, LLC_PREFER_SCAN_MAX));
}

/*
 * Once an epoch, by whichever member gets here first: where does the group run,
 * is that where it should, and where should it?
 *
 * Context: return to user mode of @p, which is current.
 * Return: false if @p's cgroup does not decide for it.
 */
bool __llc_prefer_scan(struct task_struct *p)
{
	struct sched_cache_group *grp;
	unsigned long next, now = jiffies;
	unsigned long stray, total;
	struct llc_topo *topo;
	struct llc_prefer *lp;

	guard(rcu)();

	lp = __task_llc_prefer(p);
	if (!lp)
		return false;
	/* Pairs with the release in llc_prefer_alloc_group(). */
	grp = smp_load_acquire(&lp->grp);
	topo = rcu_dereference(llc_topo);
	if (!grp || !topo)
		return true;

	next = READ_ONCE(grp->next_scan);
	if (time_before(now, next) ||
	    !try_cmpxchg(&grp->next_scan, &next, now + max(READ_ONCE(llc_epoch_period), 1U)))
		return true;

	/* A scan that was preempted for an epoch may still be at it. */
	if (test_and_set_bit_lock(0, &lp->scanning))
		return true;

	llc_prefer_look(lp, topo, p, &stray, &total);

	if (lp->mode == LLC_PREFER_GROUP && total && llc_prefer_choose(lp, topo, total)) {
		WRITE_ONCE(lp->push_delay, LLC_PREFER_PUSH_MIN);
		WRITE_ONCE(lp->next_push, now);
		stray = total;
	}
	/* While there is no CPU for them, see with the next scan. */
	if (stray > total >> LLC_PREFER_STRAY_SHIFT &&
	    !bitmap_subset(lp->llcs, lp->full, nr_cpu_ids) &&
	    time_after_eq(now, READ_ONCE(lp->next_push)))
		llc_prefer_queue_push(lp);

	llc_prefer_rest(lp, grp);
	clear_bit_unlock(0, &lp->scanning);
	return true;
}

/* Push running members to their LLCs */

/**
 * llc_prefer_queue_push() - Move members to their LLCs soon.
 * @lp: The preference, or %NULL. If it is for no LLC now, this does nothing.
 *
 * Context: process context, RCU.
 */
void llc_prefer_queue_push(struct llc_prefer *lp)
{
	if (!lp || !READ_ONCE(lp->grp) || !sched_cache_enabled() ||
	    cpumask_empty(lp->cpus) || !css_tryget_online(lp->css))
		return;

	/* Both are dropped when the work is done. */
	if (refcount_inc_not_zero(&lp->ref)) {
		if (queue_work(system_dfl_wq, &lp->push))
			return;
		llc_prefer_put(lp);
	}
	css_put(lp->css);
}

/*
 * Push the members of one cgroup, until *@budget pushes were tried. Returns how
 * many moved.
 */
static unsigned int llc_prefer_push_css(struct llc_prefer *lp,
					struct cgroup_subsys_state *css,
					unsigned int *budget)
{
	struct css_task_iter it;
	struct task_struct *p;
	unsigned int moved = 0;

	css_task_iter_start(css, 0, &it);
	while (*budget && (p = css_task_iter_next(&it))) {
		int src, cpu = -1;

		/*
		 * All of this is a guess until the stopper holds the locks. A
		 * member that waits or runs on a CPU it does not prefer can go
		 * on at once on an idle one that it does.
		 */
		if (p->flags & (PF_KTHREAD | PF_EXITING) || !READ_ONCE(p->on_rq) ||
		    p->sched_class != &fair_sched_class || READ_ONCE(p->se.sched_delayed) ||
		    task_is_blocked(p) || task_has_sched_core(p))
			continue;
		scoped_guard (rcu) {
			if (__task_llc_prefer(p) == lp &&
			    !cpumask_test_cpu(task_cpu(p), lp->cpus))
				cpu = llc_prefer_idle_cpu(lp, p, READ_ONCE(p->preferred_llc));
		}
		if (cpu >= 0) {
			src = task_cpu(p);
			sched_push_task(p, cpu);
			if (task_cpu(p) == cpu) {
				llc_prefer_event(lp, LLC_PREFER_MIGRATIONS_IN);
				trace_sched_llc_prefer_steer(p, src, cpu,
							     LLC_PREFER_STEER_PUSH);
				moved++;
			}
			--*budget;
		}
		cond_resched();
	}
	css_task_iter_end(&it);
	return moved;
}

static void llc_prefer_push_work(struct work_struct *work)
{
	struct llc_prefer *lp = container_of(work, struct llc_prefer, push);
	struct cgroup_subsys_state *top = lp->css, *css;
	unsigned int budget = cpumask_weight(lp->cpus), moved = 0;
	unsigned long start = jiffies, delay;

	rcu_read_lock();
	css_for_each_descendant_pre(css, top) {
		if (!budget)
			break;
		if (rcu_access_pointer(css_llc_prefer(css)->eff) != lp ||
		    !css_tryget_online(css))
			continue;
		rcu_read_unlock();
		moved += llc_prefer_push_css(lp, css, &budget);
		rcu_read_lock();
		css_put(css);
	}
	rcu_read_unlock();

	/*
	 * Members that are pinned elsewhere: no use in hurrying. Nor should a walk
	 * over very many take more than a small part of the time.
	 */
	delay = moved ? LLC_PREFER_PUSH_MIN : min(2 * lp->push_delay, LLC_PREFER_PUSH_MAX);
	WRITE_ONCE(lp->push_delay, delay);
	WRITE_ONCE(lp->next_push, jiffies + max(delay, 16 * (jiffies - start)));

	llc_prefer_put(lp);
	css_put(top);
}

/* Sight */

/*
 * More tasks want to run on the preferred LLCs than they have CPUs. An average,
 * since a task that runs and one that woke for a moment are no crowd: time spent
 * runnable beyond what the CPUs have to give, by an eighth.
 */
static bool llc_prefer_crowded(struct llc_prefer *lp, const struct cpumask *usable)
{
	unsigned long capacity = 0, runnable = 0;
	int cpu;

	for_each_cpu_and(cpu, lp->cpus, usable) {
		capacity += SCHED_CAPACITY_SCALE;
		/* What an idle CPU has on record is old. */
		if (!available_idle_cpu(cpu))
			runnable += READ_ONCE(cpu_rq(cpu)->cfs.avg.runnable_avg);
	}
	return runnable > capacity + capacity / 8;
}

/**
 * llc_prefer_state() - Does a preference have an effect, and if not, why?
 * @lp: The preference, or %NULL where nobody states one.
 * @usable: The CPUs that the cgroup may use.
 *
 * Context: llc_prefer_mutex held.
 * Return: %LLC_PREFER_ACTIVE or the first reason against it that holds.
 */
enum llc_prefer_state llc_prefer_state(struct llc_prefer *lp,
				       const struct cpumask *usable)
{
	const struct llc_topo *topo;
	bool meets = false;
	unsigned int id;

	guard(rcu)();
	topo = llc_topo_get();

	if (!llc_topo_multi())
		return LLC_PREFER_SINGLE_LLC;
	if (!sched_cache_enabled())
		return LLC_PREFER_DISABLED;
	if (!lp || lp->mode == LLC_PREFER_OFF || lp->mode == LLC_PREFER_PROCESS)
		return LLC_PREFER_ACTIVE;
	if (!topo || bitmap_empty(lp->allowed, nr_cpu_ids))
		return LLC_PREFER_OFFLINE;

	for_each_set_bit(id, lp->allowed, topo->nr)
		meets |= cpumask_intersects(usable, topo->llc[id].cpus);
	if (!meets || (!cpumask_empty(lp->cpus) && !cpumask_intersects(usable, lp->cpus)))
		return LLC_PREFER_CPUSET;
	if (READ_ONCE(lp->numa_yield))
		return LLC_PREFER_NUMA;
	if (cpumask_empty(lp->cpus))
		return LLC_PREFER_IDLE;
	if (llc_prefer_crowded(lp, usable))
		return LLC_PREFER_CROWDED;
	return LLC_PREFER_ACTIVE;
}

/**
 * llc_prefer_stat_show() - Print what a group did since it was set up.
 * @sf: Where to.
 * @lp: The preference, or %NULL where nobody states one.
 *
 * Where there is no group all is 0.
 *
 * Context: llc_prefer_mutex held.
 */
void llc_prefer_stat_show(struct seq_file *sf, struct llc_prefer *lp)
{
	unsigned long nr[LLC_PREFER_NR_EVENTS] = { };
	u64 usage = 0, preferred = 0, cpu_usage, cpu_preferred;
	const struct llc_prefer_count *count;
	unsigned int i, start;
	int cpu;

	if (lp && !lp->grp)
		lp = NULL;

	for_each_possible_cpu(cpu) {
		if (!lp)
			break;
		count = per_cpu_ptr(lp->count, cpu);
		do {
			start = u64_stats_fetch_begin(&count->syncp);
			cpu_usage = u64_stats_read(&count->usage);
			cpu_preferred = u64_stats_read(&count->preferred);
		} while (u64_stats_fetch_retry(&count->syncp, start));
		usage += cpu_usage;
		preferred += cpu_preferred;
		for (i = 0; i < LLC_PREFER_NR_EVENTS; i++)
			nr[i] += READ_ONCE(count->nr[i]);
	}

	seq_printf(sf, "usage_usec %llu\n", div_u64(usage, NSEC_PER_USEC));
	seq_printf(sf, "preferred_usec %llu\n", div_u64(preferred, NSEC_PER_USEC));
	for (i = 0; i < LLC_PREFER_NR_EVENTS; i++)
		seq_printf(sf, "%s %lu\n", llc_prefer_event_name[i], nr[i]);
	seq_printf(sf, "nr_moves %u\n", lp ? READ_ONCE(lp->nr_moves) : 0);
	seq_printf(sf, "nr_llcs %u\n", lp ? bitmap_weight(lp->llcs, nr_cpu_ids) : 0);
}
