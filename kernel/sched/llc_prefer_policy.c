// SPDX-License-Identifier: GPL-2.0
/*
 * Which LLCs should a group have? Functions of their arguments, without locks or
 * globals.
 *
 * A group has the smallest set of LLCs whose CPUs hold its demand, the members that
 * run at a time. An LLC holds as many as it has CPUs, SMT siblings included: who
 * states a preference puts locality first. It does not hold a group whose members
 * wait for each other a quarter of the time that they run, if it keeps half of the
 * CPUs busy: with less, they wait for moments, and more LLCs would hardly be used.
 *
 *   what the group sees				     what it wants   after
 *   it has no LLC that its members may use		     first            4 scans
 *   demand exceeds the CPUs of its LLCs by 1/4 CPU,	     grow            10
 *     or members wait for each other
 *   it runs more than twice as much elsewhere		     move            20
 *   demand fits its LLCs without one of them, and	     shrink          50
 *     seldom more than 1/8 CPU would wait then
 *   others leave it 3/4 CPU less than it needs there	     move            20
 *   else						     stay
 *
 * The first line that holds counts. A scan takes place once an epoch, 10 ms, while
 * members run; one that contradicts halves what has been counted. To grow is quick
 * and to shrink is slow, since a task that waits loses more than one that runs a
 * little farther away gains.
 *
 * What it wants it gets if there is something better:
 *
 *   first           the best set that holds the demand
 *   grow            its LLCs and the nearest with room, until they hold it
 *   shrink          its LLCs without those where it runs least
 *   move            the best set that holds the demand, if it runs more than twice
 *		     as much there (it follows its members), or if that has at
 *		     least 3/4 of a CPU more room
 *
 * The best set has most of the room that is needed; among those, fewest LLCs, then
 * the one where the group runs most, then most room. LLCs are added to a set from
 * the same node first, and those with no room last.
 */

#include <linux/bitmap.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/topology.h>

#include "llc_prefer_policy.h"

#define CPU	SCHED_CAPACITY_SCALE

/* Averages go an eighth of the way with each scan: 80 ms to two thirds. */
#define LLC_PREFER_AVERAGE_SHIFT	3

/**
 * llc_prefer_average() - Let an average follow a sample.
 * @avg: The average, in any unit.
 * @sample: The sample.
 *
 * Return: The new average; it reaches a sample that stays.
 */
unsigned long llc_prefer_average(unsigned long avg, unsigned long sample)
{
	unsigned long step = (1 << LLC_PREFER_AVERAGE_SHIFT) - 1;

	if (sample > avg)
		return avg + ((sample - avg + step) >> LLC_PREFER_AVERAGE_SHIFT);
	return avg - ((avg - sample + step) >> LLC_PREFER_AVERAGE_SHIFT);
}

/* For how many scans must a group want something before it gets it? */
unsigned int llc_prefer_patience(enum llc_prefer_reason reason)
{
	switch (reason) {
	case LLC_PREFER_FIRST:
		return 4;
	case LLC_PREFER_GROW:
		return 10;
	case LLC_PREFER_SHRINK:
		return 50;
	default:
		return 20;
	}
}

static unsigned long llc_room(const struct llc_load *load)
{
	return load->capacity - min(load->capacity, load->others);
}

struct llc_sum {
	unsigned long	capacity;
	unsigned long	own;
	unsigned long	room;
	unsigned int	nr;
};

static struct llc_sum llc_sum(const struct llc_load *load, unsigned int nr,
			      const unsigned long *set)
{
	struct llc_sum sum = { };
	unsigned int id;

	for_each_set_bit(id, set, nr) {
		if (!load[id].capacity)
			continue;
		sum.capacity += load[id].capacity;
		sum.own += load[id].own;
		sum.room += llc_room(&load[id]);
		sum.nr++;
	}
	return sum;
}

/*
 * Which LLC of @set can go, and the rest still holds @demand? The one where the
 * group runs least, then that with least room; -1 if none.
 */
static int llc_spare(const struct llc_load *load, unsigned int nr,
		     const unsigned long *set, unsigned long demand)
{
	struct llc_sum sum = llc_sum(load, nr, set);
	unsigned int id;
	int spare = -1;

	if (sum.nr < 2)
		return -1;

	for_each_set_bit(id, set, nr) {
		if (!load[id].capacity || sum.capacity - load[id].capacity < demand)
			continue;
		if (spare < 0 || load[id].own < load[spare].own ||
		    (load[id].own == load[spare].own &&
		     llc_room(&load[id]) < llc_room(&load[spare])))
			spare = id;
	}
	return spare;
}

/*
 * What LLCs of @capacity have to hold: what runs and, where members wait for each
 * other, at least a task more than fits.
 */
static unsigned long llc_demand(const struct llc_demand *demand, unsigned long capacity)
{
	unsigned long running = demand->running, waiting = demand->waiting;

	if (running < capacity / 2 || waiting < CPU / 2 || waiting < running / 4)
		return running;
	return max(running + waiting, capacity + CPU / 2);
}

/**
 * llc_prefer_lean() - What does a group want, by what it sees of its own LLCs?
 * @load: What it knows; of what is in @cur only.
 * @nr: Length of @load.
 * @cur: The ids of its LLCs.
 * @demand: What it asks for.
 * @total: Its recent run time anywhere, in the unit of &llc_load.own.
 *
 * Return: See the table above; never %LLC_PREFER_FOLLOW, which llc_prefer_pick() tells
 * from %LLC_PREFER_MOVE.
 */
enum llc_prefer_reason llc_prefer_lean(const struct llc_load *load, unsigned int nr,
				       const unsigned long *cur,
				       const struct llc_demand *demand,
				       unsigned long total)
{
	struct llc_sum sum = llc_sum(load, nr, cur);

	if (!sum.nr)
		return LLC_PREFER_FIRST;
	if (llc_demand(demand, sum.capacity) > sum.capacity + CPU / 4)
		return LLC_PREFER_GROW;
	if (total > 3 * sum.own && total > CPU / 4)
		return LLC_PREFER_MOVE;
	if (demand->excess <= CPU / 8 && llc_spare(load, nr, cur, demand->running) >= 0)
		return LLC_PREFER_SHRINK;
	if (min(demand->running, sum.capacity) > sum.room + 3 * CPU / 4)
		return LLC_PREFER_MOVE;
	return LLC_PREFER_STAY;
}

/*
 * Is LLC @a a better one than @b to add to what starts at @first (-1: nothing yet),
 * which needs @missing more CPUs?
 */
static bool llc_better(const struct llc_load *load, int first, unsigned long missing,
		       unsigned int a, unsigned int b)
{
	unsigned long room_a = llc_room(&load[a]), room_b = llc_room(&load[b]);
	int near_a, near_b;

	if ((room_a >= CPU / 2) != (room_b >= CPU / 2))
		return room_a >= CPU / 2;
	if (first >= 0) {
		near_a = node_distance(load[first].nid, load[a].nid);
		near_b = node_distance(load[first].nid, load[b].nid);
		if (near_a != near_b)
			return near_a < near_b;
	}
	/* A share of a CPU more or less is noise, where both have enough it is nothing. */
	if (min(room_a, missing) / (CPU / 2) != min(room_b, missing) / (CPU / 2))
		return room_a > room_b;
	if (load[a].own != load[b].own)
		return load[a].own > load[b].own;
	return room_a > room_b;
}

/* Add LLCs to @set, whose first is @first, until their CPUs hold @demand. */
static void llc_fill(const struct llc_load *load, unsigned int nr,
		     const unsigned long *allowed, unsigned long demand,
		     int first, unsigned long *set)
{
	unsigned long capacity = llc_sum(load, nr, set).capacity;
	unsigned int id;
	int best;

	while (!capacity || demand > capacity + CPU / 4) {
		best = -1;
		for_each_andnot_bit(id, allowed, set, nr) {
			if (load[id].capacity &&
			    (best < 0 || llc_better(load, first, demand - min(demand, capacity),
						    id, best)))
				best = id;
		}
		if (best < 0)
			return;
		__set_bit(best, set);
		capacity += load[best].capacity;
		if (first < 0)
			first = best;
	}
}

/* Is set @a better than @b for a group that needs @demand? */
static bool llc_sum_better(const struct llc_sum *a, const struct llc_sum *b,
			   unsigned long demand)
{
	unsigned long use_a = min(a->room, demand) / (CPU / 2);
	unsigned long use_b = min(b->room, demand) / (CPU / 2);

	if (use_a != use_b)
		return use_a > use_b;
	if (a->nr != b->nr)
		return a->nr < b->nr;
	if (a->own != b->own)
		return a->own > b->own;
	return a->room > b->room;
}

/* Is there an LLC of node @nid in @allowed below @end? */
static bool llc_node_seen(const struct llc_load *load, const unsigned long *allowed,
			  unsigned int end, int nid)
{
	unsigned int id;

	for_each_set_bit(id, allowed, end) {
		if (load[id].capacity && load[id].nid == nid)
			return true;
	}
	return false;
}

/*
 * The best set that holds @demand. A set starts with the best LLC of a node and is
 * completed from there; of these, one for each node, the best is taken.
 */
static void llc_fresh(const struct llc_load *load, unsigned int nr,
		      const unsigned long *allowed, unsigned long demand,
		      unsigned long *next)
{
	struct llc_sum sum, best_sum;
	int first, best_first = -1;
	unsigned int id, other;

	for_each_set_bit(id, allowed, nr) {
		if (!load[id].capacity ||
		    llc_node_seen(load, allowed, id, load[id].nid))
			continue;

		first = id;
		for_each_set_bit(other, allowed, nr) {
			if (load[other].capacity && load[other].nid == load[id].nid &&
			    other != first &&
			    llc_better(load, -1, demand, other, first))
				first = other;
		}

		bitmap_zero(next, nr);
		__set_bit(first, next);
		llc_fill(load, nr, allowed, demand, first, next);
		sum = llc_sum(load, nr, next);
		if (best_first < 0 || llc_sum_better(&sum, &best_sum, demand)) {
			best_first = first;
			best_sum = sum;
		}
	}

	bitmap_zero(next, nr);
	if (best_first >= 0) {
		__set_bit(best_first, next);
		llc_fill(load, nr, allowed, demand, best_first, next);
	}
}

/**
 * llc_prefer_pick() - Which LLCs does a group get that wants others?
 * @load: What it knows of each LLC, by id.
 * @nr: Length of @load, and of the bitmaps.
 * @allowed: The ids to choose among.
 * @cur: The ids that it has.
 * @demand: What it asks for.
 * @lean: What it wants, from llc_prefer_lean().
 * @next: Where to put the ids that it gets.
 *
 * Return: The reason, mostly @lean, or %LLC_PREFER_STAY if there is nothing better
 * than @cur, which is then in @next.
 */
enum llc_prefer_reason llc_prefer_pick(const struct llc_load *load, unsigned int nr,
				       const unsigned long *allowed,
				       const unsigned long *cur,
				       const struct llc_demand *demand,
				       enum llc_prefer_reason lean, unsigned long *next)
{
	struct llc_sum have = llc_sum(load, nr, cur), get;
	unsigned long running = demand->running;
	int spare;

	bitmap_copy(next, cur, nr);

	switch (lean) {
	case LLC_PREFER_STAY:
		break;
	case LLC_PREFER_GROW:
		llc_fill(load, nr, allowed, llc_demand(demand, have.capacity),
			 find_first_bit(cur, nr), next);
		break;
	case LLC_PREFER_SHRINK:
		while ((spare = llc_spare(load, nr, next, running)) >= 0)
			__clear_bit(spare, next);
		break;
	default:
		llc_fresh(load, nr, allowed, running, next);
		get = llc_sum(load, nr, next);
		if (lean == LLC_PREFER_MOVE && get.own > 2 * have.own)
			lean = LLC_PREFER_FOLLOW;
		if (!get.nr ||
		    (lean == LLC_PREFER_MOVE &&
		     min(get.room, running) < min(have.room, running) + 3 * CPU / 4))
			bitmap_copy(next, cur, nr);
		break;
	}

	return bitmap_equal(next, cur, nr) ? LLC_PREFER_STAY : lean;
}
