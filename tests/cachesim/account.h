/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who did what: instructions and accesses by task and by LLC, and what the marks
 * (mark.h) make of them: phases, results, counters.
 *
 * What a task does is work, except what it does between two PAUSE instructions
 * that are close together, which is waiting for others, and what interrupts do
 * on its CPU. Both are counted apart and cost nothing in modelled time.
 */
#ifndef TESTS_CACHESIM_ACCOUNT_H
#define TESTS_CACHESIM_ACCOUNT_H

#include <stdio.h>

#include "model.h"

struct account;

/* Results are written to out, a line of JSON each. Ends the program if short of memory. */
struct account *account_new(const struct model_config *config, FILE *out);
void account_free(struct account *a);

/* A CPU runs another task from now on; any number that stays the same names it. */
void account_switch(struct account *a, unsigned int cpu, uint64_t task);

void account_instructions(struct account *a, unsigned int cpu, unsigned int n);
void account_access(struct account *a, unsigned int cpu, enum where where, bool store);
void account_pause(struct account *a, unsigned int cpu);

/* An interrupt begins, or ends, on a CPU; a task that it preempts stays in it. */
void account_interrupt(struct account *a, unsigned int cpu, bool begins);

/* A mark that account.c knows: all but MARK_ON and MARK_OFF. */
void account_mark(struct account *a, unsigned int cpu, unsigned int op, unsigned int arg);

/* A function that is counted (by number): its first instruction, and its return. */
void account_enter(struct account *a, unsigned int cpu, unsigned int function);
void account_leave(struct account *a, unsigned int cpu, unsigned int function);

#endif
