// SPDX-License-Identifier: GPL-2.0
/*
 * What does /proc tell of a task?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proctask.h"

int proctask_read(const char *sysroot, long tid, const char *file,
		  char *text, size_t size)
{
	char path[4096];
	ssize_t len;
	int fd, code;

	snprintf(path, sizeof(path), "%s/proc/%ld/%s", sysroot, tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, text, size - 1);
	code = len < 0 ? -errno : 0;
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return code;
}

long proctask_stat(const char *stat, int field)
{
	/* The second field is in brackets and may have blanks and brackets. */
	const char *p = strrchr(stat, ')');
	int at;

	for (at = 2; p && at < field; at++)
		p = strchr(p + 1, ' ');
	return p ? atol(p + 1) : -1;
}

char *proctask_status(char *status, const char *key)
{
	size_t len = strlen(key);
	char *line;

	/* The name of a task is the first line, its newlines escaped. */
	while ((line = strsep(&status, "\n")))
		if (!strncmp(line, key, len) && line[len] == ':')
			return line + len + 1 + strspn(line + len + 1, " \t");
	return NULL;
}
