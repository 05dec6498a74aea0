// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs are in a set, and how is the set written?
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cpumask.h"

#define NR_WORDS (CPUMASK_BITS / CPUMASK_WORD)

void cpumask_set(struct cpumask *m, unsigned int cpu)
{
	m->bits[cpu / CPUMASK_WORD] |= 1UL << (cpu % CPUMASK_WORD);
}

void cpumask_or(struct cpumask *m, const struct cpumask *other)
{
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		m->bits[i] |= other->bits[i];
}

bool cpumask_test(const struct cpumask *m, unsigned int cpu)
{
	return m->bits[cpu / CPUMASK_WORD] >> (cpu % CPUMASK_WORD) & 1;
}

bool cpumask_equal(const struct cpumask *a, const struct cpumask *b)
{
	return !memcmp(a->bits, b->bits, sizeof(a->bits));
}

bool cpumask_intersects(const struct cpumask *a, const struct cpumask *b)
{
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

unsigned int cpumask_weight(const struct cpumask *m)
{
	return cpumask_weight_and(m, m);
}

unsigned int cpumask_weight_and(const struct cpumask *a,
				const struct cpumask *b)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		n += __builtin_popcountl(a->bits[i] & b->bits[i]);
	return n;
}

int cpumask_next(const struct cpumask *m, unsigned int from)
{
	while (from < CPUMASK_BITS) {
		unsigned long word = m->bits[from / CPUMASK_WORD] >>
				     (from % CPUMASK_WORD);

		if (word)
			return from + __builtin_ctzl(word);
		from += CPUMASK_WORD - from % CPUMASK_WORD;
	}
	return -1;
}

bool cpulist_separator(char c)
{
	return c == ',' || isspace((unsigned char)c);
}

/*
 * A number, or N for @last, at *@p; moves *@p behind it. Saturates well above
 * any CPU number, so that a long row of digits is out of range, not wrapped.
 */
static int parse_number(const char **p, const char *end, int last,
			unsigned int *value)
{
	const char *s = *p;

	if (s < end && *s == 'N' && last >= 0) {
		*value = last;
		*p = s + 1;
		return 0;
	}
	if (s == end || !isdigit((unsigned char)*s))
		return -EINVAL;
	for (*value = 0; s < end && isdigit((unsigned char)*s); s++)
		if (*value < 1000000000 / 10)
			*value = *value * 10 + (*s - '0');
	*p = s;
	return 0;
}

struct region {
	unsigned int start, end;	/* both inclusive */
	unsigned int used, of;		/* the first @used of every @of CPUs */
};

static int parse_region(const char *item, size_t len, int last,
			struct region *r)
{
	const char *p = item, *end = item + len;

	*r = (struct region){ .used = 1, .of = 1 };

	if (len >= 3 && !strncasecmp(p, "all", 3) && last >= 0) {
		r->end = last;
		p += 3;
	} else {
		if (parse_number(&p, end, last, &r->start))
			return -EINVAL;
		r->end = r->start;
		if (p == end)
			return 0;
		if (*p++ != '-' || parse_number(&p, end, last, &r->end))
			return -EINVAL;
	}
	if (p == end)
		return 0;
	if (*p++ != ':' || parse_number(&p, end, -1, &r->used) ||
	    p == end || *p++ != '/' || parse_number(&p, end, -1, &r->of))
		return -EINVAL;
	return p == end ? 0 : -EINVAL;
}

int cpulist_parse_item(const char *item, size_t len, int last,
		       struct cpumask *mask, struct why *why)
{
	int max = last >= 0 && last < CPUMASK_LAST ? last : CPUMASK_LAST;
	struct region r;
	unsigned int cpu;

	if (parse_region(item, len, last, &r))
		return why_set(why, -EINVAL, "'%.*s' is not a CPU or a range of CPUs",
			       (int)len, item);
	if (r.start > r.end)
		return why_set(why, -EINVAL, "the range %.*s runs backwards",
			       (int)len, item);
	if (!r.of || r.used > r.of)
		return why_set(why, -EINVAL, "%.*s takes %u of every %u CPUs",
			       (int)len, item, r.used, r.of);
	if (r.end > (unsigned int)max) {
		if (last < 0)
			return why_set(why, -ERANGE,
				       "no machine has CPU %u (Linux goes up to %d)",
				       r.end, CPUMASK_LAST);
		return why_set(why, -ERANGE, "no LLC has CPU %u (CPUs 0-%d)",
			       r.start > (unsigned int)max ? r.start : r.end,
			       max);
	}
	for (cpu = r.start; cpu <= r.end; cpu++)
		if ((cpu - r.start) % r.of < r.used)
			cpumask_set(mask, cpu);
	return 0;
}

int cpulist_parse(const char *text, int last, struct cpumask *mask,
		  struct why *why)
{
	size_t len;
	int ret;

	for (;; text += len) {
		while (cpulist_separator(*text))
			text++;
		if (!*text)
			return 0;
		for (len = 0; text[len] && !cpulist_separator(text[len]); len++)
			;
		ret = cpulist_parse_item(text, len, last, mask, why);
		if (ret)
			return ret;
	}
}

int cpumap_parse(const char *text, struct cpumask *mask)
{
	size_t len = strlen(text);
	unsigned int bit = 0, in_word = 0;

	memset(mask, 0, sizeof(*mask));
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (!len)
		return -EINVAL;

	/* From the lowest digit up; a comma ends a word of 32 bits. */
	while (len--) {
		int digit, i;

		if (text[len] == ',') {
			bit += 32 - in_word;
			in_word = 0;
			continue;
		}
		if (!isxdigit((unsigned char)text[len]) || in_word == 32)
			return -EINVAL;
		digit = isdigit((unsigned char)text[len]) ? text[len] - '0' :
			tolower((unsigned char)text[len]) - 'a' + 10;
		for (i = 0; i < 4; i++) {
			if (!(digit >> i & 1))
				continue;
			if (bit + i > CPUMASK_LAST)
				return -ERANGE;
			cpumask_set(mask, bit + i);
		}
		bit += 4;
		in_word += 4;
	}
	return 0;
}

char *cpulist_format(const struct cpumask *mask)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	const char *sep = "";
	int start, end;

	if (!f)
		return xstrdup("");
	for (start = cpumask_next(mask, 0); start >= 0;
	     start = cpumask_next(mask, end + 1)) {
		end = start;
		while (end < CPUMASK_LAST && cpumask_test(mask, end + 1))
			end++;
		if (end > start)
			fprintf(f, "%s%d-%d", sep, start, end);
		else
			fprintf(f, "%s%d", sep, start);
		sep = ",";
	}
	fclose(f);
	return text;
}
