// SPDX-License-Identifier: GPL-2.0
/*
 * Does the parser of rules and states bear whatever it is given?
 *
 * As one of the unit tests: files that are right, changed at random from a
 * fixed seed, so that a failure can be had again. FUZZ_RUNS=N in the
 * environment sets how many. `make -C tools/llcctl fuzz` builds the same for
 * clang's libFuzzer, which goes by the code that is reached:
 *
 *	build/llcctl/fuzz -max_total_time=300 DIRECTORY
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "rules.h"
#include "state.h"
#include "unit.h"

/* What was broken by @data, if anything. */
static const char *broken;

static const struct topology *machine(void)
{
	static struct topology topo;
	unsigned int i;

	if (topo.nr_llcs)
		return &topo;
	topo = (struct topology){ .nr_llcs = 4, .last_cpu = 15 };
	topo.llcs = xcalloc(4, sizeof(*topo.llcs));
	for (i = 0; i < 16; i++) {
		cpumask_set(&topo.llcs[i / 4].cpus, i);
		cpumask_set(&topo.llcs[i / 4].nodes, i / 8);
	}
	for (i = 0; i < 4; i++) {
		topo.llcs[i].level = 3;
		topo.llcs[i].ids = xcalloc(1, sizeof(*topo.llcs[i].ids));
		topo.llcs[i].ids[0] = i;
		topo.llcs[i].nr_ids = 1;
	}
	return &topo;
}

/* What holds for every rules file that is taken. */
static void check_rules(const struct rules *rules)
{
	static const char *const paths[] = {
		"", "a", "a/b", "system.slice/nginx.service", "a/b/c/d/e/f",
	};
	bool *hit = xcalloc(rules->nr + 1, sizeof(*hit));
	char **pattern = xcalloc(rules->nr + 1, sizeof(*pattern));
	char **value = xcalloc(rules->nr + 1, sizeof(*value));
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		const struct rule *r = rules_match(rules, paths[i], hit);

		if (r && !(rule_matches(r, paths[i]) && hit[r - rules->all]))
			broken = "a rule decides that does not match";
	}
	for (i = 0; i < rules->nr; i++) {
		const struct rule *r = &rules->all[i];
		struct prefer again;

		value[nr] = prefer_format(&r->want);
		if (prefer_parse(value[nr], machine(), &again, NULL) ||
		    !prefer_equal(&again, &r->want))
			broken = "a value does not come back";
		if (!r->path) {
			free(value[nr]);
			continue;
		}
		pattern[nr++] = r->path;
		if (!rules_match(rules, r->path, hit) || !hit[i])
			broken = "a path does not match itself";
	}
	free(hit);

	/* What is written of them is taken again. */
	if (nr) {
		struct rules again;
		struct why why;
		size_t len;
		char *text;
		FILE *out = open_memstream(&text, &len);

		if (rules_put(out, pattern, value, nr))
			broken = "the rules cannot be written";
		fclose(out);
		/* A path from '//' or with a '.' that was escaped is none. */
		if (!rules_parse("again", text, len, machine(), NULL, &again,
				 &why)) {
			if (again.nr != nr)
				broken = "a rule is lost on the way";
			rules_free(&again);
		} else if (!strstr(why.text, "has no '.' or '..'")) {
			broken = "what was written is not taken";
			printf("# %s\n", why.text);
		}
		free(text);
	}
	for (i = 0; i < nr; i++)
		free(value[i]);
	free(value);
	free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct rules rules;
	struct plan plan;
	struct why why;
	int taken = 0;

	broken = NULL;
	why.text[0] = '\0';
	if (!rules_parse("f", text, size, machine(), NULL, &rules, &why)) {
		check_rules(&rules);
		rules_free(&rules);
		taken = 1;
	} else if (strncmp(why.text, "f:", 2)) {
		broken = "an error does not name the file";
	}
	if (!state_parse("f", text, size, "B", &plan, &why)) {
		plan_free(&plan);
		taken = 1;
	}
#ifdef WITH_LIBFUZZER
	if (broken) {
		fprintf(stderr, "%s\n", broken);
		abort();
	}
	return 0;
#else
	return taken;
#endif
}

#ifndef WITH_LIBFUZZER

#define RUNS		20000
#define SEED		0x6c6c635f70726566ULL
#define MAX_SIZE	2048

static const char *const seeds[] = {
	"rules:\n- cgroup: a/*\n  prefer: group\n- unit: nginx.service\n  prefer: llc:2,llc:3\n",
	"rules:\n  - cgroup: kubepods.slice/**/kubepods*-pod*.slice\n    prefer: 'group:llc:0'\n  - cgroup: /\n    prefer: default # none\n",
	"{\"rules\": [{\"cgroup\": \"a\\/b[x-z]?\\\\*\", \"prefer\": \"node:1\"}]}\n",
	"%YAML 1.1\n---\nrules:\n- &x {cgroup: \"a b\", prefer: 0-3}\n- *x\n...\n",
	"rules:\n- cgroup: |\n    a\n  prefer: >-\n    group\n    0-7:2/4\n",
	"boot: B\nchanged:\n- cgroup: a/b\n  id: '4711'\n  was: default\n  value: group 0-3\n",
};

static const char *const words[] = {
	"rules:", "cgroup: ", "unit: ", "prefer: ", "- ", "\n", "**", "*", "[",
	"]", "[[:", ":]", "\\", "'", "\"", "{", "}", "&a ", "*a", "!!str ",
	"<<: ", "---\n", "...\n", "%TAG ! x", "\\u0000", "\\xff", "\xff",
	"\xef\xbb\xbf", "llc:", "size:max", "node:", "group:", "4294967295",
	"0-8191:1/2", "? ", ": ", "| ", "#", ".service", "/../", "//", "\t",
};

static uint64_t state = SEED;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t n)
{
	return n ? next() % n : 0;
}

static void insert(char *text, size_t *size, size_t at, const char *what,
		   size_t len)
{
	if (*size + len > MAX_SIZE)
		return;
	memmove(text + at + len, text + at, *size - at);
	memcpy(text + at, what, len);
	*size += len;
}

static void mutate(char *text, size_t *size)
{
	const char *what = words[below(ARRAY_SIZE(words))];
	char piece[64];
	size_t at = below(*size + 1), len;
	char c;

	switch (below(5)) {
	case 0:
		c = next();
		insert(text, size, at, &c, 1);
		break;
	case 1:
		len = below(*size - at < 16 ? *size - at + 1 : 16);
		memmove(text + at, text + at + len, *size - at - len);
		*size -= len;
		break;
	case 2:
		if (at < *size)
			text[at] ^= 1 << below(8);
		break;
	case 3:
		len = below(*size - at < sizeof(piece) ? *size - at :
			    sizeof(piece));
		memcpy(piece, text + at, len);
		insert(text, size, below(*size + 1), piece, len);
		break;
	default:
		insert(text, size, at, what, strlen(what));
	}
}

static void whatever_it_is_given_the_parser_bears_it(void)
{
	const char *env = getenv("FUZZ_RUNS");
	long i, runs = env ? atol(env) : RUNS, taken = 0;
	char *exact, text[MAX_SIZE];
	clock_t start = clock();
	size_t size, n;

	for (i = 0; i < runs; i++) {
		const char *seed = seeds[below(ARRAY_SIZE(seeds))];

		size = strlen(seed);
		memcpy(text, seed, size);
		for (n = below(4); n; n--)
			mutate(text, &size);
		/* So that ASan sees a read of one byte too many. */
		exact = xcalloc(1, size + !size);
		memcpy(exact, text, size);
		taken += LLVMFuzzerTestOneInput((uint8_t *)exact, size);
		free(exact);
		if (broken) {
			unit_failed = true;
			printf("# run %ld: %s:\n# ", i, broken);
			for (n = 0; n < size; n++)
				printf(text[n] >= ' ' && text[n] <= '~' ?
				       "%c" : "\\x%02x",
				       (unsigned char)text[n]);
			printf("\n");
			break;
		}
	}
	printf("# %ld files, of which %ld were taken, in %.1f s\n", i, taken,
	       (double)(clock() - start) / CLOCKS_PER_SEC);
	/* A fuzzer whose files are all right, or all wrong, tests nothing. */
	CHECK_INT(taken > i / 50 && taken < i, true);
	topology_free((struct topology *)machine());
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(whatever_it_is_given_the_parser_bears_it),
	};

	return UNIT_RUN(tests);
}

#endif
