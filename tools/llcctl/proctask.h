/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does /proc tell of a task?
 */
#ifndef LLCCTL_PROCTASK_H
#define LLCCTL_PROCTASK_H

#include <stddef.h>

/* Fields of /proc/TID/stat, counted from 1 as in proc_pid_stat(5). */
#define PROCTASK_CPU	39
#define PROCTASK_POLICY	41

/**
 * proctask_read() - read a file of a task
 * @sysroot: where /proc is, "" for the running machine
 * @tid: thread id: also the threads of a process have a directory there
 * @text: set to the first @size - 1 bytes at most, and a zero
 *
 * Return: 0, or the negative errno of open() or read(); the task may be gone.
 */
int proctask_read(const char *sysroot, long tid, const char *file,
		  char *text, size_t size);

/* A number of the text of /proc/TID/stat, -1 if it is not there. */
long proctask_stat(const char *stat, int field);

/* The value of @key in the text of /proc/TID/status, which is cut there, or NULL. */
char *proctask_status(char *status, const char *key);

#endif
