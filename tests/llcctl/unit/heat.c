// SPDX-License-Identifier: GPL-2.0
/*
 * Does the heat map of `llcctl top` look as it should, at every size?
 */
#include <math.h>
#include <stdlib.h>

#include "heat.h"
#include "unit.h"

#define NR_LLCS	16

static const char *const names[NR_LLCS] = {
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13",
	"14", "15",
};

static const int one_node[NR_LLCS], two_nodes[NR_LLCS] = { [2] = 1, [3] = 1 };

static const double spread[NR_LLCS] = { 12.5, 87.4, 0.4, 0 };
static const double idle[NR_LLCS] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
static const double hot[NR_LLCS] = { 0, 100 };
static const bool nowhere[NR_LLCS], second[NR_LLCS] = { [1] = true };

static const struct heat_row rows[] = {
	{ .name = "/", .cpus = 3.25, .home = NAN, .spills = NAN, .moves = NAN,
	  .shares = spread, .preferred = nowhere },
	{ .name = "web.slice", .depth = 1, .prefer = "group", .state = "active",
	  .cpus = 127.96, .home = 99.94, .spills = 0, .moves = 12.34,
	  .shares = hot, .preferred = second },
	{ .name = "sleeper", .depth = 2, .prefer = "default", .state = "idle",
	  .cpus = 0, .home = NAN, .spills = 0, .moves = 0,
	  .shares = idle, .preferred = second },
};

static void draw(size_t nr_llcs, const int *nodes, size_t width, size_t height,
		 size_t top, size_t left, struct heat_text *text)
{
	const struct heat_frame frame = {
		.title = "title", .notice = "notice", .llcs = names,
		.nodes = nodes, .nr_llcs = nr_llcs, .rows = rows,
		.nr_rows = ARRAY_SIZE(rows),
	};
	const struct heat_window window = { width, height, top, left };

	heat_render(&frame, &window, text);
}

static void all_of_it_where_there_is_room(void)
{
	struct heat_text text;

	draw(4, two_nodes, 0, 0, 0, 0, &text);
	CHECK_INT(text.nr, 6);
	CHECK_STR(text.lines[0], "title");
	CHECK_STR(text.lines[1], "notice");
	CHECK_STR(text.lines[2],
		  "CGROUP     PREFER  STATE    CPUS HOME% SPILL/s MOVE/s |   0    1 |   2    3 ");
	CHECK_STR(text.lines[3],
		  "/          -       -         3.2     -       -      - |  12   87 |   .    .");
	CHECK_STR(text.lines[4],
		  " web.slice group   active    128  99.9     0.0   12.3 |   . [100]|   .    .");
	CHECK_STR(text.lines[5],
		  "  sleeper  default idle      0.0     -     0.0    0.0 |   - [  -]|   -    -");
	heat_free(&text);
}

static void looks_go_with_the_characters(void)
{
	struct heat_text text;

	draw(4, two_nodes, 0, 0, 0, 0, &text);
	CHECK_STR(text.looks[0], "bbbbb");
	CHECK_INT(text.looks[2][0], HEAT_HEADING);
	CHECK_INT(strlen(text.looks[4]), strlen(text.lines[4]));
	CHECK_INT(strstr(text.lines[4], "100") - text.lines[4],
		  strchr(text.looks[4], '9') + 1 - text.looks[4]);
	heat_free(&text);
}

static void heat_has_nine_levels(void)
{
	CHECK_INT(heat_level(NAN), '0');
	CHECK_INT(heat_level(0), '0');
	CHECK_INT(heat_level(0.49), '0');
	CHECK_INT(heat_level(0.5), '1');
	CHECK_INT(heat_level(12.4), '1');
	CHECK_INT(heat_level(12.5), '2');
	CHECK_INT(heat_level(99.9), '8');
	CHECK_INT(heat_level(100), '9');
	CHECK_INT(heat_level(100.4), '9');
}

static void columns_give_way_to_llcs(void)
{
	struct heat_text text;

	draw(16, one_node, 80, 24, 0, 0, &text);
	CHECK_STR(text.lines[2],
		  "CGROUP     PREFER  STATE    CPUS HOME% |   0    1    2    3    4    5    6    7>");
	CHECK_INT(text.nr_llcs, 8);
	heat_free(&text);
	draw(16, one_node, 60, 24, 0, 0, &text);
	CHECK_STR(text.lines[2],
		  "CGROUP       CPUS HOME% |   0    1    2    3    4    5    6>");
	heat_free(&text);
}

static void the_rest_is_scrolled_to(void)
{
	struct heat_text text;

	draw(16, one_node, 80, 24, 1, 12, &text);
	CHECK_INT(text.nr_rows, 2);
	CHECK_INT(text.nr_llcs, 4);
	CHECK_STR(text.lines[2],
		  "CGROUP     PREFER  STATE    CPUS HOME% SPILL/s MOVE/s <  12   13   14   15 ");
	CHECK_STR(text.lines[3],
		  " web.slice group   active    128  99.9     0.0   12.3 |   .    .    .    .");
	heat_free(&text);
}

static void no_line_is_wider_than_the_screen(void)
{
	struct heat_text text;
	size_t width, i;

	for (width = 1; width < 150; width++) {
		draw(16, two_nodes, width, 5, 0, 0, &text);
		CHECK_INT(text.nr, 5);
		for (i = 0; i < text.nr; i++) {
			CHECK_INT(strlen(text.lines[i]) <= width, 1);
			CHECK_INT(strlen(text.looks[i]), strlen(text.lines[i]));
		}
		heat_free(&text);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(all_of_it_where_there_is_room),
		TEST(looks_go_with_the_characters),
		TEST(heat_has_nine_levels),
		TEST(columns_give_way_to_llcs),
		TEST(the_rest_is_scrolled_to),
		TEST(no_line_is_wider_than_the_screen),
	};

	return UNIT_RUN(tests);
}
