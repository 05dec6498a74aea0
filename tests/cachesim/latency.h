/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an access costs, on the machines that are modelled. One run of the model
 * is priced by every table.
 */
#ifndef TESTS_CACHESIM_LATENCY_H
#define TESTS_CACHESIM_LATENCY_H

#include "model.h"

struct latency {
	const char	*name;
	double		instruction;		/* ns, loads that hit L1 included */
	double		load[WHERE_NR];		/* ns more, by where a load found its data */
};

/*
 * Stores cost an instruction and no more: a store buffer hides what they wait
 * for, except where it fills. A locked instruction's load is a load. Both make
 * the model spare what placement could save.
 *
 * Two instructions a cycle at 3.4 GHz is an assumption. From AnandTech, "AMD
 * Rome Second Generation EPYC Review" (2019), memory latency of an EPYC 7742 at
 * 3.4 GHz: L2 13 cycles, LLC 10.27 ns on average, 128 MiB at random 122 ns. From
 * the measurements that this project began with, core to core on an EPYC 7453:
 * 24 to 30 ns inside a CCX, about 225 ns across. What another LLC has clean
 * comes from memory on these machines. Memory of the other socket: assumed to
 * cost what a transfer from another LLC does.
 *
 * "mild" is the same machine if a line came from another LLC at the price of
 * memory: steps as small as they can be where memory is all that LLCs share.
 * "overlap" is the first if four misses were always under way at once.
 */
#define INSTRUCTION	(0.5 / 3.4)
#define L2		(13 / 3.4)
#define LLC		10.27
#define IN_LLC		27.0
#define ACROSS		225.0
#define DRAM		122.0

/* Of the machine above, with this for a dirty line, and so many misses under way. */
#define TABLE(table, dirty, at_once) {						\
	.name = table,								\
	.instruction = INSTRUCTION,						\
	.load = {								\
		[HIT_L2] = L2 / (at_once), [HIT_LLC] = LLC / (at_once),		\
		[PEER] = IN_LLC / (at_once), [REMOTE_CLEAN] = DRAM / (at_once),	\
		[REMOTE_DIRTY] = (dirty) / (at_once), [REMOTE_UPGRADE] = 0,	\
		[MEMORY] = DRAM / (at_once), [MEMORY_FAR] = ACROSS / (at_once),	\
	},									\
}

static const struct latency latencies[] = {
	TABLE("epyc", ACROSS, 1),
	TABLE("mild", DRAM, 1),
	TABLE("overlap", ACROSS, 4),
};

#define NR_LATENCIES	(sizeof(latencies) / sizeof(latencies[0]))

#undef TABLE
#undef INSTRUCTION
#undef L2
#undef LLC
#undef IN_LLC
#undef ACROSS
#undef DRAM

#endif
