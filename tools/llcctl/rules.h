/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does a rules file say, and which rule decides for a cgroup?
 *
 *	rules:
 *	  - cgroup: kubepods.slice/kubepods-pod*
 *	    prefer: group
 *	  - unit: nginx.service
 *	    prefer: llc:2
 *
 * Pure: nothing here reads a file or prints, but rules_put(), which prints.
 */
#ifndef LLCCTL_RULES_H
#define LLCCTL_RULES_H

#include <stdbool.h>
#include <stdio.h>

#include "prefer.h"
#include "topology.h"
#include "util.h"

/**
 * struct rule - one rule
 * @pattern: as in the file, for messages
 * @names: the pattern by names, at least one; "**" stands for any number of
 *	them. The root is one name that is empty.
 * @nr_names: how many
 * @path: the path, if the pattern stands for one cgroup only; else NULL
 * @by_unit: a systemd unit is named: the last name of a path counts
 * @want: the value, resolved
 * @line: in the file, from 1
 */
struct rule {
	char *pattern;
	char **names;
	size_t nr_names;
	char *path;
	bool by_unit;
	struct prefer want;
	unsigned int line;
};

/**
 * struct rules - the file
 * @name: of the file, for messages
 * @all: in the order of the file
 * @nr: how many there are
 * @by_path: indices of those that have a path, sorted by it
 * @nr_by_path: how many of them there are
 */
struct rules {
	char *name;
	struct rule *all;
	size_t nr;
	size_t *by_path;
	size_t nr_by_path;
};

/**
 * rules_parse() - understand a rules file
 * @name: of the file, for messages
 * @text: need not end with NUL
 * @len: bytes
 * @topo: has the names of the LLCs
 * @no_llcs: why @topo has none, for a value that names one; NULL if it has
 * @rules: rules_free() it after success
 * @why: set after an error, with name and line
 *
 * Return: 0; a negative errno: not YAML, a key that is not known, is there
 * twice or is missing, a bad pattern, a value that prefer_parse() refuses.
 */
int rules_parse(const char *name, const char *text, size_t len,
		const struct topology *topo, const struct why *no_llcs,
		struct rules *rules, struct why *why);
void rules_free(struct rules *rules);

/**
 * rules_match() - the rule that decides for a cgroup: the last that matches
 * @path: of the cgroup; "" is the root
 * @hit: @nr flags; those of all rules that match are set
 *
 * Return: the rule, NULL if none matches.
 */
const struct rule *rules_match(const struct rules *rules, const char *path,
			       bool *hit);

/* True if the rule matches the cgroup at @path. */
bool rule_matches(const struct rule *rule, const char *path);

/* A pattern that stands for the cgroup at @path alone; the caller frees. */
char *rules_pattern(const char *path);

/**
 * rules_put() - write a rules file
 * @paths: of cgroups
 * @values: what they state
 *
 * Return: as document_put() does.
 */
int rules_put(FILE *out, char *const *paths, char *const *values, size_t nr);

#endif
