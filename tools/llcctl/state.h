/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What did the last `llcctl apply` change, so that it can be taken back?
 *
 * A YAML file, written before the first change and replaced as a whole:
 *
 *	boot: the id of this start of the machine
 *	changed:
 *	  - cgroup: system.slice/nginx.service
 *	    id: '4711'
 *	    was: default
 *	    value: group
 */
#ifndef LLCCTL_STATE_H
#define LLCCTL_STATE_H

#include <stddef.h>

#include "plan.h"
#include "util.h"

/**
 * state_path() - where the state is
 * @sysroot: "" for the running machine
 * @why: set after an error
 *
 * Return: /run/llcctl/apply.yaml below @sysroot; for another user than root
 * llcctl/apply.yaml in $XDG_RUNTIME_DIR, NULL if that is not set. The caller
 * frees.
 */
char *state_path(const char *sysroot, struct why *why);

/**
 * state_lock() - keep others from applying until this one is done
 * @path: of the state
 * @why: set after an error
 *
 * Makes the directory of the state, but not the one above. Says that it waits
 * if another has the lock.
 *
 * Return: a file descriptor, to be closed when done; a negative errno, -EINTR
 * if a signal came while it waited.
 */
int state_lock(const char *path, struct why *why);

/**
 * state_save() - replace the state, atomically and on stable storage
 * @plan: its steps that are STEP_PLANNED, STEP_WRITTEN or STEP_LEFT; none
 *	removes the file
 * @why: set after an error; then the old state stands
 *
 * Return: 0, or a negative errno.
 */
int state_save(const char *path, const struct plan *plan, struct why *why);

/**
 * state_load() - read it
 * @plan: the steps, STEP_PLANNED; plan_free() it after success
 * @why: set after an error
 *
 * Return: 0; -ENOENT if there is none; -ESTALE if it is from before the
 * machine was started; -EINVAL if it is not one.
 */
int state_load(const char *path, struct plan *plan, struct why *why);

/**
 * state_parse() - take the text of a state apart. Pure.
 * @name: of the file, for messages
 * @boot: the id of this start of the machine
 *
 * The rest: as in state_load().
 */
int state_parse(const char *name, const char *text, size_t len,
		const char *boot, struct plan *plan, struct why *why);

#endif
