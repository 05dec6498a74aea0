// SPDX-License-Identifier: GPL-2.0
/*
 * What does every file need: text and memory without a check at each call?
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llcctl.h"
#include "util.h"

/* No file that is read here is as large; a device may have no end. */
#define READ_MAX	(64 << 20)

int why_set(struct why *why, int code, const char *fmt, ...)
{
	va_list ap;

	if (why) {
		va_start(ap, fmt);
		vsnprintf(why->text, sizeof(why->text), fmt, ap);
		va_end(ap);
	}
	return code;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		err(EXIT_FAILED, "cannot allocate memory");
	return p;
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		err(EXIT_FAILED, "cannot allocate memory");
	return p;
}

char *xstrdup(const char *s)
{
	char *p = strdup(s);

	if (!p)
		err(EXIT_FAILED, "cannot allocate memory");
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		err(EXIT_FAILED, "cannot allocate memory");
	return p;
}

int read_fd(int fd, char **text)
{
	size_t len;

	return read_fd_len(fd, text, &len);
}

int read_fd_len(int fd, char **text, size_t *read_len)
{
	size_t len = 0, size = 4096;
	int code = 0;
	char *buf = xcalloc(1, size);
	ssize_t n;

	for (;;) {
		if (len + 1 == size) {
			size *= 2;
			buf = xrealloc(buf, size);
		}
		n = read(fd, buf + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
		if (len > READ_MAX) {
			code = -EFBIG;
			break;
		}
	}
	if (n < 0)
		code = -errno;
	if (code) {
		free(buf);
		return code;
	}
	buf[len] = '\0';
	*text = buf;
	*read_len = len;
	return 0;
}

char *trim(char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}
