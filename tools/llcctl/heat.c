// SPDX-License-Identifier: GPL-2.0
/*
 * How does a heat map of cgroups by LLC look?
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat.h"
#include "util.h"

#define CELL		5
/* Columns give way until so many LLCs fit. */
#define ENOUGH_LLCS	8
#define NAME_MIN	12
#define NAME_MAX	40
#define PREFER_MAX	12
/* The lines above the rows: title, notice, heading. */
#define HEAD_LINES	3

enum { NAME, PREFER, STATE, CPUS, HOME, SPILLS, MOVES, NR_COLS };

static const char *const headings[NR_COLS] = {
	[NAME] = "CGROUP", [PREFER] = "PREFER", [STATE] = "STATE",
	[CPUS] = "CPUS", [HOME] = "HOME%", [SPILLS] = "SPILL/s",
	[MOVES] = "MOVE/s",
};

/* The order in which they give way. */
static const int spare[] = { MOVES, SPILLS, STATE, PREFER };

/**
 * struct layout - where everything goes
 * @width: of each column, 0 if it is not shown
 * @llcs: how many fit
 */
struct layout {
	size_t width[NR_COLS];
	size_t llcs;
};

/* A line that grows, with its looks. */
struct line {
	char *text, *looks;
	size_t len;
};

static void put(struct line *line, const char *text, char look)
{
	size_t len = strlen(text);

	line->text = xrealloc(line->text, line->len + len + 1);
	line->looks = xrealloc(line->looks, line->len + len + 1);
	memcpy(line->text + line->len, text, len + 1);
	memset(line->looks + line->len, look, len);
	line->len += len;
	line->looks[line->len] = '\0';
}

/* In a column: to the left or, as figures are, to the right. Too long is cut. */
static void put_column(struct line *line, size_t width, bool right,
		       const char *text, char look)
{
	size_t len = strlen(text);
	char *cell;

	if (!width)
		return;
	if (len > width)
		cell = xasprintf("%.*s+ ", (int)width - 1, text);
	else if (right)
		cell = xasprintf("%*s ", (int)width, text);
	else
		cell = xasprintf("%-*s ", (int)width, text);
	put(line, cell, look);
	free(cell);
}

char heat_level(double share)
{
	if (!(share >= 0.5))
		return HEAT_COLD;
	return HEAT_COLD + 1 + (share >= 100 ? 8 : (int)(share * 8 / 100));
}

static size_t longest(const struct heat_frame *frame, int col, size_t most)
{
	size_t i, len, width = strlen(headings[col]);
	const char *text;

	for (i = 0; i < frame->nr_rows; i++) {
		text = col == NAME ? frame->rows[i].name : col == PREFER ?
		       frame->rows[i].prefer : frame->rows[i].state;
		len = text ? strlen(text) : 1;
		if (col == NAME)
			len += frame->rows[i].depth;
		width = len > width ? len : width;
	}
	return width < most ? width : most;
}

/* What the lines between the nodes take up. */
static size_t bars(const struct heat_frame *frame, size_t first, size_t nr)
{
	size_t i, count = 1;

	for (i = first + 1; i < first + nr; i++)
		count += frame->nodes[i] != frame->nodes[i - 1];
	return count;
}

static size_t fitting(const struct heat_frame *frame,
		      const struct heat_window *window,
		      const struct layout *lay)
{
	size_t col, used = 0, nr = 0, all = frame->nr_llcs - window->left;

	for (col = 0; col < NR_COLS; col++)
		used += lay->width[col] ? lay->width[col] + 1 : 0;
	if (!window->width)
		return all;
	while (nr < all && used + (nr + 1) * CELL +
	       bars(frame, window->left, nr + 1) <= window->width)
		nr++;
	return nr;
}

static void arrange(const struct heat_frame *frame,
		    const struct heat_window *window, struct layout *lay)
{
	size_t rest = frame->nr_llcs - window->left, i;
	size_t enough = rest < ENOUGH_LLCS ? rest : ENOUGH_LLCS;
	size_t name_max = window->width ? window->width / 4 : NAME_MAX;

	if (name_max < NAME_MIN)
		name_max = NAME_MIN;
	lay->width[NAME] = longest(frame, NAME,
				   name_max < NAME_MAX ? name_max : NAME_MAX);
	lay->width[PREFER] = longest(frame, PREFER, PREFER_MAX);
	lay->width[STATE] = longest(frame, STATE, PREFER_MAX);
	lay->width[CPUS] = 6;
	lay->width[HOME] = strlen(headings[HOME]);
	lay->width[SPILLS] = strlen(headings[SPILLS]);
	lay->width[MOVES] = strlen(headings[MOVES]);
	for (i = 0; i < ARRAY_SIZE(spare) &&
	     fitting(frame, window, lay) < enough; i++)
		lay->width[spare[i]] = 0;
	lay->llcs = fitting(frame, window, lay);
}

static void put_number(struct line *line, size_t width, double value)
{
	char *text = isnan(value) ? xstrdup("-") :
		     xasprintf("%.*f", value < 99.95 ? 1 : 0, value);

	put_column(line, width, true, text, HEAT_PLAIN);
	free(text);
}

static bool new_node(const struct heat_frame *frame, size_t first, size_t i)
{
	return i == first || frame->nodes[i] != frame->nodes[i - 1];
}

static void put_heading(const struct heat_frame *frame,
			const struct heat_window *window,
			const struct layout *lay, struct line *line)
{
	size_t col, i, end = window->left + lay->llcs;
	char *cell;

	for (col = 0; col < NR_COLS; col++)
		put_column(line, lay->width[col], col > STATE, headings[col],
			   HEAT_HEADING);
	for (i = window->left; i < end; i++) {
		if (new_node(frame, window->left, i))
			put(line, i == window->left && i ? "<" : "|", HEAT_HEADING);
		cell = xasprintf("%*s%s", CELL - 1, frame->llcs[i],
				 i + 1 == end && end < frame->nr_llcs ? ">" : " ");
		put(line, cell, HEAT_HEADING);
		free(cell);
	}
}

static void put_cell(struct line *line, double share, bool preferred)
{
	char text[8] = "-", *cell;

	if (share < 0.5)
		strcpy(text, ".");
	else if (!isnan(share))
		snprintf(text, sizeof(text), "%.0f", share > 100 ? 100 : share);
	cell = preferred ? xasprintf("[%3s]", text) : xasprintf(" %3s ", text);
	put(line, cell, heat_level(share));
	free(cell);
}

static void put_row(const struct heat_frame *frame,
		    const struct heat_window *window,
		    const struct layout *lay, const struct heat_row *row,
		    struct line *line)
{
	char *name = xasprintf("%*s%s", (int)row->depth, "", row->name);
	size_t i;

	put_column(line, lay->width[NAME], false, name, HEAT_PLAIN);
	put_column(line, lay->width[PREFER], false,
		   row->prefer ? row->prefer : "-", HEAT_PLAIN);
	put_column(line, lay->width[STATE], false,
		   row->state ? row->state : "-", HEAT_PLAIN);
	put_number(line, lay->width[CPUS], row->cpus);
	put_number(line, lay->width[HOME], row->home);
	put_number(line, lay->width[SPILLS], row->spills);
	put_number(line, lay->width[MOVES], row->moves);
	for (i = window->left; i < window->left + lay->llcs; i++) {
		if (new_node(frame, window->left, i))
			put(line, "|", HEAT_PLAIN);
		put_cell(line, row->shares[i], row->preferred[i]);
	}
	free(name);
}

/* Take a line over, cut to the width and without blanks at its end. */
static void add(struct heat_text *text, struct line *line, size_t width)
{
	size_t len = line->len;

	if (width && len > width)
		len = width;
	/* A heading is drawn to its end, a coloured cell as well. */
	while (len && line->text[len - 1] == ' ' &&
	       (line->looks[len - 1] == HEAT_PLAIN ||
		line->looks[len - 1] == HEAT_BOLD ||
		line->looks[len - 1] == HEAT_COLD))
		len--;
	if (!line->text)
		put(line, "", HEAT_PLAIN);
	line->text[len] = '\0';
	line->looks[len] = '\0';
	text->lines = xrealloc(text->lines, (text->nr + 1) * sizeof(*text->lines));
	text->looks = xrealloc(text->looks, (text->nr + 1) * sizeof(*text->looks));
	text->lines[text->nr] = line->text;
	text->looks[text->nr++] = line->looks;
	*line = (struct line){ 0 };
}

void heat_render(const struct heat_frame *frame, const struct heat_window *window,
		 struct heat_text *text)
{
	struct layout lay = { 0 };
	struct line line = { 0 };
	size_t i;

	*text = (struct heat_text){ 0 };
	arrange(frame, window, &lay);
	put(&line, frame->title, HEAT_BOLD);
	add(text, &line, window->width);
	put(&line, frame->notice, HEAT_PLAIN);
	add(text, &line, window->width);
	put_heading(frame, window, &lay, &line);
	add(text, &line, window->width);
	for (i = window->top; i < frame->nr_rows; i++) {
		if (window->height && text->nr >= window->height)
			break;
		put_row(frame, window, &lay, &frame->rows[i], &line);
		add(text, &line, window->width);
	}
	text->nr_llcs = lay.llcs;
	text->nr_rows = text->nr - HEAD_LINES;
}

void heat_free(struct heat_text *text)
{
	size_t i;

	for (i = 0; i < text->nr; i++) {
		free(text->lines[i]);
		free(text->looks[i]);
	}
	free(text->lines);
	free(text->looks);
	*text = (struct heat_text){ 0 };
}
