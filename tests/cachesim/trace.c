// SPDX-License-Identifier: GPL-2.0
/*
 * Feeds a trace to the model and the accounts without QEMU, so that what they
 * say can be compared with what was worked out by hand.
 *
 * A trace has a line for each thing that happens, and # before comments:
 *
 *	machine CPUS CPUS_PER_CORE CPUS_PER_LLC NODES MEMORY
 *	caches L1_SETS L1_WAYS L2_SETS L2_WAYS LLC_SETS LLC_WAYS
 *	new				the machine as said so far, caches empty
 *	switch CPU TASK
 *	read CPU ADDRESS WHERE		an access, and where it must be found
 *	write CPU ADDRESS WHERE
 *	run CPU INSTRUCTIONS
 *	pause CPU
 *	interrupt CPU begins|ends
 *	enter CPU FUNCTION
 *	leave CPU FUNCTION
 *	mark CPU OPERATION ARGUMENT	the operation by the name in mark.h
 *	label TEXT
 *	random SEED ACCESSES		checks only what must always hold
 *
 * Addresses are hexadecimal. Prints the results that marks make, on stdout. An
 * access that is found elsewhere, or a model that contradicts itself, ends it
 * with a sentence and status 1.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "mark.h"

static const char * const op_names[MARK_NR] = {
	[MARK_MEMBER] = "member", [MARK_BEGIN] = "begin", [MARK_PHASE] = "phase",
	[MARK_TURN] = "turn", [MARK_END] = "end", [MARK_LABEL] = "label", [MARK_COUNT] = "count",
	[MARK_STOP] = "stop", [MARK_CPU] = "cpu", [MARK_LEAVE] = "leave",
};

static struct model_config config = {
	.cpus = 4, .cpus_per_core = 1, .cpus_per_llc = 2, .nodes = 1, .memory = 1 << 20,
	.l1 = { 2, 2 }, .l2 = { 4, 2 }, .llc = { 8, 4 },
};
static struct model *model;
static struct account *account;
static const char *path;
static unsigned int line_nr;

static void machine(void)
{
	const char *error;

	if (account)
		account_free(account);
	model_free(model);
	model = model_new(&config, &error);
	if (!model)
		errx(1, "%s:%u: %s", path, line_nr, error);
	account = account_new(&config, stdout);
}

static void check(void)
{
	const char *wrong = model_check(model);

	if (wrong)
		errx(1, "%s:%u: %s", path, line_nr, wrong);
}

static void one_access(unsigned int cpu, unsigned long address, const char *wanted, bool store)
{
	enum where where;

	if (cpu >= config.cpus || address >= config.memory)
		errx(1, "%s:%u: no such CPU or address", path, line_nr);
	where = model_access(model, cpu, address, store);
	account_access(account, cpu, where, store);
	check();
	if (strcmp(where_names[where], wanted))
		errx(1, "%s:%u: found in %s, expected in %s", path, line_nr,
		     where_names[where], wanted);
}

/* Accesses by xorshift, over few enough lines that all of them meet. */
static void random_accesses(unsigned long seed, unsigned long n)
{
	uint64_t x = seed * 2654435761u + 1;

	for (unsigned long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		model_access(model, (x >> 8) % config.cpus,
			     (x >> 20) % (config.memory >> LINE_SHIFT) << LINE_SHIFT,
			     x >> 60 < 5);
		if (i % 64 == 0)
			check();
	}
	check();
}

static void mark(unsigned int cpu, const char *name, unsigned int arg)
{
	for (unsigned int op = 0; op < MARK_NR; op++) {
		if (op_names[op] && !strcmp(op_names[op], name)) {
			account_mark(account, cpu, op, arg);
			return;
		}
	}
	errx(1, "%s:%u: no mark %s", path, line_nr, name);
}

static void one_line(const char *line)
{
	struct model_config *c = &config;
	unsigned int cpu, n;
	unsigned long x, y;
	char word[64];

	if (sscanf(line, "machine %u %u %u %u %lu", &c->cpus, &c->cpus_per_core,
		   &c->cpus_per_llc, &c->nodes, &c->memory) == 5) {
		machine();
	} else if (sscanf(line, "caches %u %u %u %u %u %u", &c->l1.sets, &c->l1.ways,
			  &c->l2.sets, &c->l2.ways, &c->llc.sets, &c->llc.ways) == 6) {
		machine();
	} else if (!strncmp(line, "new", 3)) {
		machine();
	} else if (sscanf(line, "random %lu %lu", &x, &y) == 2) {
		random_accesses(x, y);
	} else if (!strncmp(line, "label ", 6)) {
		account_mark(account, 0, MARK_LABEL, 0);
		for (const char *p = line + 6; *p && *p != '\n'; p++)
			account_mark(account, 0, MARK_LABEL, *p);
	} else if (sscanf(line, "%*s %u", &cpu) == 1 && cpu >= config.cpus) {
		errx(1, "%s:%u: there is no CPU %u", path, line_nr, cpu);
	} else if (sscanf(line, "switch %u %lu", &cpu, &x) == 2) {
		account_switch(account, cpu, x);
	} else if (sscanf(line, "read %u %lx %63s", &cpu, &x, word) == 3) {
		one_access(cpu, x, word, false);
	} else if (sscanf(line, "write %u %lx %63s", &cpu, &x, word) == 3) {
		one_access(cpu, x, word, true);
	} else if (sscanf(line, "run %u %u", &cpu, &n) == 2) {
		account_instructions(account, cpu, n);
	} else if (sscanf(line, "pause %u", &cpu) == 1) {
		account_pause(account, cpu);
	} else if (sscanf(line, "interrupt %u %63s", &cpu, word) == 2) {
		account_interrupt(account, cpu, !strcmp(word, "begins"));
	} else if (sscanf(line, "enter %u %u", &cpu, &n) == 2) {
		account_enter(account, cpu, n);
	} else if (sscanf(line, "leave %u %u", &cpu, &n) == 2) {
		account_leave(account, cpu, n);
	} else if (sscanf(line, "mark %u %63s %u", &cpu, word, &n) == 3) {
		mark(cpu, word, n);
	} else {
		errx(1, "%s:%u: cannot read this: %s", path, line_nr, line);
	}
}

int main(int argc, char **argv)
{
	char line[512];
	FILE *file;

	if (argc != 2)
		errx(2, "usage: trace FILE");
	path = argv[1];
	file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	machine();
	while (fgets(line, sizeof(line), file)) {
		line_nr++;
		if (*line != '#' && *line != '\n')
			one_line(line);
	}
	fclose(file);
	account_mark(account, 0, MARK_LABEL, 0);
	account_free(account);
	model_free(model);
	return 0;
}
