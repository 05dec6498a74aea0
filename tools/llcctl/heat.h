/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How does a heat map of cgroups by LLC look?
 *
 * Pure: nothing here reads a file, prints, or knows a terminal.
 */
#ifndef LLCCTL_HEAT_H
#define LLCCTL_HEAT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct heat_row - a cgroup
 * @name: what to call it
 * @depth: how far to indent that
 * @prefer, @state: what it states, and what became of it; NULL shows as '-'
 * @cpus: run time by time
 * @home: share of run time on the preferred LLCs, per cent
 * @spills, @moves: a second
 * @shares: of its run time, by LLC, per cent; all NAN if it did not run
 * @preferred: by LLC
 *
 * A figure that is not known is NAN.
 */
struct heat_row {
	const char *name;
	unsigned int depth;
	const char *prefer, *state;
	double cpus, home, spills, moves;
	const double *shares;
	const bool *preferred;
};

/**
 * struct heat_frame - what is to be seen
 * @title, @notice: the first two lines
 * @llcs: what to call each LLC, at most 4 characters
 * @nodes: the node of each; a line is drawn between two of them
 */
struct heat_frame {
	const char *title, *notice;
	const char *const *llcs;
	const int *nodes;
	size_t nr_llcs;
	const struct heat_row *rows;
	size_t nr_rows;
};

/**
 * struct heat_window - how much of it
 * @width, @height: of the screen in characters; 0 for as much as it takes
 * @top, @left: the first row and the first LLC to show
 */
struct heat_window {
	size_t width, height, top, left;
};

/* What a character is to look like. */
enum heat_look {
	HEAT_PLAIN = ' ',
	HEAT_BOLD = 'b',
	HEAT_HEADING = 'h',
	HEAT_COLD = '0',	/* to '9', the hottest */
};

/**
 * struct heat_text - the frame as text
 * @lines: each of printable ASCII, without blanks at its end
 * @looks: for each character of a line an enum heat_look
 * @nr: lines
 * @nr_llcs: LLCs shown, from @left on
 * @nr_rows: rows shown, from @top on
 */
struct heat_text {
	char **lines, **looks;
	size_t nr, nr_llcs, nr_rows;
};

/**
 * heat_render() - draw
 *
 * Where not all LLCs fit, columns give way in the order moves, spills, state and
 * what is stated, until 8 LLCs do; then the rest is cut off, which the heading shows.
 */
void heat_render(const struct heat_frame *frame, const struct heat_window *window,
		 struct heat_text *text);
void heat_free(struct heat_text *text);

/* How hot a share is, from '0' for none to '9' for all of it. */
char heat_level(double share);

#endif
