// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests: what does a value written to cpu.llc_prefer mean? Included by
 * llc_prefer.c, whose functions are its own.
 */

#include <kunit/test.h>

static int parse(struct kunit *test, const char *value, struct cpumask *cpus)
{
	char *buf = kunit_kstrdup(test, value, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	return llc_prefer_parse(buf, cpus);
}

static void llc_prefer_parse_words(struct kunit *test)
{
	static const struct {
		const char *value;
		int mode;
	} cases[] = {
		{ "default", LLC_PREFER_DEFAULT },
		{ "off", LLC_PREFER_OFF },
		{ "process", LLC_PREFER_PROCESS },
		{ "group", LLC_PREFER_GROUP },
		{ "group\n", LLC_PREFER_GROUP },
		{ "\t off \t\n\n", LLC_PREFER_OFF },
		{ "", -EINVAL },
		{ "\t\n", -EINVAL },
		{ "Off", -EINVAL },
		{ "groups", -EINVAL },
		{ "off off", -EINVAL },
		{ "group group", -EINVAL },
		{ "auto", -EINVAL },
		{ "group,0", -EINVAL },
		{ "off\nprocess", -EINVAL },
	};
	struct cpumask *cpus = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cpus);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, parse(test, cases[i].value, cpus), cases[i].mode,
				    "value \"%s\"", cases[i].value);
		KUNIT_EXPECT_TRUE(test, cpumask_empty(cpus));
	}
}

static void llc_prefer_parse_lists(struct kunit *test)
{
	static const struct {
		const char *value;
		int mode;
		unsigned long first;	/* the CPUs below BITS_PER_LONG */
	} cases[] = {
		{ "0", LLC_PREFER_LIST, 1 },
		{ "0,0-0", LLC_PREFER_LIST, 1 },
		{ "group 0", LLC_PREFER_GROUP, 1 },
		{ "group\t 0\n", LLC_PREFER_GROUP, 1 },
		{ "1-0", -EINVAL },
		{ "0-", -EINVAL },
		{ "-1", -EINVAL },
		{ "0x1", -EINVAL },
		{ "0\n0", -EINVAL },
		{ "group 1-0", -EINVAL },
		{ "99999999", -ERANGE },
		{ "group 99999999", -ERANGE },
	};
	struct cpumask *cpus = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cpus);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, parse(test, cases[i].value, cpus), cases[i].mode,
				    "value \"%s\"", cases[i].value);
		if (cases[i].mode >= 0)
			KUNIT_EXPECT_EQ_MSG(test, cpumask_bits(cpus)[0], cases[i].first,
					    "value \"%s\"", cases[i].value);
	}
}

/* LLCs of two CPUs each, as far as the masks of this kernel reach. */
#define TEST_LLCS	4

static int test_mate(int cpu)
{
	return cpu & ~1;
}

static struct llc_topo *test_topo(struct kunit *test)
{
	struct llc_topo *topo;
	unsigned int id;

	if (nr_cpu_ids < 2 * TEST_LLCS)
		kunit_skip(test, "needs %d CPUs", 2 * TEST_LLCS);

	topo = kunit_kzalloc(test, struct_size(topo, llc, TEST_LLCS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, topo);
	topo->nr = TEST_LLCS;
	for (id = 0; id < TEST_LLCS; id++) {
		topo->llc[id].cpus = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, topo->llc[id].cpus);
		cpumask_set_cpu(2 * id, topo->llc[id].cpus);
		cpumask_set_cpu(2 * id + 1, topo->llc[id].cpus);
		topo->llc[id].mate = 2 * id;
		topo->llc[id].nr_cpus = 2;
	}
	return topo;
}

static void llc_prefer_list_to_ids(struct kunit *test)
{
	struct cpumask *wanted = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);
	struct llc_topo *topo = test_topo(test);
	DECLARE_BITMAP(ids, TEST_LLCS);

	KUNIT_ASSERT_NOT_NULL(test, wanted);

	/* Any CPU of an LLC names it, and all that are named count. */
	cpumask_set_cpu(3, wanted);
	llc_prefer_list_ids(wanted, topo, test_mate, ids);
	KUNIT_EXPECT_EQ(test, ids[0], BIT(1));
	cpumask_set_cpu(6, wanted);
	llc_prefer_list_ids(wanted, topo, test_mate, ids);
	KUNIT_EXPECT_EQ(test, ids[0], BIT(1) | BIT(3));

	/* An id that is not in use is nobody's. */
	topo->llc[1].nr_cpus = 0;
	cpumask_clear(topo->llc[1].cpus);
	llc_prefer_list_ids(wanted, topo, test_mate, ids);
	KUNIT_EXPECT_EQ(test, ids[0], BIT(3));

	/* Nothing is left where all that was named is gone. */
	cpumask_clear_cpu(6, wanted);
	llc_prefer_list_ids(wanted, topo, test_mate, ids);
	KUNIT_EXPECT_EQ(test, ids[0], 0UL);
}

static void llc_prefer_confined(struct kunit *test)
{
	static const struct {
		unsigned long ids, bound, result;
	} cases[] = {
		{ 0b1111, 0b0110, 0b0110 },	/* a group below a list */
		{ 0b0011, 0b0110, 0b0010 },	/* lists that meet */
		{ 0b0001, 0b0110, 0b0110 },	/* lists that do not */
		{ 0b0100, 0b0100, 0b0100 },
		{ 0b0000, 0b0110, 0b0000 },	/* what was named is offline */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned long ids = cases[i].ids;

		llc_prefer_confine(&ids, &cases[i].bound, TEST_LLCS);
		KUNIT_EXPECT_EQ_MSG(test, ids, cases[i].result, "case %u", i);
	}
}

static struct kunit_case llc_prefer_parse_cases[] = {
	KUNIT_CASE(llc_prefer_parse_words),
	KUNIT_CASE(llc_prefer_parse_lists),
	KUNIT_CASE(llc_prefer_list_to_ids),
	KUNIT_CASE(llc_prefer_confined),
	{ }
};

static struct kunit_suite llc_prefer_parse_suite = {
	.name = "llc_prefer_parse",
	.test_cases = llc_prefer_parse_cases,
};

kunit_test_suite(llc_prefer_parse_suite);
