// SPDX-License-Identifier: GPL-2.0
/*
 * Are CPU lists and masks read and written as the kernel does?
 */
#include <errno.h>
#include <stdlib.h>

#include "cpumask.h"
#include "unit.h"

/* The list read with @last as the last CPU, written again; or the sentence. */
static const char *again(const char *text, int last)
{
	static char out[sizeof(struct why) + 8];
	struct cpumask m = { 0 };
	struct why why;
	char *list;

	if (cpulist_parse(text, last, &m, &why)) {
		snprintf(out, sizeof(out), "%s", why.text);
		return out;
	}
	list = cpulist_format(&m);
	snprintf(out, sizeof(out), "%s", list);
	free(list);
	return out;
}

static int code(const char *text, int last)
{
	struct cpumask m = { 0 };

	return cpulist_parse(text, last, &m, NULL);
}

static void a_list_is_normalised(void)
{
	CHECK_STR(again("0", 7), "0");
	CHECK_STR(again("3,1,2", 7), "1-3");
	CHECK_STR(again("0-3,2-5,7", 7), "0-5,7");
	CHECK_STR(again("0,1", 7), "0-1");
	CHECK_STR(again("007", 7), "7");
	CHECK_STR(again("", 7), "");
}

static void commas_and_blanks_separate(void)
{
	CHECK_STR(again("0-1 4", 7), "0-1,4");
	CHECK_STR(again(" 0-1 ,\t4\n", 7), "0-1,4");
	CHECK_STR(again(",,0,,1,", 7), "0-1");
}

static void the_kernels_patterns_are_known(void)
{
	CHECK_STR(again("0-7:2/4", 7), "0-1,4-5");
	CHECK_STR(again("all", 7), "0-7");
	CHECK_STR(again("all:1/2", 7), "0,2,4,6");
	CHECK_STR(again("4-N", 7), "4-7");
	CHECK_INT(code("N", -1), -EINVAL);
	CHECK_INT(code("all", -1), -EINVAL);
}

static void a_reversed_range_is_refused(void)
{
	CHECK_INT(code("5-3", 7), -EINVAL);
	CHECK_STR(again("0,5-3", 7), "the range 5-3 runs backwards");
}

static void malformed_items_are_refused(void)
{
	static const char *const bad[] = {
		"x", "1x", "1-", "-1", "1--2", "1-2-3", "0x1", "1:2", "+1",
		"0-7:", "0-7:1", "0-7:1/", "0-7:/2", "0-7:1/2/3", "1.5", "\xc3\xa9",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(code(bad[i], 7), -EINVAL);
	CHECK_INT(code("0-7:1/0", 7), -EINVAL);
	CHECK_INT(code("0-7:3/2", 7), -EINVAL);
	CHECK_STR(again("0,1x", 7), "'1x' is not a CPU or a range of CPUs");
}

static void a_cpu_beyond_the_last_one_is_out_of_range(void)
{
	CHECK_INT(code("8", 7), -ERANGE);
	CHECK_INT(code("0-8", 7), -ERANGE);
	CHECK_INT(code("99999999999999999999999999", 7), -ERANGE);
	CHECK_STR(again("300", 127), "no LLC has CPU 300 (CPUs 0-127)");
	CHECK_STR(again("0-300", 127), "no LLC has CPU 300 (CPUs 0-127)");
}

static void cpu_8191_is_the_last_of_all(void)
{
	CHECK_STR(again("8191", -1), "8191");
	CHECK_STR(again("0-8191", 8191), "0-8191");
	CHECK_INT(code("8192", -1), -ERANGE);
	CHECK_INT(code("8192", 100000), -ERANGE);
}

static void an_error_adds_nothing_of_the_bad_item(void)
{
	struct cpumask m = { 0 };

	CHECK_INT(cpulist_parse("1,2-9", 7, &m, NULL), -ERANGE);
	CHECK_INT(cpumask_weight(&m), 1);
}

static const char *map(const char *text)
{
	static char out[256];
	struct cpumask m;
	char *list;
	int ret = cpumap_parse(text, &m);

	if (ret)
		return ret == -ERANGE ? "range" : "bad";
	list = cpulist_format(&m);
	snprintf(out, sizeof(out), "%s", list);
	free(list);
	return out;
}

static void masks_are_read(void)
{
	CHECK_STR(map("f"), "0-3");
	CHECK_STR(map("00000001,80000000\n"), "31-32");
	/* The highest word may be shorter than the others. */
	CHECK_STR(map("0000,11111111,00000000"), "32,36,40,44,48,52,56,60");
	CHECK_STR(map("3,00000000,00000000"), "64-65");
	CHECK_STR(map(""), "bad");
	CHECK_STR(map("g"), "bad");
	CHECK_STR(map("123456789"), "bad");
}

static void a_mask_beyond_8191_is_out_of_range(void)
{
	char text[9 * 257 + 1] = "1";
	int i;

	for (i = 0; i < 256; i++)
		strcat(text, ",00000000");
	CHECK_STR(map(text), "range");
	CHECK_STR(map(text + 2), "");
}

static void sets_are_walked_in_order(void)
{
	struct cpumask a = { 0 }, b = { 0 };
	int cpu, sum = 0;

	cpumask_set(&a, 0);
	cpumask_set(&a, 63);
	cpumask_set(&a, 64);
	cpumask_set(&a, 8191);
	cpumask_for_each(cpu, &a)
		sum += cpu;
	CHECK_INT(sum, 63 + 64 + 8191);
	CHECK_INT(cpumask_next(&a, 65), 8191);
	CHECK_INT(cpumask_next(&a, 8192), -1);
	CHECK_INT(cpumask_weight(&a), 4);
	CHECK_INT(cpumask_intersects(&a, &b), false);
	cpumask_set(&b, 8191);
	CHECK_INT(cpumask_intersects(&a, &b), true);
	CHECK_INT(cpumask_weight_and(&a, &b), 1);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(a_list_is_normalised),
		TEST(commas_and_blanks_separate),
		TEST(the_kernels_patterns_are_known),
		TEST(a_reversed_range_is_refused),
		TEST(malformed_items_are_refused),
		TEST(a_cpu_beyond_the_last_one_is_out_of_range),
		TEST(cpu_8191_is_the_last_of_all),
		TEST(an_error_adds_nothing_of_the_bad_item),
		TEST(masks_are_read),
		TEST(a_mask_beyond_8191_is_out_of_range),
		TEST(sets_are_walked_in_order),
	};

	return UNIT_RUN(tests);
}
