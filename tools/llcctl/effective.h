/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does cpu.llc_prefer.effective say?
 *
 * Pure: nothing here reads a file or prints. The kernel may add keys and
 * states; they are kept and shown as they are.
 */
#ifndef LLCCTL_EFFECTIVE_H
#define LLCCTL_EFFECTIVE_H

#include <stddef.h>

/**
 * struct effective - the flat keyed file, taken apart
 * @text: what the keys and values point into
 * @keys: in the order of the file; a value is "" where the line has none
 * @nr_keys: how many there are
 */
struct effective {
	char *text;
	struct {
		const char *key;
		const char *value;
	} *keys;
	size_t nr_keys;
};

/* Take @text apart; it is copied. Lines that are empty are skipped. */
void effective_parse(const char *text, struct effective *eff);
void effective_free(struct effective *eff);

/* The value of @key, NULL if the file does not have it. */
const char *effective_get(const struct effective *eff, const char *key);

/**
 * effective_summary() - all keys in one line
 *
 * Return: "mode group, cpus 16-31, state active"; an empty value reads
 * "none". The caller frees.
 */
char *effective_summary(const struct effective *eff);

/**
 * effective_reason() - a state as the end of a sentence
 * @state: e.g. "cpuset"
 *
 * Return: why a preference has no effect in this state; NULL if it has
 * (`active`), or if the state is not known here.
 */
const char *effective_reason(const char *state);

#endif
