// SPDX-License-Identifier: GPL-2.0
/*
 * Is every value of cpu.llc_prefer understood, and every mistake refused?
 */
#include <errno.h>
#include <stdlib.h>

#include "prefer.h"
#include "unit.h"

/*
 * 128 CPUs, 8 LLCs of 16 called llc:0 to llc:7, 4 on each of 2 nodes; the first
 * two are larger than the others.
 */
static struct topology eight;

static void make_eight(void)
{
	static struct llc llcs[8];
	static unsigned int ids[8];
	int i, cpu;

	for (i = 0; i < 8; i++) {
		ids[i] = i;
		llcs[i].bytes = (i < 2 ? 96 : 32) << 20;
		cpumask_set(&llcs[i].nodes, i / 4);
		llcs[i].ids = &ids[i];
		llcs[i].nr_ids = 1;
		for (cpu = i * 16; cpu < i * 16 + 16; cpu++)
			cpumask_set(&llcs[i].cpus, cpu);
	}
	eight.llcs = llcs;
	eight.nr_llcs = 8;
	eight.last_cpu = 127;
}

/* The value as the kernel would show it; or the sentence. */
static const char *again(const char *text)
{
	static char out[sizeof(struct why) + 8];
	struct prefer p;
	struct why why;
	char *value;

	if (prefer_parse(text, &eight, &p, &why)) {
		snprintf(out, sizeof(out), "%s", why.text);
		return out;
	}
	value = prefer_format(&p);
	snprintf(out, sizeof(out), "%s", value);
	free(value);
	return out;
}

static int code(const char *text)
{
	struct prefer p;

	return prefer_parse(text, &eight, &p, NULL);
}

static void every_value_is_understood(void)
{
	CHECK_STR(again("default"), "default");
	CHECK_STR(again("group"), "group");
	CHECK_STR(again("group 0-31"), "group 0-31");
	CHECK_STR(again("16-31"), "16-31");
	CHECK_STR(again("0,64"), "0,64");
	CHECK_STR(again("process"), "process");
	CHECK_STR(again("off"), "off");
}

static void what_is_read_back_means_the_same(void)
{
	static const char *const values[] = {
		"default", "group", "group 5,3,4", "9,8", "process", "off",
	};
	struct prefer a, b;
	size_t i;
	char *text;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		CHECK_INT(prefer_parse(values[i], &eight, &a, NULL), 0);
		text = prefer_format(&a);
		CHECK_INT(prefer_parse(text, &eight, &b, NULL), 0);
		CHECK_INT(prefer_equal(&a, &b), true);
		free(text);
	}
	prefer_parse("group 0-3", &eight, &a, NULL);
	prefer_parse("0-3", &eight, &b, NULL);
	CHECK_INT(prefer_equal(&a, &b), false);
	prefer_parse("group", &eight, &b, NULL);
	CHECK_INT(prefer_equal(&a, &b), false);
}

static void white_space_around_is_ignored(void)
{
	CHECK_STR(again("  group \t 0-31\n"), "group 0-31");
	CHECK_STR(again("\n16-31\n\n"), "16-31");
	CHECK_STR(again("group\t"), "group");
}

static void a_list_is_normalised(void)
{
	CHECK_STR(again("3,1,2"), "1-3");
	CHECK_STR(again("group 3, 1 2"), "group 1-3");
	CHECK_STR(again("0-127"), "0-127");
}

static void names_become_cpus(void)
{
	CHECK_STR(again("llc:2"), "32-47");
	CHECK_STR(again("llc:0,llc:1"), "0-31");
	CHECK_STR(again("group llc:0,llc:7"), "group 0-15,112-127");
	CHECK_STR(again("llc:3,0"), "0,48-63");
	CHECK_STR(again("group llc:0, llc:1"), "group 0-31");
	CHECK_STR(again("cpu:17"), "16-31");
	CHECK_STR(again("cpu:0,cpu:127"), "0-15,112-127");
	CHECK_STR(again("node:1"), "64-127");
	CHECK_STR(again("size:max"), "0-31");
	CHECK_STR(again("group size:max,node:1,40,llc:3"),
		  "group 0-31,40,48-127");
}

static void group_and_its_list_may_be_one_word(void)
{
	CHECK_STR(again("group:llc:2"), "group 32-47");
	CHECK_STR(again("group:llc:2,llc:3"), "group 32-63");
	CHECK_STR(again("group:0-15"), "group 0-15");
	CHECK_STR(again("group:node:0"), "group 0-63");
	CHECK_STR(again(" group: llc:2 "), "group 32-47");
	CHECK_INT(code("group:"), -EINVAL);
	CHECK_INT(code("group:,"), -EINVAL);
	CHECK_INT(code("off:llc:2"), -EINVAL);
	CHECK_INT(code("group:group"), -EINVAL);
}

static void an_unknown_name_lists_those_there_are(void)
{
	CHECK_INT(code("llc:8"), -ENOENT);
	CHECK_STR(again("llc:8"),
		  "no LLC is called llc:8 (there are llc:0 to llc:7)");
	CHECK_INT(code("group llc:0,llc:99999999999999999999"), -ENOENT);
	CHECK_INT(code("node:2"), -ENOENT);
	CHECK_STR(again("node:2"),
		  "no LLC is on node 2 (they are on nodes 0-1)");
	CHECK_INT(code("node:99999999999999999999"), -ENOENT);
	CHECK_INT(code("cpu:128"), -ERANGE);
	CHECK_STR(again("cpu:300"), "no LLC has CPU 300 (CPUs 0-127)");
	CHECK_INT(code("cpu:99999999999999999999"), -ERANGE);
}

static void without_llcs_only_cpus_have_names(void)
{
	const struct topology none = { .last_cpu = 3 };
	struct prefer p;

	CHECK_INT(prefer_parse("llc:0", &none, &p, NULL), -ENODEV);
	CHECK_INT(prefer_parse("node:0", &none, &p, NULL), -ENODEV);
	CHECK_INT(prefer_parse("size:max", &none, &p, NULL), -ENODEV);
	CHECK_INT(prefer_parse("cpu:2", &none, &p, NULL), 0);
	CHECK_INT(cpumask_weight(&p.cpus), 1);
}

static void a_malformed_name_is_refused(void)
{
	CHECK_STR(again("llc:"), "'llc:' is not llc: and a number");
	CHECK_STR(again("llc:x"), "'llc:x' is not llc: and a number");
	CHECK_STR(again("llc:1-2"), "'llc:1-2' is not llc: and a number");
	CHECK_INT(code("llc:-1"), -EINVAL);
	CHECK_STR(again("node:"), "'node:' is not node: and a number");
	CHECK_STR(again("cpu:0-3"), "'cpu:0-3' is not cpu: and a number");
	CHECK_STR(again("size:min"), "'size:min' is not a size (size:max is)");
	CHECK_INT(code("size:"), -EINVAL);
	CHECK_INT(code("size:maximum"), -EINVAL);
	CHECK_INT(code("core:1"), -EINVAL);
}

static void a_bad_word_is_refused(void)
{
	static const char *const bad[] = {
		"banana", "Group", "groups", "group,0-3", "defaults", "none",
		"auto", "-", "llc", "LLC:1", "process,off",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(code(bad[i]), -EINVAL);
	CHECK_STR(again("banana"),
		  "'banana' is not a value (default, group [LIST], LIST, process, off; LIST is CPUs such as 0-15, or llc:ID, cpu:N, node:N, size:max)");
	CHECK_STR(again("group banana"),
		  "'banana' is not a CPU, a range of CPUs, llc:ID, cpu:N, node:N or size:max");
}

static void only_group_takes_a_list(void)
{
	CHECK_STR(again("off 0-3"), "'off' stands alone, without '0-3'");
	CHECK_INT(code("default 0-3"), -EINVAL);
	CHECK_INT(code("process llc:0"), -EINVAL);
	CHECK_INT(code("0-3 group"), -EINVAL);
	CHECK_INT(code("group group"), -EINVAL);
}

static void nothing_is_not_a_value(void)
{
	CHECK_INT(code(""), -EINVAL);
	CHECK_INT(code(" \t\n"), -EINVAL);
	CHECK_STR(again(""),
		  "the empty string is not a value ('default' takes a preference back)");
}

static void an_empty_list_is_refused(void)
{
	CHECK_STR(again(","), "',' names no CPU");
	CHECK_STR(again("group ,"), "',' names no CPU");
	CHECK_INT(code("0-3:0/2"), -EINVAL);
}

static void a_reversed_range_is_refused(void)
{
	CHECK_INT(code("5-3"), -EINVAL);
	CHECK_STR(again("group 5-3"), "the range 5-3 runs backwards");
}

static void a_second_line_is_refused(void)
{
	CHECK_STR(again("group\n0-3"), "a value is one line");
	CHECK_INT(code("0-3\noff"), -EINVAL);
}

static void a_cpu_beyond_the_last_one_is_out_of_range(void)
{
	CHECK_INT(code("128"), -ERANGE);
	CHECK_INT(code("group 100-128"), -ERANGE);
	CHECK_STR(again("300"), "no LLC has CPU 300 (CPUs 0-127)");
}

static void two_texts_may_say_the_same(void)
{
	CHECK_INT(prefer_same("group 0-3", "group 0,1,2-3"), true);
	CHECK_INT(prefer_same("off", " off\n"), true);
	CHECK_INT(prefer_same("group 0-3", "0-3"), false);
	CHECK_INT(prefer_same("group", "group 0"), false);
	/* A word that a later kernel may have. */
	CHECK_INT(prefer_same("later", "later"), true);
	CHECK_INT(prefer_same("later", "off"), false);
}

static void a_long_text_is_understood_like_a_short_one(void)
{
	const struct topology any = { .last_cpu = -1 };
	static char text[4096 * 6], *p = text;
	struct prefer want;
	int cpu;

	for (cpu = 0; cpu < 8192; cpu += 2)
		p += sprintf(p, "%d,", cpu);
	CHECK_INT(prefer_parse(text, &any, &want, NULL), 0);
	CHECK_INT(cpumask_weight(&want.cpus), 4096);
	memset(text, 'x', sizeof(text) - 1);
	CHECK_INT(prefer_parse(text, &any, &want, &(struct why){ "" }),
		  -EINVAL);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(every_value_is_understood),
		TEST(what_is_read_back_means_the_same),
		TEST(white_space_around_is_ignored),
		TEST(a_list_is_normalised),
		TEST(names_become_cpus),
		TEST(group_and_its_list_may_be_one_word),
		TEST(an_unknown_name_lists_those_there_are),
		TEST(without_llcs_only_cpus_have_names),
		TEST(a_malformed_name_is_refused),
		TEST(a_bad_word_is_refused),
		TEST(only_group_takes_a_list),
		TEST(nothing_is_not_a_value),
		TEST(an_empty_list_is_refused),
		TEST(a_reversed_range_is_refused),
		TEST(a_second_line_is_refused),
		TEST(a_cpu_beyond_the_last_one_is_out_of_range),
		TEST(two_texts_may_say_the_same),
		TEST(a_long_text_is_understood_like_a_short_one),
	};

	make_eight();
	return UNIT_RUN(tests);
}
