// SPDX-License-Identifier: GPL-2.0
/* Which cache has it; see model.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h"

const char * const where_names[WHERE_NR] = {
	[HIT_L1]	= "l1",
	[HIT_L2]	= "l2",
	[HIT_LLC]	= "llc",
	[PEER]		= "peer",
	[REMOTE_CLEAN]	= "remote_clean",
	[REMOTE_DIRTY]	= "remote_dirty",
	[REMOTE_UPGRADE] = "remote_upgrade",
	[MEMORY]	= "memory",
	[MEMORY_FAR]	= "memory_far",
};

/*
 * A line of a private cache: its number and two flags in one word, so that a set
 * of eight is one line of the host. Ways are kept in order of use.
 */
#define WRITABLE	1ULL	/* this core alone in the machine has it */
#define DIRTY		2ULL	/* and has written it since it came, or since L1 gave it back */
#define FLAGS		3ULL
#define NOTHING		(~0ULL << 2)

#define NO_CORE		0xff

struct llc_line {
	uint64_t	line;
	uint64_t	cores;		/* those of this LLC that have it */
	uint8_t		owner;		/* the one that may write it, or NO_CORE */
	bool		dirty;		/* newer than memory */
};

struct core {
	uint64_t	*l1, *l2;
};

struct model {
	struct model_config	config;
	unsigned int		nr_cores, cores_per_llc, nr_llcs;
	struct core		*cores;
	struct llc_line		**llcs;
	uint64_t		*directory;	/* by line: the LLCs that have it */
	uint64_t		nr_lines;
};

static uint64_t *set_of(uint64_t *cache, struct cache_geometry g, uint64_t line)
{
	return cache + (line & (g.sets - 1)) * g.ways;
}

/* Returns the way, or -1. */
static int find(const uint64_t *set, unsigned int ways, uint64_t line)
{
	for (unsigned int i = 0; i < ways; i++)
		if ((set[i] >> 2) == line)
			return i;
	return -1;
}

static void to_front(uint64_t *set, unsigned int way)
{
	uint64_t entry = set[way];

	memmove(set + 1, set, way * sizeof(*set));
	set[0] = entry;
}

static void drop(uint64_t *set, unsigned int ways, unsigned int way)
{
	memmove(set + way, set + way + 1, (ways - way - 1) * sizeof(*set));
	set[ways - 1] = NOTHING;
}

static struct llc_line *llc_set(const struct model *m, unsigned int llc, uint64_t line)
{
	return m->llcs[llc] + (line & (m->config.llc.sets - 1)) * m->config.llc.ways;
}

/* The entry, moved to the front of its set if touch, or NULL. */
static struct llc_line *llc_find(const struct model *m, unsigned int llc, uint64_t line,
				 bool touch)
{
	struct llc_line *set = llc_set(m, llc, line), found;

	for (unsigned int i = 0; i < m->config.llc.ways; i++) {
		if (set[i].line != line)
			continue;
		if (!touch || !i)
			return &set[i];
		found = set[i];
		memmove(set + 1, set, i * sizeof(*set));
		set[0] = found;
		return set;
	}
	return NULL;
}

/* What a core does with a line that another one wants. */
enum fate { GIVE_UP, KEEP_TO_READ };

/* The same in one of its caches; returns the line's flags, 0 if it is not there. */
static uint64_t yield_in(uint64_t *cache, struct cache_geometry g, uint64_t line, enum fate fate)
{
	uint64_t *set = set_of(cache, g, line), flags;
	int way = find(set, g.ways, line);

	if (way < 0)
		return 0;
	flags = set[way] & FLAGS;
	if (fate == GIVE_UP)
		drop(set, g.ways, way);
	else
		set[way] &= ~FLAGS;
	return flags;
}

/* A core gives a line up, or keeps it for reading; returns whether it had written it. */
static bool yield_line(struct model *m, unsigned int core, uint64_t line, enum fate fate)
{
	uint64_t flags = yield_in(m->cores[core].l1, m->config.l1, line, fate);

	flags |= yield_in(m->cores[core].l2, m->config.l2, line, fate);
	return flags & DIRTY;
}

static unsigned int core_number(const struct model *m, unsigned int llc, unsigned int bit)
{
	return llc * m->cores_per_llc + bit;
}

/* Takes a line away from every core of an LLC but one (or NO_CORE: from all). */
static void take_from_cores(struct model *m, unsigned int llc, struct llc_line *entry,
			    unsigned int but)
{
	uint64_t cores = entry->cores;

	if (but != NO_CORE)
		cores &= ~(1ULL << but);
	entry->cores &= ~cores;
	if (entry->owner != but)
		entry->owner = NO_CORE;
	for (; cores; cores &= cores - 1) {
		unsigned int bit = __builtin_ctzll(cores);

		if (yield_line(m, core_number(m, llc, bit), entry->line, GIVE_UP))
			entry->dirty = true;
	}
}

/* Takes a line away from every LLC but one; returns whether one had it dirty. */
static bool take_from_llcs(struct model *m, uint64_t line, unsigned int but)
{
	uint64_t llcs = m->directory[line] & ~(1ULL << but);
	bool dirty = false;

	for (; llcs; llcs &= llcs - 1) {
		unsigned int llc = __builtin_ctzll(llcs);
		struct llc_line *entry = llc_find(m, llc, line, false);

		take_from_cores(m, llc, entry, NO_CORE);
		dirty |= entry->dirty;
		entry->line = ~0ULL;
		entry->dirty = false;
	}
	m->directory[line] &= 1ULL << but;
	return dirty;
}

/* All other LLCs keep a line for reading, and memory has it; was it dirty? */
static bool share_in_llcs(struct model *m, uint64_t line, unsigned int but)
{
	uint64_t llcs = m->directory[line] & ~(1ULL << but);
	bool dirty = false;

	for (; llcs; llcs &= llcs - 1) {
		unsigned int llc = __builtin_ctzll(llcs);
		struct llc_line *entry = llc_find(m, llc, line, false);

		if (entry->owner != NO_CORE) {
			entry->dirty |= yield_line(m, core_number(m, llc, entry->owner), line,
						   KEEP_TO_READ);
			entry->owner = NO_CORE;
		}
		dirty |= entry->dirty;
		entry->dirty = false;
	}
	return dirty;
}

static struct llc_line *llc_insert(struct model *m, unsigned int llc, uint64_t line)
{
	struct llc_line *set = llc_set(m, llc, line);
	unsigned int last = m->config.llc.ways - 1, way = last;

	for (unsigned int i = 0; i < last; i++) {
		if (set[i].line == ~0ULL) {
			way = i;
			break;
		}
	}
	if (set[way].line != ~0ULL) {
		take_from_cores(m, llc, &set[way], NO_CORE);
		m->directory[set[way].line] &= ~(1ULL << llc);
	}
	memmove(set + 1, set, way * sizeof(*set));
	*set = (struct llc_line) { .line = line, .owner = NO_CORE };
	m->directory[line] |= 1ULL << llc;
	return set;
}

static void insert_l1(struct model *m, unsigned int core, uint64_t entry)
{
	uint64_t *set = set_of(m->cores[core].l1, m->config.l1, entry >> 2);
	uint64_t victim = set[m->config.l1.ways - 1];

	if (victim != NOTHING && victim & DIRTY) {
		uint64_t *l2 = set_of(m->cores[core].l2, m->config.l2, victim >> 2);

		l2[find(l2, m->config.l2.ways, victim >> 2)] |= DIRTY;
	}
	memmove(set + 1, set, (m->config.l1.ways - 1) * sizeof(*set));
	set[0] = entry;
}

static void insert_l2(struct model *m, unsigned int core, unsigned int llc, uint64_t entry)
{
	uint64_t *set = set_of(m->cores[core].l2, m->config.l2, entry >> 2);
	uint64_t victim = set[m->config.l2.ways - 1];

	if (victim != NOTHING) {
		struct llc_line *of = llc_find(m, llc, victim >> 2, false);
		unsigned int bit = core % m->cores_per_llc;

		if (yield_line(m, core, victim >> 2, GIVE_UP))
			of->dirty = true;
		of->cores &= ~(1ULL << bit);
		if (of->owner == bit)
			of->owner = NO_CORE;
	}
	memmove(set + 1, set, (m->config.l2.ways - 1) * sizeof(*set));
	set[0] = entry;
}

static enum where memory_of(const struct model *m, unsigned int llc, uint64_t line)
{
	unsigned int home = line / ((m->nr_lines + m->config.nodes - 1) / m->config.nodes);

	return home == llc / (m->nr_llcs / m->config.nodes) ? MEMORY : MEMORY_FAR;
}

/* A core is to have a line that its LLC has; the private caches lack it. */
static enum where from_own_llc(struct model *m, struct llc_line *entry, unsigned int llc,
			       unsigned int bit, bool store, bool *writable)
{
	enum where where = HIT_LLC;

	if (entry->owner != NO_CORE) {
		if (yield_line(m, core_number(m, llc, entry->owner), entry->line, KEEP_TO_READ))
			entry->dirty = true;
		entry->owner = NO_CORE;
		where = PEER;
	}
	if (store) {
		if (entry->cores) {
			take_from_cores(m, llc, entry, NO_CORE);
			where = PEER;
		}
		if (m->directory[entry->line] & ~(1ULL << llc)) {
			take_from_llcs(m, entry->line, llc);
			where = REMOTE_UPGRADE;
		}
	}
	*writable = !entry->cores && m->directory[entry->line] == 1ULL << llc;
	entry->cores |= 1ULL << bit;
	if (*writable)
		entry->owner = bit;
	return where;
}

/* The LLC lacks it, too. */
static enum where from_elsewhere(struct model *m, uint64_t line, unsigned int llc,
				 unsigned int bit, bool store, bool *writable)
{
	bool others = m->directory[line];
	struct llc_line *entry;
	enum where where;

	if (!others)
		where = memory_of(m, llc, line);
	else if (store ? take_from_llcs(m, line, llc) : share_in_llcs(m, line, llc))
		where = REMOTE_DIRTY;
	else
		where = REMOTE_CLEAN;
	entry = llc_insert(m, llc, line);
	*writable = m->directory[line] == 1ULL << llc;
	entry->cores = 1ULL << bit;
	entry->owner = *writable ? bit : NO_CORE;
	return where;
}

/* A store to a line that the core has for reading only. */
static enum where upgrade(struct model *m, uint64_t line, unsigned int llc, unsigned int bit)
{
	struct llc_line *entry = llc_find(m, llc, line, false);
	enum where where = HIT_LLC;

	if (entry->cores & ~(1ULL << bit)) {
		take_from_cores(m, llc, entry, bit);
		where = PEER;
	}
	if (m->directory[line] & ~(1ULL << llc)) {
		take_from_llcs(m, line, llc);
		where = REMOTE_UPGRADE;
	}
	entry->owner = bit;
	return where;
}

enum where model_access(struct model *m, unsigned int cpu, uint64_t address, bool store)
{
	unsigned int core = cpu / m->config.cpus_per_core;
	uint64_t line = address >> LINE_SHIFT;
	uint64_t *l1 = set_of(m->cores[core].l1, m->config.l1, line), *l2;
	unsigned int llc, bit;
	struct llc_line *entry;
	enum where where;
	bool writable;
	int way;

	way = find(l1, m->config.l1.ways, line);
	if (way >= 0) {
		if (way)
			to_front(l1, way);
		if (!store)
			return HIT_L1;
		if (l1[0] & WRITABLE) {
			l1[0] |= DIRTY;
			return HIT_L1;
		}
	}
	llc = core / m->cores_per_llc;
	bit = core % m->cores_per_llc;
	l2 = set_of(m->cores[core].l2, m->config.l2, line);
	if (way >= 0) {
		/* Found, but not to be written yet. */
		where = upgrade(m, line, llc, bit);
		l1[0] |= WRITABLE | DIRTY;
		l2[find(l2, m->config.l2.ways, line)] |= WRITABLE;
		return where;
	}
	way = find(l2, m->config.l2.ways, line);
	if (way >= 0) {
		to_front(l2, way);
		where = HIT_L2;
		if (store && !(l2[0] & WRITABLE)) {
			where = upgrade(m, line, llc, bit);
			l2[0] |= WRITABLE;
		}
		insert_l1(m, core, line << 2 | (l2[0] & WRITABLE) | (store ? DIRTY : 0));
		return where;
	}
	entry = llc_find(m, llc, line, true);
	if (entry)
		where = from_own_llc(m, entry, llc, bit, store, &writable);
	else
		where = from_elsewhere(m, line, llc, bit, store, &writable);
	insert_l2(m, core, llc, line << 2 | (writable ? WRITABLE : 0));
	insert_l1(m, core, line << 2 | (writable ? WRITABLE : 0) | (store ? DIRTY : 0));
	return where;
}

static const char *impossible(const struct model_config *c)
{
	const struct cache_geometry *g[] = { &c->l1, &c->l2, &c->llc };

	for (int i = 0; i < 3; i++)
		if (!g[i]->ways || !g[i]->sets || g[i]->sets & (g[i]->sets - 1))
			return "the sets of a cache are not a power of two, or it has no ways";
	if (!c->cpus || !c->cpus_per_core || !c->cpus_per_llc)
		return "there are no CPUs";
	if (c->cpus_per_llc % c->cpus_per_core || c->cpus % c->cpus_per_llc)
		return "the CPUs do not divide evenly into LLCs and cores";
	if (c->cpus / c->cpus_per_llc > MAX_LLCS)
		return "there are more than 64 LLCs";
	if (c->cpus_per_llc / c->cpus_per_core > MAX_LLC_CORES)
		return "an LLC has more than 64 cores";
	if (!c->nodes || (c->cpus / c->cpus_per_llc) % c->nodes)
		return "the LLCs do not divide evenly into nodes";
	if (c->memory < (1 << LINE_SHIFT))
		return "there is no memory";
	return NULL;
}

static uint64_t *new_private(struct cache_geometry g)
{
	size_t n = (size_t)g.sets * g.ways;
	uint64_t *cache = malloc(n * sizeof(*cache));

	for (size_t i = 0; cache && i < n; i++)
		cache[i] = NOTHING;
	return cache;
}

static struct llc_line *new_llc(struct cache_geometry g)
{
	size_t n = (size_t)g.sets * g.ways;
	struct llc_line *llc = malloc(n * sizeof(*llc));

	for (size_t i = 0; llc && i < n; i++)
		llc[i] = (struct llc_line) { .line = ~0ULL, .owner = NO_CORE };
	return llc;
}

struct model *model_new(const struct model_config *config, const char **error)
{
	struct model *m;
	bool complete = true;

	*error = impossible(config);
	if (*error)
		return NULL;
	*error = "there is not enough memory for the model";
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->config = *config;
	m->nr_cores = config->cpus / config->cpus_per_core;
	m->cores_per_llc = config->cpus_per_llc / config->cpus_per_core;
	m->nr_llcs = config->cpus / config->cpus_per_llc;
	m->nr_lines = config->memory >> LINE_SHIFT;
	m->cores = calloc(m->nr_cores, sizeof(*m->cores));
	m->llcs = calloc(m->nr_llcs, sizeof(*m->llcs));
	m->directory = mmap(NULL, m->nr_lines * sizeof(*m->directory), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->directory == MAP_FAILED)
		m->directory = NULL;
	if (!m->cores || !m->llcs || !m->directory) {
		model_free(m);
		return NULL;
	}
	for (unsigned int i = 0; i < m->nr_cores; i++) {
		m->cores[i].l1 = new_private(config->l1);
		m->cores[i].l2 = new_private(config->l2);
		complete &= m->cores[i].l1 && m->cores[i].l2;
	}
	for (unsigned int i = 0; i < m->nr_llcs; i++) {
		m->llcs[i] = new_llc(config->llc);
		complete &= !!m->llcs[i];
	}
	if (!complete) {
		model_free(m);
		return NULL;
	}
	*error = NULL;
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; m->cores && i < m->nr_cores; i++) {
		free(m->cores[i].l1);
		free(m->cores[i].l2);
	}
	for (unsigned int i = 0; m->llcs && i < m->nr_llcs; i++)
		free(m->llcs[i]);
	if (m->directory)
		munmap(m->directory, m->nr_lines * sizeof(*m->directory));
	free(m->cores);
	free(m->llcs);
	free(m);
}

static const char *check_core(const struct model *m, unsigned int core)
{
	const struct model_config *c = &m->config;
	unsigned int llc = core / m->cores_per_llc, bit = core % m->cores_per_llc;
	size_t n1 = (size_t)c->l1.sets * c->l1.ways, n2 = (size_t)c->l2.sets * c->l2.ways;

	for (size_t i = 0; i < n1; i++) {
		uint64_t entry = m->cores[core].l1[i], *l2;
		int way;

		if (entry == NOTHING)
			continue;
		l2 = set_of(m->cores[core].l2, c->l2, entry >> 2);
		way = find(l2, c->l2.ways, entry >> 2);
		if (way < 0)
			return "a line of an L1 is not in the L2";
		if ((entry ^ l2[way]) & WRITABLE)
			return "L1 and L2 differ on whether a line may be written";
		if (entry & DIRTY && !(entry & WRITABLE))
			return "a line was written that may not be";
	}
	for (size_t i = 0; i < n2; i++) {
		uint64_t entry = m->cores[core].l2[i];
		struct llc_line *of;

		if (entry == NOTHING)
			continue;
		of = llc_find(m, llc, entry >> 2, false);
		if (!of)
			return "a line of an L2 is not in the LLC";
		if (!(of->cores & 1ULL << bit))
			return "an LLC does not know that a core has a line";
		if (!!(entry & WRITABLE) != (of->owner == bit))
			return "an LLC does not know who may write a line";
	}
	return NULL;
}

const char *model_check(const struct model *m)
{
	size_t n = (size_t)m->config.llc.sets * m->config.llc.ways;
	const char *wrong;

	for (unsigned int core = 0; core < m->nr_cores; core++) {
		wrong = check_core(m, core);
		if (wrong)
			return wrong;
	}
	for (unsigned int llc = 0; llc < m->nr_llcs; llc++) {
		for (size_t i = 0; i < n; i++) {
			const struct llc_line *entry = &m->llcs[llc][i];

			if (entry->line == ~0ULL)
				continue;
			if (!(m->directory[entry->line] & 1ULL << llc))
				return "the directory does not know that an LLC has a line";
			if (entry->owner != NO_CORE && entry->cores != 1ULL << entry->owner)
				return "a line that one core may write is with others, too";
			if (entry->owner != NO_CORE && m->directory[entry->line] != 1ULL << llc)
				return "a line that may be written is in two LLCs";
			if (entry->dirty && m->directory[entry->line] != 1ULL << llc)
				return "a dirty line is in two LLCs";
		}
	}
	for (uint64_t line = 0; line < m->nr_lines; line++)
		for (uint64_t llcs = m->directory[line]; llcs; llcs &= llcs - 1)
			if (!llc_find(m, __builtin_ctzll(llcs), line, false))
				return "the directory has an LLC that has not the line";
	return NULL;
}
