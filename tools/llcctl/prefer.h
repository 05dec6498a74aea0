/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does a value of cpu.llc_prefer mean, and how is it written in full?
 *
 * Pure: nothing here reads a file or prints.
 */
#ifndef LLCCTL_PREFER_H
#define LLCCTL_PREFER_H

#include <stdbool.h>

#include "cpumask.h"
#include "topology.h"

enum prefer_mode {
	PREFER_DEFAULT,		/* states nothing, an ancestor decides */
	PREFER_GROUP,		/* one group, placed by the kernel */
	PREFER_LIST,		/* the LLCs of the CPUs named */
	PREFER_PROCESS,		/* per-process cache aware scheduling */
	PREFER_OFF,		/* no LLC preference of any kind */
};

/**
 * struct prefer - a value, understood
 * @mode: what it says
 * @cpus: with PREFER_LIST the CPUs, never empty; with PREFER_GROUP the CPUs
 *	of the LLCs to choose among, empty for all
 */
struct prefer {
	enum prefer_mode mode;
	struct cpumask cpus;
};

/**
 * prefer_parse() - understand what a person wrote
 * @text: "default", "group [LIST]", "group:LIST", "LIST", "process" or "off",
 *	with white space around it or not; LIST: CPUs and names of LLCs (see
 *	llc_find()), separated by commas or blanks, e.g. "0-15", "llc:2",
 *	"node:0,32-47"
 * @topo: has the names of the LLCs and the last possible CPU
 * @out: the value; undefined after an error
 * @why: the sentence that explains an error
 *
 * Return: 0; -EINVAL: unknown word, malformed or empty list, more than one
 * line; -ERANGE: a CPU beyond the last possible one; -ENOENT, -ENOTUNIQ: no
 * LLC, or several, of that name; -ENODEV: a name, and @topo has no LLCs.
 */
int prefer_parse(const char *text, const struct topology *topo,
		 struct prefer *out, struct why *why);

/**
 * prefer_format() - the value as the kernel shows it when read
 *
 * Return: e.g. "group 0-31"; the caller frees.
 */
char *prefer_format(const struct prefer *p);

/* True if two texts of cpu.llc_prefer say the same, however they are written. */
bool prefer_same(const char *a, const char *b);

/* True if the two values say the same. */
bool prefer_equal(const struct prefer *a, const struct prefer *b);

#endif
