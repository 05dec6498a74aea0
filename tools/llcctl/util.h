/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does every file need: text and memory without a check at each call?
 */
#ifndef LLCCTL_UTIL_H
#define LLCCTL_UTIL_H

#include <stdarg.h>
#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct why - the sentence that goes with an error code
 * @text: no trailing full stop or newline; cut to fit. Large enough for a
 *	list of LLC names or a line of shell with long paths.
 */
struct why {
	char text[2048];
};

/**
 * why_set() - state the reason and pass the code on
 * @why: where to, may be NULL
 * @code: a negative errno
 *
 * Return: @code
 */
int why_set(struct why *why, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Allocate or exit with a message. The caller frees. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * read_fd() - read everything up to the end of file
 * @fd: an open file, which stays open
 * @text: set to a NUL-terminated string; the caller frees
 *
 * Return: 0, the negative errno of read(2), or -EFBIG.
 */
int read_fd(int fd, char **text);

/* The same for what may have a NUL in it; @len is set to the bytes read. */
int read_fd_len(int fd, char **text, size_t *len);

/* Cut white space off both ends; returns a pointer into @s, which it edits. */
char *trim(char *s);

#endif
