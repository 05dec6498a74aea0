// SPDX-License-Identifier: GPL-2.0
/*
 * cpu.llc_prefer: which last-level cache should a cgroup's tasks share?
 *
 * Tasks that work on the same data run faster while they share a last-level
 * cache (LLC). Cache aware scheduling gathers the threads of one process; who
 * runs a server of many processes, a pod or a virtual machine knows a better
 * group, and has already named it: it is a cgroup. cpu.llc_prefer says for the
 * fair-class tasks of a cgroup's subtree:
 *
 *   default        nothing; the nearest ancestor that states something decides
 *   group          they form one group, for which the kernel chooses the LLC
 *   group CPULIST  the same, choosing among the LLCs that contain these CPUs
 *   CPULIST        they prefer the LLCs that contain these CPUs
 *   process        per-process cache aware scheduling, as without this file
 *   off            no LLC preference of any kind
 *
 * An LLC is named by any of its CPUs. A CPU number exists on every architecture
 * and names the same cache before and after hot-plug, which neither the sysfs
 * id of a cache nor the scheduler's own LLC id does.
 *
 * It is a preference: cpuset, affinity and hot-plug bound it, and so a write
 * fails only for a value that could never be right. What has become of it is
 * told by cpu.llc_prefer.effective.
 *
 * A preference below a list is confined to that list: its LLCs are the
 * intersection with the ancestor's, or the ancestor's where the two do not
 * meet. This goes on below a cgroup that says "off" or "process".
 *
 * The value belongs to the cpu controller's state of the cgroup. It is lost, as
 * cpu.weight is, when the controller is switched off for the cgroup.
 *
 * This file has the files, the hierarchy and the translation of CPUs to LLCs.
 * What the scheduler does with the result is in kernel/sched/llc_prefer.c.
 */

#include <linux/bitmap.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/cpuset.h>
#include <linux/sched/llc_prefer.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/sched_llc_prefer.h>

/*
 * Serialises every change: of what is stated, of who decides where and of what
 * the LLC ids stand for. Innermost but for the locks of the scheduler:
 * cgroup_mutex, cpus_read_lock(), sched_domains_mutex, llc_prefer_mutex.
 */
static DEFINE_MUTEX(llc_prefer_mutex);

/* Cgroups that state something. */
static unsigned int llc_prefer_nr_stated;

static const char * const llc_prefer_mode_name[] = {
	[LLC_PREFER_DEFAULT]	= "default",
	[LLC_PREFER_OFF]	= "off",
	[LLC_PREFER_PROCESS]	= "process",
	[LLC_PREFER_GROUP]	= "group",
	[LLC_PREFER_LIST]	= "list",
};

static const char * const llc_prefer_state_name[] = {
	[LLC_PREFER_ACTIVE]	= "active",
	[LLC_PREFER_SINGLE_LLC]	= "single-llc",
	[LLC_PREFER_DISABLED]	= "disabled",
	[LLC_PREFER_OFFLINE]	= "offline",
	[LLC_PREFER_CPUSET]	= "cpuset",
	[LLC_PREFER_NUMA]	= "numa",
	[LLC_PREFER_IDLE]	= "idle",
	[LLC_PREFER_CROWDED]	= "crowded",
};

static struct llc_prefer *node_eff(struct llc_prefer_node *node)
{
	return rcu_dereference_protected(node->eff,
					 lockdep_is_held(&llc_prefer_mutex));
}

/*
 * The ids of the LLCs that contain the CPUs of @wanted. A CPU that is offline still
 * names the LLC that it was part of, by the CPU that stands for it.
 */
static void llc_prefer_list_ids(const struct cpumask *wanted,
				const struct llc_topo *topo, int (*mate_of)(int cpu),
				unsigned long *ids)
{
	unsigned int id;
	int cpu;

	bitmap_zero(ids, topo->nr);
	for (id = 0; id < topo->nr; id++) {
		if (!topo->llc[id].nr_cpus)
			continue;
		if (cpumask_intersects(wanted, topo->llc[id].cpus))
			__set_bit(id, ids);
	}
	for_each_cpu_andnot(cpu, wanted, cpu_active_mask) {
		for (id = 0; id < topo->nr; id++) {
			if (topo->llc[id].nr_cpus && topo->llc[id].mate == mate_of(cpu))
				__set_bit(id, ids);
		}
	}
}

/*
 * Confine @ids to @bound: to what is in both, or to @bound where nothing is. With
 * nothing in @ids, since the LLCs that were named are offline, it stays so.
 */
static void llc_prefer_confine(unsigned long *ids, const unsigned long *bound,
			       unsigned int nr)
{
	if (bitmap_empty(ids, nr))
		return;
	if (bitmap_intersects(ids, bound, nr))
		bitmap_and(ids, ids, bound, nr);
	else
		bitmap_copy(ids, bound, nr);
}

/**
 * llc_prefer_resolve() - Find the LLCs that a preference may use.
 * @lp: The preference.
 * @parent: What decides for the parent of the cgroup that states @lp, or %NULL.
 * @topo: The LLCs there are, or %NULL where there is only one.
 *
 * Context: llc_prefer_mutex held.
 */
static void llc_prefer_resolve(struct llc_prefer *lp,
			       const struct llc_prefer *parent,
			       const struct llc_topo *topo)
{
	/* The scan may read lp->allowed at any time: nothing half done in there. */
	static struct cpumask scratch;
	unsigned long *allowed = cpumask_bits(&scratch);
	unsigned int id;

	lockdep_assert_held(&llc_prefer_mutex);

	bitmap_zero(allowed, nr_cpu_ids);
	bitmap_zero(lp->bound, nr_cpu_ids);
	lp->bounded = parent && parent->bounded;

	if (!topo)
		goto publish;

	if (lp->listed) {
		llc_prefer_list_ids(lp->wanted, topo, llc_topo_mate, allowed);
	} else {
		for (id = 0; id < topo->nr; id++) {
			if (topo->llc[id].nr_cpus)
				__set_bit(id, allowed);
		}
	}

	if (lp->bounded) {
		bitmap_copy(lp->bound, parent->bound, topo->nr);
		llc_prefer_confine(allowed, lp->bound, topo->nr);
	}
	if (lp->listed && !bitmap_empty(allowed, topo->nr)) {
		bitmap_copy(lp->bound, allowed, topo->nr);
		lp->bounded = true;
	}

publish:
	llc_prefer_publish(lp, allowed, topo);
}

/**
 * llc_prefer_update_subtree() - Say anew who decides in a subtree, and for what.
 * @top: The topmost cgroup; its parent is up to date.
 *
 * Context: llc_prefer_mutex held. Takes and leaves the RCU read lock.
 */
static void llc_prefer_update_subtree(struct cgroup_subsys_state *top)
{
	const struct llc_topo *topo = llc_topo_get();
	struct cgroup_subsys_state *css;

	lockdep_assert_held(&llc_prefer_mutex);
	guard(rcu)();

	css_for_each_descendant_pre(css, top) {
		struct llc_prefer_node *node = css_llc_prefer(css);
		struct llc_prefer *parent = NULL;

		/* A dead cgroup would keep a pointer that is never updated again. */
		if (node->offline)
			continue;
		if (css->parent)
			parent = node_eff(css_llc_prefer(css->parent));
		if (node->own)
			llc_prefer_resolve(node->own, parent, topo);

		rcu_assign_pointer(node->eff, node->own ?: parent);

		/*
		 * Now rather than at the next balance: tasks may already run,
		 * and elsewhere. One push does for all that inherit.
		 */
		if (node->own || css == top)
			llc_prefer_queue_push(node->own ?: parent);
	}
}

/*
 * Put the scheduler's key and the table of LLCs in line with what is stated and,
 * if @new_topo, with the scheduler domains. Returns -ENOMEM, and then there is
 * no table and nothing is preferred.
 */
static int llc_prefer_update_used(bool new_topo)
{
	bool had = llc_topo_get();
	int ret = 0;

	lockdep_assert_cpus_held();
	lockdep_assert_held(&llc_prefer_mutex);

	if (new_topo || !llc_prefer_nr_stated || !llc_topo_get())
		ret = llc_topo_rebuild(llc_prefer_nr_stated);
	llc_prefer_key_set(llc_topo_get());
	/* For want of memory there was none at the last rebuild: catch up. */
	if (!had && llc_topo_get() && llc_prefer_nr_stated > 1)
		llc_prefer_update_subtree(init_css_set.subsys[cpu_cgrp_id]);
	return ret;
}

/*
 * Exchange what a cgroup states. Returns what it stated before; that may be
 * seen by readers until an RCU grace period has passed.
 */
static struct llc_prefer *llc_prefer_replace(struct cgroup_subsys_state *css,
					     struct llc_prefer *lp)
{
	struct llc_prefer_node *node = css_llc_prefer(css);
	struct llc_prefer *old = node->own;

	lockdep_assert_held(&llc_prefer_mutex);

	llc_prefer_nr_stated += !!lp;
	llc_prefer_nr_stated -= !!old;
	node->own = lp;
	return old;
}

/**
 * llc_prefer_css_online() - Let a new cgroup inherit.
 * @css: Its state of the cpu controller.
 *
 * Context: cgroup_mutex held.
 */
void llc_prefer_css_online(struct cgroup_subsys_state *css)
{
	if (!css->parent)
		return;

	guard(mutex)(&llc_prefer_mutex);
	rcu_assign_pointer(css_llc_prefer(css)->eff,
			   node_eff(css_llc_prefer(css->parent)));
}

/**
 * llc_prefer_css_offline() - Drop what a dying cgroup states.
 * @css: Its state of the cpu controller, which has no children left to inherit.
 *
 * Tasks that are still on their way out find no preference.
 *
 * Context: cgroup_mutex held.
 */
void llc_prefer_css_offline(struct cgroup_subsys_state *css)
{
	struct llc_prefer_node *node = css_llc_prefer(css);
	struct llc_prefer *old;

	scoped_guard (mutex, &llc_prefer_mutex) {
		node->offline = true;
		RCU_INIT_POINTER(node->eff, NULL);
	}

	/* The files are gone, so nobody writes: most cgroups are done here. */
	if (!node->own)
		return;

	cpus_read_lock();
	scoped_guard (mutex, &llc_prefer_mutex) {
		old = llc_prefer_replace(css, NULL);
		llc_prefer_update_used(false);
	}
	cpus_read_unlock();
	llc_prefer_put(old);
}

/**
 * llc_prefer_rebuild() - Translate every preference to the LLC ids as they are now.
 *
 * Called after the scheduler domains were built anew, for hot-plug or for a
 * cpuset partition: LLC ids may have come, gone or been given to another cache.
 *
 * Context: cpus_read_lock() or cpus_write_lock(), and sched_domains_mutex held.
 */
void llc_prefer_rebuild(void)
{
	struct cgroup_subsys_state *css, *root = init_css_set.subsys[cpu_cgrp_id];

	guard(mutex)(&llc_prefer_mutex);

	llc_topo_note_mates();
	if (!llc_prefer_nr_stated)
		return;

	/* Without memory for the table nothing is preferred until the next rebuild. */
	if (llc_prefer_update_used(true))
		pr_warn("llc_prefer: no memory to follow the new topology\n");

	/*
	 * A cgroup that stated something on a machine with one LLC has no group
	 * yet. Allocating sleeps, so it cannot be done under RCU; css's that
	 * are online stay while llc_prefer_mutex keeps them from going offline.
	 */
	rcu_read_lock();
	css_for_each_descendant_pre(css, root) {
		struct llc_prefer *lp = css_llc_prefer(css)->own;

		if (!lp)
			continue;
		rcu_read_unlock();
		if (llc_prefer_alloc_group(lp))
			pr_warn("llc_prefer: no memory for the group of a cgroup\n");
		rcu_read_lock();
	}
	rcu_read_unlock();

	llc_prefer_update_subtree(root);
}

/*
 * Read a value. @buf is changed. Returns the mode, and in @cpus the list with
 * it, empty if there is none; -ERANGE for a CPU past the last possible one,
 * -EINVAL for everything else that is not a value.
 */
static int llc_prefer_parse(char *buf, struct cpumask *cpus)
{
	int mode = LLC_PREFER_LIST;
	char *list;
	int ret;

	cpumask_clear(cpus);
	buf = strstrip(buf);

	/* The list parser would stop here and drop what follows. */
	if (strchr(buf, '\n'))
		return -EINVAL;
	if (!strcmp(buf, "default"))
		return LLC_PREFER_DEFAULT;
	if (!strcmp(buf, "off"))
		return LLC_PREFER_OFF;
	if (!strcmp(buf, "process"))
		return LLC_PREFER_PROCESS;
	if (!strcmp(buf, "group"))
		return LLC_PREFER_GROUP;

	list = buf;
	if (str_has_prefix(buf, "group") && isspace(buf[strlen("group")])) {
		mode = LLC_PREFER_GROUP;
		list = skip_spaces(buf + strlen("group"));
	}

	ret = cpulist_parse(list, cpus);
	if (ret)
		return ret == -ERANGE ? -ERANGE : -EINVAL;
	if (cpumask_empty(cpus) || !cpumask_subset(cpus, cpu_possible_mask))
		return -EINVAL;

	return mode;
}

static bool llc_prefer_same(const struct llc_prefer *lp, int mode,
			    const struct cpumask *cpus)
{
	if (!lp)
		return mode == LLC_PREFER_DEFAULT;

	return lp->mode == mode && cpumask_equal(lp->wanted, cpus);
}

static int llc_prefer_set(struct cgroup_subsys_state *css, int mode,
			  const struct cpumask *cpus)
{
	struct llc_prefer *new = NULL, *old = NULL;
	int ret = 0;

	if (mode != LLC_PREFER_DEFAULT) {
		new = llc_prefer_alloc(css, mode, cpus);
		if (!new)
			return -ENOMEM;
	}

	cpus_read_lock();
	mutex_lock(&llc_prefer_mutex);

	if (llc_prefer_same(css_llc_prefer(css)->own, mode, cpus)) {
		old = new;
		goto unlock;
	}
	if (new) {
		ret = llc_prefer_alloc_group(new);
		if (ret) {
			old = new;
			goto unlock;
		}
	}

	old = llc_prefer_replace(css, new);
	ret = llc_prefer_update_used(false);
	if (ret) {
		old = llc_prefer_replace(css, old);
		llc_prefer_update_used(false);
		goto unlock;
	}
	llc_prefer_update_subtree(css);
	trace_sched_llc_prefer_set(cgroup_id(css->cgroup), llc_prefer_mode_name[mode], cpus);
unlock:
	mutex_unlock(&llc_prefer_mutex);
	cpus_read_unlock();

	llc_prefer_put(old);
	return ret;
}

static ssize_t llc_prefer_write(struct kernfs_open_file *of, char *buf,
				size_t nbytes, loff_t off)
{
	cpumask_var_t cpus;
	int mode, ret;

	/* A NUL would hide what follows it. */
	if (strlen(buf) != nbytes)
		return -EINVAL;
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;

	mode = llc_prefer_parse(buf, cpus);
	ret = mode < 0 ? mode : llc_prefer_set(of_css(of), mode, cpus);

	free_cpumask_var(cpus);
	return ret ?: nbytes;
}

static int llc_prefer_show(struct seq_file *sf, void *v)
{
	struct llc_prefer *lp;

	guard(mutex)(&llc_prefer_mutex);

	lp = css_llc_prefer(seq_css(sf))->own;
	if (!lp)
		seq_puts(sf, llc_prefer_mode_name[LLC_PREFER_DEFAULT]);
	else if (lp->mode == LLC_PREFER_LIST)
		seq_printf(sf, "%*pbl", cpumask_pr_args(lp->wanted));
	else if (lp->listed)
		seq_printf(sf, "%s %*pbl", llc_prefer_mode_name[lp->mode],
			   cpumask_pr_args(lp->wanted));
	else
		seq_puts(sf, llc_prefer_mode_name[lp->mode]);
	seq_putc(sf, '\n');
	return 0;
}

static int llc_prefer_effective_show(struct seq_file *sf, void *v)
{
	struct cgroup_subsys_state *css = seq_css(sf);
	enum llc_prefer_mode mode = LLC_PREFER_PROCESS;
	cpumask_var_t usable;
	struct llc_prefer *lp;

	if (!alloc_cpumask_var(&usable, GFP_KERNEL))
		return -ENOMEM;
	cpuset_cpus_effective(css->cgroup, usable);

	scoped_guard (mutex, &llc_prefer_mutex) {
		lp = node_eff(css_llc_prefer(css));
		if (lp)
			mode = lp->mode;

		seq_printf(sf, "mode %s\n", llc_prefer_mode_name[mode]);
		seq_printf(sf, "cpus %*pbl\n",
			   cpumask_pr_args(lp ? lp->cpus : cpu_none_mask));
		seq_printf(sf, "state %s\n",
			   llc_prefer_state_name[llc_prefer_state(lp, usable)]);
	}

	free_cpumask_var(usable);
	return 0;
}

static int llc_prefer_stat_file_show(struct seq_file *sf, void *v)
{
	guard(mutex)(&llc_prefer_mutex);

	llc_prefer_stat_show(sf, node_eff(css_llc_prefer(seq_css(sf))));
	return 0;
}

static struct cftype llc_prefer_files[] = {
	{
		.name = "llc_prefer",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = llc_prefer_show,
		.write = llc_prefer_write,
	},
	{
		.name = "llc_prefer.effective",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = llc_prefer_effective_show,
	},
	{
		.name = "llc_prefer.stat",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = llc_prefer_stat_file_show,
	},
	{ }	/* terminate */
};

static int __init llc_prefer_init(void)
{
	return cgroup_add_dfl_cftypes(&cpu_cgrp_subsys, llc_prefer_files);
}
subsys_initcall(llc_prefer_init);

#ifdef CONFIG_CGROUP_LLC_PREFER_KUNIT_TEST
#include "llc_prefer_test.c"
#endif
