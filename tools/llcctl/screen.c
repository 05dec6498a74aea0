// SPDX-License-Identifier: GPL-2.0
/*
 * How does a heat map get onto a terminal, and a key from it?
 */
#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* Names of terminal capabilities that <term.h> takes. */
#undef lines

#include "screen.h"

#define LEVELS	9

/* From cold to hot, as backgrounds; of 256 colours, and of 8. */
static const short heat_256[LEVELS] = { 17, 18, 24, 30, 64, 100, 136, 166, 160 };
static const short heat_8[LEVELS] = {
	COLOR_BLUE, COLOR_BLUE, COLOR_CYAN, COLOR_CYAN, COLOR_GREEN, COLOR_GREEN,
	COLOR_YELLOW, COLOR_YELLOW, COLOR_RED,
};

static SCREEN *screen;
static bool coloured;

int screen_open(bool colour, struct why *why)
{
	short i, many;
	int status;

	/* newterm() leaks where the terminal is not known. */
	if (setupterm(NULL, STDOUT_FILENO, &status) == OK) {
		del_curterm(cur_term);
		screen = newterm(NULL, stdout, stdin);
	}
	if (!screen)
		return why_set(why, -ENOTTY,
			       "this terminal (TERM=%s) is not known; --batch needs none",
			       getenv("TERM") ? getenv("TERM") : "");
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);

	coloured = colour && has_colors() && start_color() == OK;
	if (!coloured)
		return 0;
	many = COLORS >= 256;
	for (i = 0; i < LEVELS; i++)
		init_pair(i + 1, many ? 231 : i >= 2 && i < 8 ? COLOR_BLACK : COLOR_WHITE,
			  many ? heat_256[i] : heat_8[i]);
	return 0;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_size(size_t *width, size_t *height)
{
	*width = COLS > 0 ? COLS : 80;
	*height = LINES > 0 ? LINES : 24;
}

static attr_t attributes(char look)
{
	if (look == HEAT_HEADING)
		return A_REVERSE;
	if (look == HEAT_BOLD)
		return A_BOLD;
	if (coloured && look > HEAT_COLD && look <= HEAT_COLD + LEVELS)
		return COLOR_PAIR(look - HEAT_COLD);
	return A_NORMAL;
}

void screen_draw(const struct heat_text *text)
{
	size_t i, j;

	erase();
	for (i = 0; i < text->nr && (int)i < LINES; i++) {
		move(i, 0);
		for (j = 0; text->lines[i][j] && (int)j < COLS; j++) {
			attrset(attributes(text->looks[i][j]));
			addch((unsigned char)text->lines[i][j]);
		}
	}
	attrset(A_NORMAL);
	refresh();
}

int screen_key(long ms)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{ KEY_UP, KEY_IS_UP },		{ KEY_DOWN, KEY_IS_DOWN },
		{ KEY_LEFT, KEY_IS_LEFT },	{ KEY_RIGHT, KEY_IS_RIGHT },
		{ KEY_PPAGE, KEY_IS_PAGE_UP },	{ KEY_NPAGE, KEY_IS_PAGE_DOWN },
		{ KEY_HOME, KEY_IS_HOME },	{ KEY_END, KEY_IS_END },
		{ KEY_RESIZE, KEY_IS_RESIZE },
	};
	size_t i;
	int key;

	timeout(ms > 0 ? ms : 0);
	key = getch();
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (key == keys[i].curses)
			return keys[i].key;
	return key > 0 && key < 256 ? key : KEY_NOTHING;
}

const char *screen_sequence(char look)
{
	static char text[32];
	int level = look - HEAT_COLD;

	if (look == HEAT_HEADING)
		return "\033[7m";
	if (look == HEAT_BOLD)
		return "\033[1m";
	if (level < 1 || level > LEVELS)
		return "";
	snprintf(text, sizeof(text), "\033[38;5;231;48;5;%dm", heat_256[level - 1]);
	return text;
}
