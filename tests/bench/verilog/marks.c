// SPDX-License-Identifier: GPL-2.0
/*
 * Marks for the cache simulator. The linker puts __wrap_pthread_create() in
 * place of pthread_create(), so that each thread of Verilator's pool says that
 * it is a member before it does anything else, with the runtime left as it is.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../cachesim/mark.h"
#include "model.h"

MARK_TABLE(mark_table_member, 1);	/* MARK_MEMBER */
MARK_TABLE(mark_table_begin, 2);	/* MARK_BEGIN */
MARK_TABLE(mark_table_phase, 3);	/* MARK_PHASE */
MARK_TABLE(mark_table_end, 5);		/* MARK_END */

_Static_assert(MARK_MEMBER == 1 && MARK_BEGIN == 2 && MARK_PHASE == 3 && MARK_END == 5,
	       "the tables need numbers, not names");

struct start {
	void *(*function)(void *);
	void *argument;
};

static unsigned int group;

void mark_set_group(unsigned int number)
{
	group = number;
}

void mark_member(void)
{
	MARK_FROM(mark_table_member, group);
}

void mark_begin(void)
{
	MARK_FROM(mark_table_begin, group);
}

void mark_phase(void)
{
	MARK_FROM(mark_table_phase, group);
}

void mark_end(void)
{
	MARK_FROM(mark_table_end, group);
}

static void *start_thread(void *argument)
{
	struct start start = *(struct start *)argument;

	free(argument);
	mark_member();
	return start.function(start.argument);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*function)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*function)(void *), void *argument)
{
	struct start *start = malloc(sizeof(*start));
	int err;

	if (!start)
		return EAGAIN;
	*start = (struct start){ function, argument };
	err = __real_pthread_create(thread, attr, start_thread, start);
	if (err)
		free(start);
	return err;
}
