/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How does a heat map get onto a terminal, and a key from it?
 */
#ifndef LLCCTL_SCREEN_H
#define LLCCTL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "heat.h"
#include "util.h"

/* Keys that are no characters. */
enum screen_key {
	KEY_NOTHING = 0,	/* the time is up, or a signal came */
	KEY_IS_UP = 256,
	KEY_IS_DOWN,
	KEY_IS_LEFT,
	KEY_IS_RIGHT,
	KEY_IS_PAGE_UP,
	KEY_IS_PAGE_DOWN,
	KEY_IS_HOME,
	KEY_IS_END,
	KEY_IS_RESIZE,
};

/**
 * screen_open() - take the terminal over
 * @colour: use colours if it has any
 * @why: set after an error
 *
 * Return: 0, or -ENOTTY where it cannot be.
 */
int screen_open(bool colour, struct why *why);

/* Give it back as it was. */
void screen_close(void);

void screen_size(size_t *width, size_t *height);
void screen_draw(const struct heat_text *text);

/* Wait for a key for at most so many milliseconds. */
int screen_key(long ms);

/* The sequence that gives plain output the looks of @look; "" resets. */
const char *screen_sequence(char look);

#endif
