// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests: which LLCs does a group want, and which does it get? Cases in whole
 * CPUs, for LLCs that no machine at hand has as well.
 */

#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/sched.h>

#include "llc_prefer_policy.h"

#define CPU	SCHED_CAPACITY_SCALE
#define MAX_LLCS	8

/* One LLC of a case: CPUs, of them run by the group and by others, node. */
struct spec {
	unsigned int capacity, own, others;
	int nid;
};

struct policy_case {
	const char *name;
	struct spec llc[MAX_LLCS];
	unsigned int nr;
	unsigned long allowed, cur;
	unsigned int demand;	/* in quarters of a CPU */
	enum llc_prefer_reason lean, reason;
	unsigned long next;
	unsigned int waiting, excess;	/* in quarters of a CPU */
};

#define Q(cpus)	(4 * (cpus))

static const struct policy_case cases[] = {
	/* The first choice */
	{ "one LLC holds it: where it runs most",
	  { { 4, 1, 0 }, { 4, 2, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(3),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(1) },
	{ "room comes before where it runs",
	  { { 4, 1, 0 }, { 4, 2, 2 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(3),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) },
	{ "among idle ones the lowest",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(1),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) },
	{ "only what is allowed",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xc, 0, Q(1),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(2) },
	{ "nothing allowed, nothing chosen",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0, 0, Q(1),
	  LLC_PREFER_FIRST, LLC_PREFER_STAY, 0 },
	{ "exactly an LLC",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(4),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) },
	{ "a task more takes two",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(5),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) | BIT(1) },
	{ "half a CPU more takes two",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(4) + 2,
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) | BIT(1) },
	{ "a quarter of a CPU more does not",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(4) + 1,
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) },
	{ "more than there is takes all",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0, Q(40),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, 0xf },
	{ "all full: the first, as many as its size asks for",
	  { { 4, 0, 4 }, { 4, 0, 4 }, { 4, 0, 4 }, { 4, 0, 4 } }, 4, 0xf, 0, Q(3),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) },
	{ "two on one node rather than on two",
	  { { 4, 0, 0, 0 }, { 4, 0, 0, 0 }, { 4, 0, 0, 1 }, { 4, 0, 0, 1 } }, 4, 0xf, 0, Q(8),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) | BIT(1) },
	{ "the node with room",
	  { { 4, 0, 3, 0 }, { 4, 0, 3, 0 }, { 4, 0, 1, 1 }, { 4, 0, 1, 1 } }, 4, 0xf, 0, Q(6),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(2) | BIT(3) },
	{ "LLCs of unequal size: one that holds it",
	  { { 2, 0, 0 }, { 8, 0, 0 }, { 4, 0, 0 } }, 3, 0x7, 0, Q(6),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(1) },
	{ "an id that is not in use", { { 0, 0, 0 }, { 4, 0, 0 } }, 2, 0x3, 0, Q(1),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(1) },
	{ "LLCs of one CPU",
	  { { 1, 0, 0 }, { 1, 0, 1 }, { 1, 0, 0 }, { 1, 1, 0 } }, 4, 0xf, 0, Q(3),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(0) | BIT(2) | BIT(3) },
	{ "had one that members may not use any more",
	  { { 0, 0, 0 }, { 4, 0, 0 } }, 2, 0x3, BIT(0), Q(1),
	  LLC_PREFER_FIRST, LLC_PREFER_FIRST, BIT(1) },

	/* Growth */
	{ "holds it", { { 4, 4, 0 }, { 4, 0, 0 } }, 2, 0x3, BIT(0), Q(4),
	  LLC_PREFER_STAY, LLC_PREFER_STAY, BIT(0) },
	{ "a quarter more is held", { { 4, 4, 0 }, { 4, 0, 0 } }, 2, 0x3, BIT(0), Q(4) + 1,
	  LLC_PREFER_STAY, LLC_PREFER_STAY, BIT(0) },
	{ "grows by one", { { 4, 0, 0 }, { 4, 4, 0 }, { 4, 0, 0 } }, 3, 0x7, BIT(1), Q(5),
	  LLC_PREFER_GROW, LLC_PREFER_GROW, BIT(0) | BIT(1) },
	{ "grows by as many as it takes",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, BIT(3), Q(12),
	  LLC_PREFER_GROW, LLC_PREFER_GROW, 0xb },
	{ "grows where it spilled to", { { 4, 4, 0 }, { 4, 0, 0 }, { 4, 1, 0 } }, 3, 0x7,
	  BIT(0), Q(5), LLC_PREFER_GROW, LLC_PREFER_GROW, BIT(0) | BIT(2) },
	{ "grows on its node",
	  { { 4, 0, 0, 0 }, { 4, 0, 0, 0 }, { 4, 0, 0, 1 }, { 4, 0, 0, 1 } }, 4, 0xf, BIT(3), Q(8),
	  LLC_PREFER_GROW, LLC_PREFER_GROW, BIT(2) | BIT(3) },
	{ "leaves its node when that is full",
	  { { 4, 0, 0, 0 }, { 4, 0, 0, 0 }, { 4, 4, 0, 1 }, { 4, 0, 4, 1 } }, 4, 0xf, BIT(2),
	  Q(8), LLC_PREFER_GROW, LLC_PREFER_GROW, BIT(0) | BIT(2) },
	{ "members wait for each other", { { 4, 4, 0 }, { 4, 0, 0 } }, 2, 0x3, BIT(0),
	  Q(3), LLC_PREFER_GROW, LLC_PREFER_GROW, BIT(0) | BIT(1), .waiting = Q(1) },
	{ "members wait, but little", { { 4, 4, 0 }, { 4, 0, 0 } }, 2, 0x3, BIT(0),
	  Q(4), LLC_PREFER_STAY, LLC_PREFER_STAY, BIT(0), .waiting = 1 },
	{ "members wait, but for moments", { { 4, 1, 0 }, { 4, 0, 0 } }, 2, 0x3, BIT(0),
	  Q(1), LLC_PREFER_STAY, LLC_PREFER_STAY, BIT(0), .waiting = Q(8) },
	{ "cannot grow", { { 4, 4, 0 }, { 4, 0, 0 } }, 2, 0x1, BIT(0), Q(5),
	  LLC_PREFER_GROW, LLC_PREFER_STAY, BIT(0) },

	/* Shrinking */
	{ "still needs both", { { 4, 4, 0 }, { 4, 1, 0 } }, 2, 0x3, 0x3, Q(5),
	  LLC_PREFER_STAY, LLC_PREFER_STAY, 0x3 },
	{ "between the two limits it stays", { { 4, 3, 0 }, { 4, 1, 0 } }, 2, 0x3, 0x3,
	  Q(4) + 1, LLC_PREFER_STAY, LLC_PREFER_STAY, 0x3 },
	{ "one holds it, that where it runs most",
	  { { 4, 1, 0 }, { 4, 3, 0 } }, 2, 0x3, 0x3, Q(4),
	  LLC_PREFER_SHRINK, LLC_PREFER_SHRINK, BIT(1) },
	{ "shrinks by as many as can go",
	  { { 4, 0, 0 }, { 4, 1, 0 }, { 4, 2, 0 }, { 4, 0, 0 } }, 4, 0xf, 0xf, Q(3),
	  LLC_PREFER_SHRINK, LLC_PREFER_SHRINK, BIT(2) },
	{ "only the small one can go",
	  { { 8, 2, 0 }, { 4, 2, 0 } }, 2, 0x3, 0x3, Q(6),
	  LLC_PREFER_SHRINK, LLC_PREFER_SHRINK, BIT(0) },
	{ "one would hold it, but not all the time",
	  { { 4, 2, 0 }, { 4, 2, 0 } }, 2, 0x3, 0x3, Q(4) - 1,
	  LLC_PREFER_STAY, LLC_PREFER_STAY, 0x3, .excess = 1 },
	{ "a group that sleeps keeps one",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 } }, 4, 0xf, 0x6, 0,
	  LLC_PREFER_SHRINK, LLC_PREFER_SHRINK, BIT(2) },

	/* Others */
	{ "others leave it enough", { { 4, 2, 2 }, { 4, 0, 0 } }, 2, 0x3, BIT(0), Q(2),
	  LLC_PREFER_STAY, LLC_PREFER_STAY, BIT(0) },
	{ "moves as a whole", { { 4, 2, 2 }, { 4, 1, 0 } }, 2, 0x3, BIT(0), Q(3),
	  LLC_PREFER_MOVE, LLC_PREFER_MOVE, BIT(1) },
	{ "nowhere is more room", { { 4, 2, 2 }, { 4, 0, 2 } }, 2, 0x3, BIT(0), Q(3),
	  LLC_PREFER_MOVE, LLC_PREFER_STAY, BIT(0) },
	{ "moves to where is not enough but more",
	  { { 4, 1, 4 }, { 4, 0, 2 } }, 2, 0x3, BIT(0), Q(4),
	  LLC_PREFER_MOVE, LLC_PREFER_MOVE, BIT(1) },
	{ "keeps the half that has room",
	  { { 4, 4, 0 }, { 4, 1, 4 }, { 4, 0, 0 } }, 3, 0x7, 0x3, Q(8),
	  LLC_PREFER_MOVE, LLC_PREFER_MOVE, BIT(0) | BIT(2) },
	{ "does not leave for fewer CPUs",
	  { { 4, 1, 2 }, { 2, 0, 0 } }, 2, 0x3, BIT(0), Q(3),
	  LLC_PREFER_MOVE, LLC_PREFER_STAY, BIT(0) },

	/* Members elsewhere */
	{ "an excursion", { { 4, 1, 0 }, { 4, 2, 0 } }, 2, 0x3, BIT(0), Q(3),
	  LLC_PREFER_STAY, LLC_PREFER_STAY, BIT(0) },
	{ "follows its members", { { 4, 0, 0 }, { 4, 3, 0 } }, 2, 0x3, BIT(0), Q(3),
	  LLC_PREFER_MOVE, LLC_PREFER_FOLLOW, BIT(1) },
	{ "scattered members give no direction",
	  { { 4, 0, 0 }, { 4, 0, 0 }, { 4, 1, 3 }, { 4, 1, 3 } }, 4, 0xf, BIT(0), Q(2),
	  LLC_PREFER_MOVE, LLC_PREFER_STAY, BIT(0) },
	{ "driven out, and room elsewhere",
	  { { 4, 0, 4 }, { 4, 0, 0 }, { 4, 1, 3 }, { 4, 1, 3 } }, 4, 0xf, BIT(0), Q(2),
	  LLC_PREFER_MOVE, LLC_PREFER_MOVE, BIT(1) },
};

static void load_fill(struct llc_load *load, const struct policy_case *c)
{
	unsigned int id;

	for (id = 0; id < c->nr; id++) {
		load[id].capacity = c->llc[id].capacity * CPU;
		load[id].own = c->llc[id].own * CPU;
		load[id].others = c->llc[id].others * CPU;
		load[id].nid = c->llc[id].nid;
	}
}

static void llc_prefer_policy_cases(struct kunit *test)
{
	const struct policy_case *c = test->param_value;
	enum llc_prefer_reason reason;
	struct llc_load load[MAX_LLCS] = { };
	struct llc_demand demand = {
		.running = c->demand * CPU / 4,
		.waiting = c->waiting * CPU / 4,
		.excess = c->excess * CPU / 4,
	};
	unsigned long next = ~0UL, total = 0;
	unsigned int id;

	load_fill(load, c);
	for (id = 0; id < c->nr; id++)
		total += load[id].own;

	KUNIT_EXPECT_EQ(test, c->lean,
			llc_prefer_lean(load, c->nr, &c->cur, &demand, total));
	reason = llc_prefer_pick(load, c->nr, &c->allowed, &c->cur, &demand, c->lean, &next);
	KUNIT_EXPECT_EQ(test, c->reason, reason);
	KUNIT_EXPECT_EQ(test, c->next, next & GENMASK(c->nr - 1, 0));

	/* What it got it keeps: a choice must not undo itself. */
	if (reason == LLC_PREFER_STAY || !next)
		return;
	for (id = 0; id < c->nr; id++)
		load[id].own = 0;
	for_each_set_bit(id, &next, c->nr)
		load[id].own = load[id].capacity;
	/* Who waited runs now. */
	demand.excess = max(demand.excess, demand.waiting);
	demand.waiting = 0;
	reason = llc_prefer_lean(load, c->nr, &next, &demand, demand.running);
	reason = llc_prefer_pick(load, c->nr, &c->allowed, &next, &demand, reason, &total);
	KUNIT_EXPECT_EQ_MSG(test, LLC_PREFER_STAY, reason, "wants other LLCs again: 0x%lx", total);
}

static void policy_case_name(const struct policy_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(policy, cases, policy_case_name);

/* Rounding must not keep an average from what it follows. */
static void llc_prefer_average_arrives(struct kunit *test)
{
	unsigned long avg = 0;
	unsigned int i;

	for (i = 0; i < 100; i++)
		avg = llc_prefer_average(avg, 12 * CPU);
	KUNIT_EXPECT_EQ(test, avg, 12UL * CPU);
	for (i = 0; i < 8; i++)
		avg = llc_prefer_average(avg, 3 * CPU);
	/* Eight scans: two thirds of the way, 1 - (7/8)^8. */
	KUNIT_EXPECT_LE(test, avg, 12UL * CPU - 9 * CPU * 6 / 10);
	KUNIT_EXPECT_GE(test, avg, 12UL * CPU - 9 * CPU * 7 / 10);
	for (i = 0; i < 100; i++)
		avg = llc_prefer_average(avg, 3 * CPU);
	KUNIT_EXPECT_EQ(test, avg, 3UL * CPU);
	for (i = 0; i < 200; i++)
		avg = llc_prefer_average(avg, 0);
	KUNIT_EXPECT_EQ(test, avg, 0UL);
}

static void llc_prefer_patience_order(struct kunit *test)
{
	/* To grow is quick, to shrink is slow, and nothing is at once. */
	KUNIT_EXPECT_GT(test, llc_prefer_patience(LLC_PREFER_FIRST), 1U);
	KUNIT_EXPECT_LT(test, llc_prefer_patience(LLC_PREFER_GROW),
			llc_prefer_patience(LLC_PREFER_MOVE));
	KUNIT_EXPECT_LT(test, llc_prefer_patience(LLC_PREFER_MOVE),
			llc_prefer_patience(LLC_PREFER_SHRINK));
}

/* 1024 LLCs of one CPU, and 64 of 16: no smaller and no larger than it takes. */
static void llc_prefer_policy_large(struct kunit *test)
{
	static const struct {
		unsigned int nr, capacity, demand, wanted;
	} sizes[] = {
		{ 1024, 1, 1, 1 }, { 1024, 1, 100, 100 }, { 1024, 1, 1024, 1024 },
		{ 64, 16, 16, 1 }, { 64, 16, 17, 2 }, { 64, 16, 1024, 64 },
	};
	struct llc_load *load = kunit_kcalloc(test, 1024, sizeof(*load), GFP_KERNEL);
	unsigned long *allowed = bitmap_zalloc(1024, GFP_KERNEL);
	unsigned long *cur = bitmap_zalloc(1024, GFP_KERNEL);
	unsigned long *next = bitmap_zalloc(1024, GFP_KERNEL);
	struct llc_demand demand = { };
	unsigned int i, id, nr;

	if (!load || !allowed || !cur || !next) {
		KUNIT_FAIL(test, "no memory");
		goto out;
	}

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		nr = sizes[i].nr;
		bitmap_fill(allowed, nr);
		for (id = 0; id < nr; id++) {
			load[id].capacity = sizes[i].capacity * CPU;
			load[id].nid = id / (nr / 8);
		}
		demand.running = sizes[i].demand * CPU;
		KUNIT_EXPECT_EQ(test, LLC_PREFER_FIRST,
				llc_prefer_pick(load, nr, allowed, cur, &demand,
						LLC_PREFER_FIRST, next));
		KUNIT_EXPECT_EQ(test, sizes[i].wanted, bitmap_weight(next, nr));
		KUNIT_EXPECT_EQ(test, LLC_PREFER_STAY,
				llc_prefer_lean(load, nr, next, &demand, 0));
	}
out:
	bitmap_free(next);
	bitmap_free(cur);
	bitmap_free(allowed);
}

static struct kunit_case llc_prefer_policy_kunit_cases[] = {
	KUNIT_CASE_PARAM(llc_prefer_policy_cases, policy_gen_params),
	KUNIT_CASE(llc_prefer_policy_large),
	KUNIT_CASE(llc_prefer_average_arrives),
	KUNIT_CASE(llc_prefer_patience_order),
	{ }
};

static struct kunit_suite llc_prefer_policy_suite = {
	.name = "llc_prefer_policy",
	.test_cases = llc_prefer_policy_kunit_cases,
};

kunit_test_suite(llc_prefer_policy_suite);
