// SPDX-License-Identifier: GPL-2.0
/*
 * Is a rules file understood as it is documented, and every mistake in it
 * found, with its line?
 */
#include <errno.h>
#include <stdlib.h>

#include "rules.h"
#include "unit.h"

/* 4 LLCs of 4 CPUs on 2 nodes. */
static void machine(struct topology *topo)
{
	unsigned int i, cpu;

	*topo = (struct topology){ .nr_llcs = 4, .last_cpu = 15 };
	topo->llcs = xcalloc(4, sizeof(*topo->llcs));
	for (i = 0; i < 4; i++) {
		struct llc *llc = &topo->llcs[i];

		for (cpu = 4 * i; cpu < 4 * i + 4; cpu++)
			cpumask_set(&llc->cpus, cpu);
		cpumask_set(&llc->nodes, i / 2);
		llc->level = 3;
		llc->nr_cpus = llc->nr_online = 4;
		llc->ids = xcalloc(1, sizeof(*llc->ids));
		llc->ids[0] = i;
		llc->nr_ids = 1;
		cpumask_or(&topo->online, &llc->cpus);
	}
}

/* What is wrong with @text, or "" */
static const char *wrong_of(const char *text, size_t len,
			    const struct why *no_llcs)
{
	static struct why why;
	struct topology topo;
	struct rules rules;
	int ret;

	machine(&topo);
	if (no_llcs) {
		topology_free(&topo);
		topo = (struct topology){ .last_cpu = 15 };
	}
	why.text[0] = '\0';
	ret = rules_parse("f", text, len, &topo, no_llcs, &rules, &why);
	if (!ret)
		rules_free(&rules);
	else if (!why.text[0])
		snprintf(why.text, sizeof(why.text), "no reason for %d", ret);
	topology_free(&topo);
	return why.text;
}

static const char *wrong(const char *text)
{
	return wrong_of(text, strlen(text), NULL);
}

/* What the rules of @text make of the cgroup @path: "VALUE, line N", or "-". */
static const char *decides(const char *text, const char *path)
{
	static char out[sizeof(struct why) + 8];
	const struct rule *r;
	struct topology topo;
	struct rules rules;
	struct why why;
	bool hit[64] = { 0 };
	char *value;

	machine(&topo);
	if (rules_parse("f", text, strlen(text), &topo, NULL, &rules, &why)) {
		snprintf(out, sizeof(out), "! %s", why.text);
		topology_free(&topo);
		return out;
	}
	r = rules_match(&rules, path, hit);
	if (r) {
		value = prefer_format(&r->want);
		snprintf(out, sizeof(out), "%s, line %u", value, r->line);
		free(value);
	} else {
		snprintf(out, sizeof(out), "-");
	}
	rules_free(&rules);
	topology_free(&topo);
	return out;
}

/* Does @pattern match @path? */
static bool fits(const char *pattern, const char *path)
{
	char *text = xasprintf("rules: [{cgroup: '%s', prefer: group}]", pattern);
	const char *seen = decides(text, path);

	free(text);
	if (*seen == '!') {
		unit_failed = true;
		printf("# %s: %s\n", pattern, seen);
	}
	return *seen != '-';
}

static bool is_unit(const char *pattern, const char *path)
{
	char *text = xasprintf("rules: [{unit: '%s', prefer: group}]", pattern);
	const char *seen = decides(text, path);

	free(text);
	return *seen == 'g';
}

static void a_path_without_a_wildcard_is_one_cgroup(void)
{
	CHECK_INT(fits("a/b", "a/b"), true);
	CHECK_INT(fits("/a/b", "a/b"), true);
	CHECK_INT(fits("/a//b/", "a/b"), true);
	CHECK_INT(fits("a/b", "a"), false);
	CHECK_INT(fits("a/b", "a/b/c"), false);
	CHECK_INT(fits("a/b", "x/a/b"), false);
	CHECK_INT(fits("/", ""), true);
	CHECK_INT(fits("/", "a"), false);
}

static void a_wildcard_stays_within_a_name(void)
{
	CHECK_INT(fits("*", "a"), true);
	CHECK_INT(fits("*", ".hidden"), true);
	CHECK_INT(fits("*", ""), false);
	CHECK_INT(fits("*", "a/b"), false);
	CHECK_INT(fits("a/*", "a/b"), true);
	CHECK_INT(fits("a/*", "a"), false);
	CHECK_INT(fits("a/*", "a/b/c"), false);
	CHECK_INT(fits("*/c", "a/c"), true);
	CHECK_INT(fits("p*d/c", "pod/c"), true);
	CHECK_INT(fits("p*d/c", "p/d/c"), false);
	CHECK_INT(fits("p?d", "pod"), true);
	CHECK_INT(fits("p?d", "p/d"), false);
	CHECK_INT(fits("p[a-o]d", "pod"), true);
	CHECK_INT(fits("p[!a-o]d", "pod"), false);
	CHECK_INT(fits("p[[:digit:]]", "p7"), true);
	CHECK_INT(fits("p[]x]", "p]"), true);
}

static void two_stars_are_any_number_of_names(void)
{
	CHECK_INT(fits("**", ""), true);
	CHECK_INT(fits("**", "a"), true);
	CHECK_INT(fits("**", "a/b/c"), true);
	CHECK_INT(fits("a/**", "a"), true);
	CHECK_INT(fits("a/**", "a/b"), true);
	CHECK_INT(fits("a/**", "a/b/c"), true);
	CHECK_INT(fits("a/**", "ab"), false);
	CHECK_INT(fits("a/*/**", "a"), false);
	CHECK_INT(fits("a/*/**", "a/b"), true);
	CHECK_INT(fits("**/c", "c"), true);
	CHECK_INT(fits("**/c", "a/b/c"), true);
	CHECK_INT(fits("**/c", "a/b/c/d"), false);
	CHECK_INT(fits("a/**/c", "a/c"), true);
	CHECK_INT(fits("a/**/c", "a/b/b/c"), true);
	CHECK_INT(fits("a/**/c", "a/c/b"), false);
	CHECK_INT(fits("a/**/c/**/e", "a/c/b/c/d/e"), true);
	CHECK_INT(fits("a/**/c/**/e", "a/b/d/e"), false);
	CHECK_INT(fits("**/a/**", "x/a/y"), true);
	CHECK_INT(fits("**/**", ""), true);
}

static void a_backslash_takes_the_meaning_away(void)
{
	CHECK_INT(fits("a\\*", "a*"), true);
	CHECK_INT(fits("a\\*", "ab"), false);
	CHECK_INT(fits("a\\[b", "a[b"), true);
	CHECK_INT(fits("dev\\\\x2dfoo", "dev\\x2dfoo"), true);
	CHECK_INT(fits("dev\\x2dfoo", "dev\\x2dfoo"), false);
	CHECK_INT(fits("*\\\\x2d*", "dev\\x2dfoo"), true);
}

/* Patterns that make a simple matcher try for ages. */
static void a_hostile_pattern_ends(void)
{
	char path[4096] = "", pattern[512] = "";
	int i;

	for (i = 0; i < 40; i++)
		strcat(pattern, "*a");
	strcat(pattern, "b");
	for (i = 0; i < 200; i++)
		strcat(path, "a");
	CHECK_INT(fits(pattern, path), false);

	path[0] = pattern[0] = '\0';
	for (i = 0; i < 60; i++)
		strcat(pattern, "**/a/");
	strcat(pattern, "b");
	for (i = 0; i < 500; i++)
		strcat(path, i ? "/a" : "a");
	CHECK_INT(fits(pattern, path), false);
}

static void a_unit_is_found_wherever_it_is(void)
{
	CHECK_INT(is_unit("nginx.service", "system.slice/nginx.service"), true);
	CHECK_INT(is_unit("nginx.service", "nginx.service"), true);
	CHECK_INT(is_unit("nginx.service", "system.slice/nginx.service/w"), false);
	CHECK_INT(is_unit("cpu.service", "system.slice/_cpu.service"), true);
	CHECK_INT(is_unit("pg@*.service", "a/b/pg@main.service"), true);
	CHECK_INT(is_unit("pg@*.service", "a/b/pg.service"), false);
}

static void the_last_rule_that_matches_decides(void)
{
	static const char text[] =
		"rules:\n"
		"- cgroup: a/**\n"
		"  prefer: group\n"
		"- cgroup: a/b\n"
		"  prefer: off\n"
		"- unit: x.service\n"
		"  prefer: llc:1\n"
		"- cgroup: a/*\n"
		"  prefer: process\n"
		"- cgroup: a/c\n"
		"  prefer: default\n"
		"- cgroup: a/c\n"
		"  prefer: node:1\n";

	CHECK_STR(decides(text, "a"), "group, line 2");
	CHECK_STR(decides(text, "a/b"), "process, line 8");
	CHECK_STR(decides(text, "a/c"), "8-15, line 12");
	CHECK_STR(decides(text, "a/b/d"), "group, line 2");
	CHECK_STR(decides(text, "a/b/x.service"), "4-7, line 6");
	CHECK_STR(decides(text, "a/x.service"), "process, line 8");
	CHECK_STR(decides(text, "b"), "-");
}

static void every_rule_that_matches_is_marked(void)
{
	static const char text[] =
		"rules:\n"
		"- {cgroup: 'a/*', prefer: group}\n"
		"- {cgroup: a/b, prefer: off}\n"
		"- {cgroup: a/b, prefer: process}\n"
		"- {cgroup: c, prefer: off}\n"
		"- {cgroup: 'd*', prefer: off}\n";
	struct topology topo = { .last_cpu = 15 };
	bool hit[5] = { 0 };
	struct rules rules;
	struct why why;

	CHECK_INT(rules_parse("f", text, strlen(text), &topo, NULL, &rules,
			      &why), 0);
	rules_match(&rules, "a/b", hit);
	CHECK_INT(hit[0], true);
	CHECK_INT(hit[1], true);
	CHECK_INT(hit[2], true);
	CHECK_INT(hit[3], false);
	CHECK_INT(hit[4], false);
	rules_free(&rules);
}

static void values_are_those_of_set(void)
{
	CHECK_STR(decides("rules: [{cgroup: a, prefer: 'llc:0,node:1'}]", "a"),
		  "0-3,8-15, line 1");
	CHECK_STR(decides("rules: [{cgroup: a, prefer: 'group:llc:0'}]", "a"),
		  "group 0-3, line 1");
	CHECK_STR(decides("rules:\n- cgroup: a\n  prefer: node:0", "a"),
		  "0-7, line 2");
	CHECK_STR(decides("rules:\n- cgroup: a\n  prefer: 3", "a"),
		  "3, line 2");
	CHECK_STR(decides("rules:\n- cgroup: a\n  prefer: off", "a"),
		  "off, line 2");
	CHECK_STR(decides("rules:\n- cgroup: a\n  prefer: group 0-3 # why",
			  "a"), "group 0-3, line 2");
}

static void json_and_anchors_are_yaml(void)
{
	CHECK_STR(decides("{\"rules\": [\n{\"cgroup\": \"a\\/b\", \"prefer\": \"off\"}]}",
			  "a/b"), "off, line 2");
	CHECK_STR(decides("rules:\n- cgroup: a\n  prefer: &p group 0-3\n"
			  "- cgroup: b\n  prefer: *p\n", "b"),
		  "group 0-3, line 4");
	CHECK_STR(wrong("rules: []\n"), "");
	CHECK_STR(wrong("# only this\n--- \nrules: []\n...\n"), "");
}

static void what_is_no_rules_file_is_refused(void)
{
	CHECK_STR(wrong(""), "f: the file is empty");
	CHECK_STR(wrong("# rules:\n"), "f: the file is empty");
	CHECK_STR(wrong("group\n"),
		  "f:1: a rules file is written as 'key: value'");
	CHECK_STR(wrong("\n- cgroup: a\n"),
		  "f:2: a rules file is written as 'key: value'");
	CHECK_STR(wrong("{}\n"), "f:1: a rules file lacks the key 'rules'");
	CHECK_STR(wrong("rules:\n"),
		  "f:1: a list is wanted here (lines that begin with '- ')");
	CHECK_STR(wrong("rules: {a: group}\n"),
		  "f:1: a list is wanted here (lines that begin with '- ')");
	CHECK_STR(wrong("rules: []\n---\nrules: []\n"),
		  "f:3: a second document begins here, a file has one");
	CHECK_STR(wrong("rules: [\n"),
		  "f:2: this is not YAML: did not find expected node content while parsing a flow node");
	CHECK_STR(wrong("rules:\n\t- a\n"),
		  "f:2: this is not YAML: found character that cannot start any token while scanning for the next token");
	CHECK_STR(wrong("rules: *x\n"),
		  "f:1: this is not YAML: found undefined alias");
	CHECK_STR(wrong("rules:\n- cgroup: \xff\n"),
		  "f:2: this is not YAML: invalid leading UTF-8 octet");
	CHECK_STR(wrong_of("rules: []\n\0- x\n", 15, NULL),
		  "f:2: this is not YAML: control characters are not allowed");
}

static void wrong_keys_are_refused(void)
{
	CHECK_STR(wrong("rules: []\nversion: 1\n"),
		  "f:2: a rules file has no key 'version' (it has: rules)");
	CHECK_STR(wrong("rules: []\nrules: []\n"),
		  "f:2: the key 'rules' is there twice, first on line 1");
	CHECK_STR(wrong("rules:\n- cgroup: a\n  perfer: off\n"),
		  "f:3: a rule has no key 'perfer' (it has: cgroup, unit, prefer)");
	CHECK_STR(wrong("rules:\n- cgroup: a\n  prefer: off\n  cgroup: b\n"),
		  "f:4: the key 'cgroup' is there twice, first on line 2");
	CHECK_STR(wrong("rules:\n- cgroup: a\n"),
		  "f:2: a rule lacks the key 'prefer'");
	CHECK_STR(wrong("rules:\n- prefer: off\n"),
		  "f:2: a rule has one key of 'cgroup' and 'unit'");
	CHECK_STR(wrong("rules:\n- {cgroup: a, unit: b.service, prefer: off}\n"),
		  "f:2: a rule has one key of 'cgroup' and 'unit'");
	CHECK_STR(wrong("rules:\n- cgroup: a\n  prefer: off\n- group\n"),
		  "f:4: a rule is written as 'key: value'");
	CHECK_STR(wrong("rules:\n- cgroup: a\n  prefer:\n  - off\n"),
		  "f:4: a single value is wanted here");
	CHECK_STR(wrong("rules:\n- [a]: b\n"),
		  "f:2: a single value is wanted here");
	CHECK_STR(wrong("rules:\n- <<: *a\n"),
		  "f:2: this is not YAML: found undefined alias");
	/* Of an alias libyaml has the line of what it stands for. */
	CHECK_STR(wrong("rules:\n- &a\n  cgroup: a\n  prefer: *a\n"),
		  "f:2: a single value is wanted here");
	CHECK_STR(wrong("rules:\n- cgroup: !!binary YQ==\n  prefer: off\n"),
		  "f:2: a value with a tag ('!!...') is not taken, write it as text");
	CHECK_STR(wrong("rules:\n- cgroup: \"a\\0b\"\n  prefer: off\n"),
		  "f:2: a text has no NUL in it");
}

static void bad_patterns_are_refused(void)
{
	CHECK_STR(wrong("rules:\n- cgroup: ''\n  prefer: off\n"),
		  "f:2: '': the pattern is empty ('/' is the root)");
	CHECK_STR(wrong("rules:\n- cgroup: ../a\n  prefer: off\n"),
		  "f:2: '../a': a pattern has no '.' or '..'");
	CHECK_STR(wrong("rules:\n- cgroup: a/./b\n  prefer: off\n"),
		  "f:2: 'a/./b': a pattern has no '.' or '..'");
	CHECK_STR(wrong("rules:\n- cgroup: a**/b\n  prefer: off\n"),
		  "f:2: 'a**/b': '**' stands alone between slashes, for any number of names");
	CHECK_STR(wrong("rules:\n- prefer: off\n  cgroup: a[b/c]\n"),
		  "f:3: 'a[b/c]': a '[' has no ']' in the same name (a '[' of a name is written '\\[')");
	CHECK_STR(wrong("rules:\n- cgroup: a[[:x\n  prefer: off\n"),
		  "f:2: 'a[[:x': a '[' has no ']' in the same name (a '[' of a name is written '\\[')");
	CHECK_STR(wrong("rules:\n- cgroup: a\\\n  prefer: off\n"),
		  "f:2: 'a\\': it ends with '\\' (a '\\' of a name is written '\\\\')");
	CHECK_STR(wrong("rules:\n- unit: nginx\n  prefer: off\n"),
		  "f:2: 'nginx': this is not the name of a unit: it ends with .service, .scope, .slice, .socket, .mount or .swap (a path goes behind 'cgroup:')");
	CHECK_STR(wrong("rules:\n- unit: a/nginx.service\n  prefer: off\n"),
		  "f:2: 'a/nginx.service': this is not the name of a unit: it ends with .service, .scope, .slice, .socket, .mount or .swap (a path goes behind 'cgroup:')");
}

static void bad_values_are_refused(void)
{
	CHECK_STR(wrong("rules:\n- cgroup: a\n  prefer: llc:9\n"),
		  "f:3: no LLC is called llc:9 (there are llc:0 to llc:3)");
	CHECK_STR(wrong("rules:\n- prefer: off group\n  cgroup: a\n"),
		  "f:2: 'off' stands alone, without 'group'");
	CHECK_STR(wrong("rules:\n- cgroup: a\n  prefer:\n"),
		  "f:3: the empty string is not a value ('default' takes a preference back)");
	CHECK_STR(wrong("rules:\n- cgroup: a\n  prefer: |\n    group\n    off\n"),
		  "f:3: a value is one line");
}

static void a_name_without_llcs_says_why_there_are_none(void)
{
	static const struct why none = { .text = "no CPU describes its caches" };
	static const char name[] = "rules:\n- cgroup: a\n  prefer: llc:0\n";
	static const char list[] = "rules:\n- cgroup: a\n  prefer: 0-3\n";

	CHECK_STR(wrong_of(name, strlen(name), &none),
		  "f:3: no CPU describes its caches");
	CHECK_STR(wrong_of(list, strlen(list), &none), "");
}

/* What is written is read back: odd names, and words that YAML reads otherwise. */
static void what_is_put_is_read_back(void)
{
	static char *const paths[] = {
		(char *)"a", (char *)"", (char *)"a b/c: d", (char *)"*[x]?\\",
		(char *)"off", (char *)"123", (char *)"'q\"", (char *)"# x",
		(char *)"\xc3\xa4/~", (char *)"- x", (char *)" s ",
		(char *)"t\tt", (char *)"{a}", (char *)"x\x01y",
	};
	char *values[ARRAY_SIZE(paths)];
	struct topology topo = { .last_cpu = 15 };
	bool hit[ARRAY_SIZE(paths)];
	struct rules rules;
	struct why why;
	size_t i, len;
	FILE *out;
	char *text;
	int ret;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		values[i] = xasprintf(i % 3 ? i % 3 == 1 ? "off" : "%zu" :
				      "group %zu", i);
	out = open_memstream(&text, &len);
	CHECK_INT(rules_put(out, paths, values, ARRAY_SIZE(paths)), 0);
	fclose(out);
	ret = rules_parse("f", text, len, &topo, NULL, &rules, &why);
	CHECK_INT(ret, 0);
	if (ret)
		printf("# %s\n%s", why.text, text);
	for (i = 0; i < ARRAY_SIZE(paths) && !ret; i++) {
		const struct rule *r = rules_match(&rules, paths[i], hit);
		char *value = r ? prefer_format(&r->want) : xstrdup("-");

		CHECK_STR(value, values[i]);
		free(value);
	}
	if (!ret)
		rules_free(&rules);
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		free(values[i]);
	free(text);
}

static void what_is_not_utf8_cannot_be_put(void)
{
	static char *const paths[] = { (char *)"a\xff" };
	static char *const values[] = { (char *)"off" };
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);

	CHECK_INT(rules_put(out, paths, values, 1), -EILSEQ);
	fclose(out);
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(a_path_without_a_wildcard_is_one_cgroup),
		TEST(a_wildcard_stays_within_a_name),
		TEST(two_stars_are_any_number_of_names),
		TEST(a_backslash_takes_the_meaning_away),
		TEST(a_hostile_pattern_ends),
		TEST(a_unit_is_found_wherever_it_is),
		TEST(the_last_rule_that_matches_decides),
		TEST(every_rule_that_matches_is_marked),
		TEST(values_are_those_of_set),
		TEST(json_and_anchors_are_yaml),
		TEST(what_is_no_rules_file_is_refused),
		TEST(wrong_keys_are_refused),
		TEST(bad_patterns_are_refused),
		TEST(bad_values_are_refused),
		TEST(a_name_without_llcs_says_why_there_are_none),
		TEST(what_is_put_is_read_back),
		TEST(what_is_not_utf8_cannot_be_put),
	};

	return UNIT_RUN(tests);
}
