/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How is a table or tree of results printed, in the form the user asked for?
 */
#ifndef LLCCTL_TABLE_H
#define LLCCTL_TABLE_H

#include <libsmartcols.h>
#include <stdbool.h>
#include <stddef.h>

#define TABLE_MAX_COLUMNS 32

/**
 * struct column - a column that a command can show
 * @name: as in the heading and after -o; lower case in JSON
 * @width: libsmartcols' width hint
 * @flags: SCOLS_FL_*
 * @json: SCOLS_JSON_*
 * @help: one line for --help
 */
struct column {
	const char *name;
	double width;
	int flags;
	int json;
	const char *help;
};

/**
 * struct table - how to print
 * @name: of the array in JSON
 * @all, @nr_all: the columns there are
 * @json, @raw, @noheadings: as the options of these names
 * @cols: the columns to show, indices into @all; the default ones at first
 * @nr_cols: how many
 * @scols: the table, from table_start() on
 */
struct table {
	const char *name;
	const struct column *all;
	size_t nr_all;
	bool json, raw, noheadings;
	unsigned int cols[TABLE_MAX_COLUMNS];
	size_t nr_cols;
	struct libscols_table *scols;
};

#define TABLE_LONGOPTS						\
	{ "json",	no_argument,	   NULL, 'J' },		\
	{ "noheadings",	no_argument,	   NULL, 'n' },		\
	{ "output",	required_argument, NULL, 'o' },		\
	{ "raw",	no_argument,	   NULL, 'r' }
#define TABLE_SHORTOPTS "Jno:r"

#define TABLE_HELP						\
	" -J, --json               use JSON output format\n"	\
	" -n, --noheadings         don't print headings\n"	\
	" -o, --output <list>      columns to show, +<list> adds to the default ones\n" \
	" -r, --raw                use raw output format\n"

/**
 * table_option() - handle an option of TABLE_LONGOPTS
 * @c: what getopt_long() returned
 *
 * Return: 0 if taken, 1 if it is not one of them, -1 after an error, which
 * was printed.
 */
int table_option(struct table *t, int c);

/* Print the part of --help that explains the columns. */
void table_help(const struct table *t);

/**
 * table_start() - make the table
 * @flat: drop the tree, as with --list; raw output is always flat
 */
void table_start(struct table *t, bool flat);

/* Add a line below @parent, or at the top if that is NULL. */
struct libscols_line *table_line(struct table *t, struct libscols_line *parent);

/**
 * table_cell() - fill a cell, if its column is shown
 * @col: index into @all
 * @text: allocated, the table frees it; NULL shows as '-', null in JSON
 */
void table_cell(struct table *t, struct libscols_line *line, unsigned int col,
		char *text);

/* Print and free. */
void table_finish(struct table *t);

#endif
