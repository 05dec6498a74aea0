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
 * The policy is five questions, each a function without locks:
 *
 *   llc_prefer_pick()	which LLC does a group choose?
 *   llc_prefer_home()	which LLC of its preference is a task's own?
 *   llc_prefer_forbids()	may the balancer move this task there?
 *   __llc_prefer_wake()	where does a waking task look for an idle CPU?
 *   llc_prefer_idle_cpu()	where can a task be pushed to at once?
 */

#include "sched.h"
#include "llc_prefer.h"

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

/* A group moves to where it runs most once that was so for this many scans on end. */
#define LLC_PREFER_LEAD		20

/* Members count as off their LLCs when more than 1/16 of their run time is. */
#define LLC_PREFER_STRAY_SHIFT	4

/**
 * struct llc_load - what a scan found of one LLC
 * @own: recent run time of the group there, in nsec; a CPU that it had to
 *	 itself counts twice the epoch
 * @util: utilisation of the LLC by everybody, 0 to @capacity, as of the last
 *	  periodic load balance
 * @capacity: what its CPUs have to give
 */
struct llc_load {
	u64		own;
	unsigned long	util;
	unsigned long	capacity;
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
 * Context: llc_prefer_mutex and CPU hot-plug held.
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
	kvfree(lp->load);
	bitmap_free(lp->visited);
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
	if (!zalloc_cpumask_var(&lp->wanted, GFP_KERNEL) ||
	    !zalloc_cpumask_var(&lp->cpus, GFP_KERNEL) ||
	    !lp->llcs || !lp->allowed || !lp->bound) {
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

	if (lp->grp || !llc_topo_multi())
		return 0;
	if (lp->mode != LLC_PREFER_GROUP && lp->mode != LLC_PREFER_LIST)
		return 0;

	if (!lp->load)
		lp->load = kvcalloc(nr_cpu_ids, sizeof(*lp->load), GFP_KERNEL);
	if (!lp->visited)
		lp->visited = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	if (!lp->load || !lp->visited)
		return -ENOMEM;

	grp = sched_cache_group_alloc();
	if (!grp)
		return -ENOMEM;

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
 * A list prefers all of it. A group keeps the LLC it chose, by its CPUs, as
 * long as that is allowed, and else chooses again.
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
	lp->rival = -1;
	lp->push_delay = LLC_PREFER_PUSH_MIN;
	lp->next_push = jiffies;
}

/* Policy */

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

/**
 * llc_prefer_pick() - Which LLC does a group choose?
 * @load: What the scan found, by LLC id.
 * @nr: Length of @load.
 * @allowed: The ids to choose among.
 * @cur: The id chosen before, or -1.
 *
 *   chosen before   the group's run time elsewhere      choice
 *   yes             more than twice that on @cur        where it ran most
 *   yes             else                                @cur
 *   no              some on an allowed LLC              where it ran most
 *   no              none on an allowed LLC              the one with most room
 *
 * Twice the run time means at least one more busy CPU there than here, which is
 * the hysteresis of cache aware scheduling. Among equals the one with more room
 * is chosen, then the lower id.
 *
 * Return: An id from @allowed, or -1 if there is none.
 */
static int llc_prefer_pick(const struct llc_load *load, unsigned int nr,
			   const unsigned long *allowed, int cur)
{
	unsigned long room, best_room = 0;
	unsigned int id;
	int best = -1;

	for_each_set_bit(id, allowed, nr) {
		if (!load[id].capacity)
			continue;
		room = load[id].capacity - min(load[id].util, load[id].capacity);
		if (best < 0 || load[id].own > load[best].own ||
		    (load[id].own == load[best].own && room > best_room)) {
			best = id;
			best_room = room;
		}
	}

	if (best >= 0 && cur >= 0 && cur < nr && test_bit(cur, allowed) &&
	    load[cur].capacity && load[best].own <= 2 * load[cur].own)
		return cur;
	return best;
}

/*
 * Which LLC is @p's own? The one it is on, if that is preferred, so that it
 * moves freely inside the preference; else the one it had, else any with a CPU
 * that @p may use. -1 where affinity or NUMA balancing leaves none, and for
 * tasks that are not the cgroup's to place.
 *
 * Context: @p's rq lock or pi_lock held.
 */
static int llc_prefer_home(struct llc_prefer *lp, struct task_struct *p)
{
	int i, cpu = task_cpu(p), old = p->preferred_llc;
	const struct llc_topo *topo;

	/* Core scheduling decides where a task with a cookie runs. */
	if (task_has_sched_core(p))
		return -1;

	if (cpumask_test_cpu(cpu, lp->cpus) && llc_prefer_numa_ok(p, cpu))
		return llc_of(cpu);

	if (!cpumask_intersects(lp->cpus, p->cpus_ptr))
		return -1;

	topo = rcu_dereference_all(llc_topo);
	if (topo && old >= 0 && old < topo->nr && test_bit(old, lp->llcs)) {
		i = cpumask_first_and(topo->llc[old].cpus, p->cpus_ptr);
		if (i < nr_cpu_ids && llc_prefer_numa_ok(p, i))
			return old;
	}

	/* Start anywhere, so that tasks that come from outside spread over the set. */
	for_each_cpu_wrap(i, lp->cpus, reciprocal_scale(hash_32(p->pid, 32), nr_cpu_ids)) {
		if (cpumask_test_cpu(i, p->cpus_ptr) && llc_prefer_numa_ok(p, i))
			return llc_of(i);
	}
	return -1;
}

/*
 * An idle CPU of @cpu's LLC that @p may use, @cpu first, or -1. This is where an
 * LLC is found full: looked up now, since a utilisation or a count of busy CPUs
 * lags behind by a tick or more, and bounded by the size of an LLC.
 *
 * Context: RCU.
 */
static int llc_idle_cpu(struct task_struct *p, int cpu)
{
	struct sched_domain *sd = rcu_dereference_all(per_cpu(sd_llc, cpu));
	int i;

	if (!sd)
		return -1;

	for_each_cpu_wrap(i, sched_domain_span(sd), cpu) {
		if (available_idle_cpu(i) && cpumask_test_cpu(i, p->cpus_ptr))
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
 *   a preferred LLC       no              yes, unless it waits and its LLC is full
 *   any other LLC         no              no
 *
 * An LLC is full when none of its CPUs that @p may use is idle: it holds as many
 * running tasks as it has CPUs. A task that waits, on a full LLC, goes wherever
 * the balancer finds room; so does one that NUMA balancing wants there.
 *
 * Context: @src_cpu's rq lock held.
 */
bool llc_prefer_forbids(struct task_struct *p, int src_cpu, int dst_cpu)
{
	struct llc_prefer *lp = __task_llc_prefer(p);

	if (!lp || !llc_prefer_leaves(lp, p, src_cpu, dst_cpu))
		return false;

	return llc_idle_cpu(p, src_cpu) >= 0;
}

/*
 * The same question for the task that runs on @rq, which active balance would
 * move to @dst_cpu, without @rq's lock. What waits behind it can go instead, or
 * to the idle CPU of the LLC.
 */
bool __llc_prefer_keeps(struct rq *rq, int dst_cpu)
{
	struct task_struct *p;
	struct llc_prefer *lp;

	guard(rcu)();

	p = rcu_dereference_all(rq->curr);
	if (!p || p->sched_class != &fair_sched_class)
		return false;
	lp = __task_llc_prefer(p);
	if (!lp || !llc_prefer_leaves(lp, p, cpu_of(rq), dst_cpu))
		return false;

	return READ_ONCE(rq->nr_running) <= 1 || llc_idle_cpu(p, cpu_of(rq)) >= 0;
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
		    __task_llc_prefer(p))
			return true;
	}
	return false;
}

/*
 * Where should the search for an idle CPU for @p, which wakes, begin? On its home
 * LLC if there is an idle CPU, and there where it was if that is on it; else at
 * @target, where it would have begun without a preference. On a machine with
 * CPUs of different capacity the search does not end with an LLC: leave it.
 *
 * Context: @p's pi_lock held, RCU.
 */
int __llc_prefer_wake(struct task_struct *p, int prev_cpu, int target)
{
	struct llc_prefer *lp = __task_llc_prefer(p);
	const struct llc_topo *topo;
	int home, cpu = prev_cpu;

	if (!lp || sched_asym_cpucap_active() || cpumask_test_cpu(target, lp->cpus))
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
	cpu = llc_idle_cpu(p, cpu);
	return cpu < 0 ? target : cpu;
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
 * Where can @p run at once on an LLC that it prefers? On its home LLC first and
 * on an idle core first, never on a CPU with less capacity or, where the machine
 * packs asymmetrically, of lower priority. -1 if nowhere.
 */
static int llc_prefer_idle_cpu(struct llc_prefer *lp, struct task_struct *p)
{
	int cpu, src = task_cpu(p), home = READ_ONCE(p->preferred_llc);
	int best = -1, rank, best_rank = -1;

	for_each_cpu_and(cpu, lp->cpus, p->cpus_ptr) {
		if (!available_idle_cpu(cpu) || !llc_prefer_numa_ok(p, cpu))
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

/* Called by the fair class */

bool __llc_prefer_account(struct rq *rq, struct task_struct *p, s64 delta_exec)
{
	struct llc_prefer *lp = __task_llc_prefer(p);
	struct sched_cache_group *grp;
	int id = llc_of(cpu_of(rq));

	if (!lp)
		return false;

	/* Pairs with the release in llc_prefer_alloc_group(). */
	grp = smp_load_acquire(&lp->grp);
	if (grp) {
		sched_cache_account(rq, grp, delta_exec);
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

/* Look where the group of @lp ran. Returns its run time off its LLCs and in all. */
static void llc_prefer_look(struct llc_prefer *lp, struct sched_cache_group *grp,
			    const struct llc_topo *topo, u64 *stray, u64 *total)
{
	unsigned int id, nr_members = 0, nr_yield = 0;
	int cpu, first = cpumask_first(lp->cpus);

	*stray = 0;
	*total = 0;

	/* Only where it ran: the cost must not grow with the machine. */
	for_each_set_bit(id, lp->visited, nr_cpu_ids) {
		u64 own = 0;

		if (id >= topo->nr) {
			clear_bit(id, lp->visited);
			continue;
		}
		for_each_cpu(cpu, topo->llc[id].cpus) {
			struct task_struct *cur;

			own += sched_cache_runtime(cpu_rq(cpu),
						   per_cpu_ptr(grp->pcpu_sched, cpu));

			cur = rcu_dereference_all(cpu_rq(cpu)->curr);
			if (cur && __task_llc_prefer(cur) == lp) {
				nr_members++;
				nr_yield += first < nr_cpu_ids &&
					    READ_ONCE(cur->preferred_llc) < 0 &&
					    !llc_prefer_numa_ok(cur, first);
			}
		}
		lp->load[id].own = own;
		*total += own;
		if (!test_bit(id, lp->llcs))
			*stray += own;
		/* A member that runs there again sets it again. */
		if (!own)
			clear_bit(id, lp->visited);
	}

	lp->numa_yield = nr_members && nr_yield == nr_members;
}

/* Let a group choose. Returns whether its choice changed. */
static bool llc_prefer_choose(struct llc_prefer *lp, const struct llc_topo *topo,
			      struct task_struct *p)
{
	unsigned int id;
	int cur, next;

	for (id = 0; id < topo->nr; id++) {
		struct sched_domain_shared *sds = NULL;

		lp->load[id].util = 0;
		lp->load[id].capacity = topo->llc[id].nr_cpus << SCHED_CAPACITY_SHIFT;
		if (topo->llc[id].nr_cpus)
			sds = rcu_dereference_all(per_cpu(sd_llc_shared,
							  cpumask_first(topo->llc[id].cpus)));
		if (sds)
			lp->load[id].util = READ_ONCE(sds->util_avg);
		if (!test_bit(id, lp->visited))
			lp->load[id].own = 0;
	}

	guard(raw_spinlock_irqsave)(&lp->lock);

	/* The ids changed under us: a resolution is on its way or was just done. */
	if (topo != rcu_access_pointer(llc_topo))
		return false;

	cur = find_first_bit(lp->llcs, nr_cpu_ids);
	if (cur >= nr_cpu_ids)
		cur = -1;
	next = llc_prefer_pick(lp->load, topo->nr, lp->allowed, cur);
	if (next >= 0 && !lp->load[next].own) {
		/* The group ran on none of them: then on one that it can use. */
		for_each_set_bit(id, lp->allowed, topo->nr) {
			if (!cpumask_intersects(topo->llc[id].cpus, p->cpus_ptr))
				lp->load[id].capacity = 0;
		}
		next = llc_prefer_pick(lp->load, topo->nr, lp->allowed, cur);
	}
	if (next != lp->rival) {
		lp->rival = next;
		lp->lead = 0;
	}
	if (next == cur || next < 0)
		return false;
	/*
	 * A short excursion is no reason for all to move, and after all CPUs
	 * stood still, as those of a virtual machine may, little decides.
	 */
	if (cur >= 0 && ++lp->lead < LLC_PREFER_LEAD)
		return false;

	bitmap_zero(lp->llcs, nr_cpu_ids);
	__set_bit(next, lp->llcs);
	llc_prefer_set_cpus(lp, topo);
	return true;
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
	const struct llc_topo *topo;
	struct llc_prefer *lp;
	u64 stray, total;

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

	llc_prefer_look(lp, grp, topo, &stray, &total);

	if (lp->mode == LLC_PREFER_GROUP && total && llc_prefer_choose(lp, topo, p)) {
		WRITE_ONCE(lp->push_delay, LLC_PREFER_PUSH_MIN);
		WRITE_ONCE(lp->next_push, now);
		stray = total;
	}
	if (stray > total >> LLC_PREFER_STRAY_SHIFT &&
	    time_after_eq(now, READ_ONCE(lp->next_push)))
		llc_prefer_queue_push(lp);

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
		int cpu = -1;

		/*
		 * All of this is a guess until the stopper holds the locks. A
		 * member that waits or runs on a CPU it does not prefer can go
		 * on at once on an idle one that it does.
		 */
		if (p->flags & (PF_KTHREAD | PF_EXITING) || !READ_ONCE(p->on_rq) ||
		    p->sched_class != &fair_sched_class ||
		    task_is_blocked(p) || task_has_sched_core(p))
			continue;
		scoped_guard (rcu) {
			if (__task_llc_prefer(p) == lp &&
			    !cpumask_test_cpu(task_cpu(p), lp->cpus))
				cpu = llc_prefer_idle_cpu(lp, p);
		}
		if (cpu >= 0) {
			sched_push_task(p, cpu);
			moved += task_cpu(p) == cpu;
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

	/* Members that are pinned elsewhere, or a full LLC: no use in hurrying. */
	if (moved)
		WRITE_ONCE(lp->push_delay, LLC_PREFER_PUSH_MIN);
	else
		WRITE_ONCE(lp->push_delay, min(2 * lp->push_delay, LLC_PREFER_PUSH_MAX));
	WRITE_ONCE(lp->next_push, jiffies + lp->push_delay);

	llc_prefer_put(lp);
	css_put(top);
}

/* Sight */

/*
 * More tasks want to run on the preferred LLCs than they have CPUs. An average,
 * since a task that runs and one that woke for a moment are no crowd: time spent
 * runnable beyond what the CPUs have to give, by an eighth.
 */
static bool llc_prefer_crowded(struct llc_prefer *lp)
{
	unsigned long capacity, runnable = 0;
	int cpu;

	for_each_cpu(cpu, lp->cpus) {
		/* What an idle CPU has on record is old. */
		if (!available_idle_cpu(cpu))
			runnable += READ_ONCE(cpu_rq(cpu)->cfs.avg.runnable_avg);
	}
	capacity = cpumask_weight(lp->cpus) * SCHED_CAPACITY_SCALE;
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
	if (llc_prefer_crowded(lp))
		return LLC_PREFER_CROWDED;
	return LLC_PREFER_ACTIVE;
}
