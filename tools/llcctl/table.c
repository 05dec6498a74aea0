// SPDX-License-Identifier: GPL-2.0
/*
 * How is a table or tree of results printed, in the form the user asked for?
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "llcctl.h"
#include "table.h"
#include "util.h"

/* "A,B" replaces the default columns, "+A,B" adds to them. */
static int parse_columns(struct table *t, const char *list)
{
	size_t len, i;

	if (*list == '+')
		list++;
	else
		t->nr_cols = 0;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		for (i = 0; i < t->nr_all; i++)
			if (strlen(t->all[i].name) == len &&
			    !strncasecmp(t->all[i].name, list, len))
				break;
		if (i == t->nr_all) {
			warnx("unknown column: %.*s", (int)len, list);
			return -1;
		}
		if (t->nr_cols == TABLE_MAX_COLUMNS) {
			warnx("too many columns");
			return -1;
		}
		t->cols[t->nr_cols++] = i;
		if (!list[len])
			return 0;
	}
}

int table_option(struct table *t, int c)
{
	switch (c) {
	case 'J':
		t->json = true;
		break;
	case 'r':
		t->raw = true;
		break;
	case 'n':
		t->noheadings = true;
		break;
	case 'o':
		return parse_columns(t, optarg);
	default:
		return 1;
	}
	if (t->json && t->raw) {
		warnx("--json and --raw are mutually exclusive");
		return -1;
	}
	return 0;
}

void table_help(const struct table *t)
{
	size_t i;

	printf("\nAvailable output columns:\n");
	for (i = 0; i < t->nr_all; i++)
		printf(" %9s  %s\n", t->all[i].name, t->all[i].help);
}

void table_start(struct table *t, bool flat)
{
	size_t i;

	scols_init_debug(0);
	t->scols = scols_new_table();
	if (!t->scols)
		err(EXIT_FAILED, "cannot allocate memory");
	scols_table_enable_json(t->scols, t->json);
	scols_table_enable_raw(t->scols, t->raw);
	scols_table_enable_noheadings(t->scols, t->noheadings);
	if (t->json)
		scols_table_set_name(t->scols, t->name);

	for (i = 0; i < t->nr_cols; i++) {
		const struct column *col = &t->all[t->cols[i]];
		struct libscols_column *cl;
		int flags = col->flags;

		if (flat || t->raw)
			flags &= ~SCOLS_FL_TREE;
		cl = scols_table_new_column(t->scols, col->name, col->width,
					    flags);
		if (!cl)
			err(EXIT_FAILED, "cannot make column %s", col->name);
		scols_column_set_json_type(cl, col->json);
		/* The items of an array are lines of the cell. */
		if (col->json == SCOLS_JSON_ARRAY_NUMBER)
			scols_column_set_wrapfunc(cl, scols_wrapnl_chunksize,
						  scols_wrapnl_nextchunk, NULL);
	}
}

struct libscols_line *table_line(struct table *t, struct libscols_line *parent)
{
	struct libscols_line *line = scols_table_new_line(t->scols, parent);

	if (!line)
		err(EXIT_FAILED, "cannot allocate memory");
	return line;
}

void table_cell(struct table *t, struct libscols_line *line, unsigned int col,
		char *text)
{
	bool taken = false;
	size_t i;

	if (!text && !t->json)
		text = xstrdup("-");
	for (i = 0; text && i < t->nr_cols; i++) {
		if (t->cols[i] != col)
			continue;
		/* A column may be asked for twice. */
		if (scols_line_refer_data(line, i,
					  taken ? xstrdup(text) : text))
			err(EXIT_FAILED, "cannot allocate memory");
		taken = true;
	}
	if (!taken)
		free(text);
}

void table_finish(struct table *t)
{
	scols_print_table(t->scols);
	scols_unref_table(t->scols);
	t->scols = NULL;
}
