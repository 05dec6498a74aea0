/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sched

#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR sched_llc_prefer

#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE sched_llc_prefer

#if !defined(_TRACE_SCHED_LLC_PREFER_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SCHED_LLC_PREFER_H

#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/llc_prefer.h>
#include <linux/tracepoint.h>

/*
 * CPUs are kept as text, such as 0-7,16: an event can print one cpumask only. What
 * does not fit is cut off.
 */
#define LLC_PREFER_TRACE_LIST	96
#define llc_prefer_trace_list(text, mask)	\
	scnprintf(text, LLC_PREFER_TRACE_LIST, "%*pbl", cpumask_pr_args(mask))

/* A cgroup, by its id (the inode number of its directory), states something else. */
TRACE_EVENT(sched_llc_prefer_set,
	    TP_PROTO(u64 cgroup, const char *mode, const struct cpumask *wanted),
	    TP_ARGS(cgroup, mode, wanted),
	    TP_STRUCT__entry(__field(u64, cgroup)
			     __string(mode, mode)
			     __array(char, wanted, LLC_PREFER_TRACE_LIST)),
	    TP_fast_assign(__entry->cgroup = cgroup;
			   __assign_str(mode);
			   llc_prefer_trace_list(__entry->wanted, wanted);),
	    TP_printk("cgroup=%llu mode=%s wanted=%s",
		      __entry->cgroup, __get_str(mode), __entry->wanted)
);

TRACE_DEFINE_ENUM(LLC_PREFER_FIRST);
TRACE_DEFINE_ENUM(LLC_PREFER_GROW);
TRACE_DEFINE_ENUM(LLC_PREFER_SHRINK);
TRACE_DEFINE_ENUM(LLC_PREFER_MOVE);
TRACE_DEFINE_ENUM(LLC_PREFER_FOLLOW);

#define show_llc_prefer_reason(reason)			\
	__print_symbolic(reason,			\
		{ LLC_PREFER_FIRST,	"first" },	\
		{ LLC_PREFER_GROW,	"grow" },	\
		{ LLC_PREFER_SHRINK,	"shrink" },	\
		{ LLC_PREFER_MOVE,	"move" },	\
		{ LLC_PREFER_FOLLOW,	"follow" })

/* A group chose other LLCs: their CPUs before and after, demand in 1/1024 CPU. */
TRACE_EVENT(sched_llc_prefer_choose,
	    TP_PROTO(u64 cgroup, const struct cpumask *from, const struct cpumask *to,
		     unsigned long demand, unsigned int reason),
	    TP_ARGS(cgroup, from, to, demand, reason),
	    TP_STRUCT__entry(__field(u64, cgroup)
			     __array(char, from, LLC_PREFER_TRACE_LIST)
			     __array(char, to, LLC_PREFER_TRACE_LIST)
			     __field(unsigned long, demand)
			     __field(unsigned int, reason)),
	    TP_fast_assign(__entry->cgroup = cgroup;
			   llc_prefer_trace_list(__entry->from, from);
			   llc_prefer_trace_list(__entry->to, to);
			   __entry->demand = demand;
			   __entry->reason = reason;),
	    TP_printk("cgroup=%llu from=%s to=%s demand=%lu reason=%s",
		      __entry->cgroup, __entry->from, __entry->to, __entry->demand,
		      show_llc_prefer_reason(__entry->reason))
);

TRACE_DEFINE_ENUM(LLC_PREFER_STEER_WAKEUP);
TRACE_DEFINE_ENUM(LLC_PREFER_STEER_FORK);
TRACE_DEFINE_ENUM(LLC_PREFER_STEER_EXEC);
TRACE_DEFINE_ENUM(LLC_PREFER_STEER_PUSH);

#define show_llc_prefer_steer(kind)				\
	__print_symbolic(kind,					\
		{ LLC_PREFER_STEER_WAKEUP,	"wakeup" },	\
		{ LLC_PREFER_STEER_FORK,	"fork" },	\
		{ LLC_PREFER_STEER_EXEC,	"exec" },	\
		{ LLC_PREFER_STEER_PUSH,	"push" })

/* A task goes to a preferred LLC rather than to CPU from. */
TRACE_EVENT(sched_llc_prefer_steer,
	    TP_PROTO(struct task_struct *p, int from, int to, unsigned int kind),
	    TP_ARGS(p, from, to, kind),
	    TP_STRUCT__entry(__array(char, comm, TASK_COMM_LEN)
			     __field(pid_t, pid)
			     __field(int, from)
			     __field(int, to)
			     __field(unsigned int, kind)),
	    TP_fast_assign(memcpy(__entry->comm, p->comm, TASK_COMM_LEN);
			   __entry->pid = p->pid;
			   __entry->from = from;
			   __entry->to = to;
			   __entry->kind = kind;),
	    TP_printk("comm=%s pid=%d from=%d to=%d kind=%s",
		      __entry->comm, __entry->pid, __entry->from, __entry->to,
		      show_llc_prefer_steer(__entry->kind))
);

/* A task leaves CPU from on a preferred LLC, which is full, for CPU to elsewhere. */
TRACE_EVENT(sched_llc_prefer_spill,
	    TP_PROTO(struct task_struct *p, int from, int to),
	    TP_ARGS(p, from, to),
	    TP_STRUCT__entry(__array(char, comm, TASK_COMM_LEN)
			     __field(pid_t, pid)
			     __field(int, from)
			     __field(int, to)),
	    TP_fast_assign(memcpy(__entry->comm, p->comm, TASK_COMM_LEN);
			   __entry->pid = p->pid;
			   __entry->from = from;
			   __entry->to = to;),
	    TP_printk("comm=%s pid=%d from=%d to=%d",
		      __entry->comm, __entry->pid, __entry->from, __entry->to)
);

#endif /* _TRACE_SCHED_LLC_PREFER_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
