// SPDX-License-Identifier: GPL-2.0
/* Who did what; see account.h. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "latency.h"
#include "mark.h"

#define GROUPS		16
#define MEMBERS		512
#define COUNTERS	256
#define FUNCTIONS	16
#define TASK_COUNTERS	8	/* running ones of a task */
#define BUCKETS		4096

/*
 * PAUSE instructions at most this many instructions apart are a loop that waits.
 * The loops of spin locks and of Verilator's threads have less than 20.
 */
#define SPIN		64

struct counts {
	uint64_t	instructions;
	uint64_t	load[WHERE_NR];
	uint64_t	store[WHERE_NR];
};

struct running {
	bool		on;
	uint64_t	start;
};

struct task {
	struct task	*next;		/* of its bucket */
	uint64_t	id;
	bool		interrupted;
	struct counts	work, wait, interrupt;
	struct counts	at_pause;	/* work at the last PAUSE */
	bool		pausing;
	struct counts	at_phase;	/* work when the phase began */
	struct counts	at_begin, wait_at_begin, interrupt_at_begin;
	uint64_t	*by_llc;	/* instructions of work and waiting on each LLC */
	uint64_t	*by_llc_at_begin;
	struct running	function[FUNCTIONS];
};

struct cpu {
	struct task	*task;
	uint64_t	instructions;	/* outside interrupts */
	struct running	counter[TASK_COUNTERS];
};

struct group {
	struct task	*member[MEMBERS];
	unsigned int	nr_members;
	bool		begun;
	uint64_t	phases, turns;
	double		ns[NR_LATENCIES];
};

struct samples {
	uint64_t	*value;
	size_t		nr, room;
};

struct account {
	struct model_config	config;
	unsigned int		nr_llcs;
	FILE			*out;
	char			label[256];
	size_t			label_length;
	struct cpu		*cpu;
	struct task		*bucket[BUCKETS];
	struct group		group[GROUPS];
	struct samples		counter[COUNTERS];
	struct samples		function[FUNCTIONS];
	struct running		all[TASK_COUNTERS];
	uint64_t		instructions;	/* of all CPUs, interrupts included */
	uint64_t		cpu_checked, cpu_wrong;
};

static void *need(void *p)
{
	if (!p)
		errx(1, "cachesim: out of memory");
	return p;
}

static struct task *task_of(struct account *a, uint64_t id)
{
	struct task **bucket = &a->bucket[(id >> 6) % BUCKETS], *t;

	for (t = *bucket; t; t = t->next)
		if (t->id == id)
			return t;
	t = need(calloc(1, sizeof(*t)));
	t->by_llc = need(calloc(a->nr_llcs, sizeof(*t->by_llc)));
	t->by_llc_at_begin = need(calloc(a->nr_llcs, sizeof(*t->by_llc_at_begin)));
	t->id = id;
	t->next = *bucket;
	*bucket = t;
	return t;
}

struct account *account_new(const struct model_config *config, FILE *out)
{
	struct account *a = need(calloc(1, sizeof(*a)));

	a->config = *config;
	a->nr_llcs = config->cpus / config->cpus_per_llc;
	a->out = out;
	a->cpu = need(calloc(config->cpus, sizeof(*a->cpu)));
	for (unsigned int i = 0; i < config->cpus; i++)
		a->cpu[i].task = task_of(a, i);	/* until it is known */
	return a;
}

void account_free(struct account *a)
{
	for (unsigned int i = 0; i < BUCKETS; i++) {
		struct task *t, *next;

		for (t = a->bucket[i]; t; t = next) {
			next = t->next;
			free(t->by_llc);
			free(t->by_llc_at_begin);
			free(t);
		}
	}
	for (unsigned int i = 0; i < COUNTERS; i++)
		free(a->counter[i].value);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		free(a->function[i].value);
	free(a->cpu);
	free(a);
}

void account_switch(struct account *a, unsigned int cpu, uint64_t task)
{
	a->cpu[cpu].task = task_of(a, task);
}

static struct counts *counts_of(struct task *t)
{
	return t->interrupted ? &t->interrupt : &t->work;
}

void account_instructions(struct account *a, unsigned int cpu, unsigned int n)
{
	struct task *t = a->cpu[cpu].task;

	a->instructions += n;
	counts_of(t)->instructions += n;
	if (t->interrupted)
		return;
	a->cpu[cpu].instructions += n;
	t->by_llc[cpu / a->config.cpus_per_llc] += n;
}

void account_access(struct account *a, unsigned int cpu, enum where where, bool store)
{
	struct counts *c = counts_of(a->cpu[cpu].task);

	if (store)
		c->store[where]++;
	else
		c->load[where]++;
}

static struct counts minus(const struct counts *x, const struct counts *y)
{
	struct counts d;

	d.instructions = x->instructions - y->instructions;
	for (int i = 0; i < WHERE_NR; i++) {
		d.load[i] = x->load[i] - y->load[i];
		d.store[i] = x->store[i] - y->store[i];
	}
	return d;
}

static void add(struct counts *x, const struct counts *y)
{
	x->instructions += y->instructions;
	for (int i = 0; i < WHERE_NR; i++) {
		x->load[i] += y->load[i];
		x->store[i] += y->store[i];
	}
}

void account_pause(struct account *a, unsigned int cpu)
{
	struct task *t = a->cpu[cpu].task;

	if (t->interrupted)
		return;
	if (t->pausing && t->work.instructions - t->at_pause.instructions <= SPIN) {
		struct counts spun = minus(&t->work, &t->at_pause);

		add(&t->wait, &spun);
		t->work = t->at_pause;
	}
	t->at_pause = t->work;
	t->pausing = true;
}

void account_interrupt(struct account *a, unsigned int cpu, bool begins)
{
	a->cpu[cpu].task->interrupted = begins;
}

static double ns_of(const struct latency *l, const struct counts *c)
{
	double ns = l->instruction * c->instructions;

	for (int i = 0; i < WHERE_NR; i++)
		ns += l->load[i] * c->load[i];
	return ns;
}

/* Work goes on from here as if nothing had been before. */
static void new_phase(struct task *t)
{
	t->at_phase = t->work;
	t->pausing = false;
}

static void end_phase(struct group *g, bool turns)
{
	double most[NR_LATENCIES] = { 0 }, sum[NR_LATENCIES] = { 0 };

	for (unsigned int i = 0; i < g->nr_members; i++) {
		struct task *t = g->member[i];
		struct counts spent = minus(&t->work, &t->at_phase);

		for (size_t l = 0; l < NR_LATENCIES; l++) {
			double ns = ns_of(&latencies[l], &spent);

			sum[l] += ns;
			if (ns > most[l])
				most[l] = ns;
		}
		new_phase(t);
	}
	for (size_t l = 0; l < NR_LATENCIES; l++)
		g->ns[l] += turns ? sum[l] : most[l];
	g->phases++;
	g->turns += turns;
}

/* What a result tells of a task is counted from here on. */
static void begin_task(struct account *a, struct task *t)
{
	new_phase(t);
	t->at_begin = t->work;
	t->wait_at_begin = t->wait;
	t->interrupt_at_begin = t->interrupt;
	memcpy(t->by_llc_at_begin, t->by_llc, a->nr_llcs * sizeof(*t->by_llc));
}

static void begin(struct account *a, struct group *g)
{
	g->begun = true;
	g->phases = g->turns = 0;
	memset(g->ns, 0, sizeof(g->ns));
	for (unsigned int i = 0; i < g->nr_members; i++)
		begin_task(a, g->member[i]);
}

static void put_where(FILE *out, const char *key, const uint64_t n[WHERE_NR])
{
	fprintf(out, ",\"%s\":{", key);
	for (int i = 0; i < WHERE_NR; i++)
		fprintf(out, "%s\"%s\":%llu", i ? "," : "", where_names[i],
			(unsigned long long)n[i]);
	fputc('}', out);
}

static void put_counts(FILE *out, const struct counts *c)
{
	fprintf(out, "\"instructions\":%llu", (unsigned long long)c->instructions);
	put_where(out, "load", c->load);
	put_where(out, "store", c->store);
}

static void put_label(struct account *a, const char *kind)
{
	fprintf(a->out, "{\"kind\":\"%s\",\"label\":\"", kind);
	for (const char *c = a->label; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', a->out);
		fputc(*c, a->out);
	}
	fputc('"', a->out);
}

/* Lines that came from another LLC, or that others had to give up, a 1000 instructions. */
static double transfers(const struct counts *c)
{
	uint64_t n = c->load[REMOTE_CLEAN] + c->load[REMOTE_DIRTY] + c->load[REMOTE_UPGRADE] +
		     c->store[REMOTE_CLEAN] + c->store[REMOTE_DIRTY] + c->store[REMOTE_UPGRADE];

	return c->instructions ? 1000.0 * n / c->instructions : 0;
}

static void put_group(struct account *a, unsigned int nr, struct group *g)
{
	struct counts total = { 0 };
	uint64_t wait = 0, interrupt = 0;

	put_label(a, "group");
	fprintf(a->out, ",\"group\":%u,\"phases\":%llu,\"turns\":%llu,\"ns\":{", nr,
		(unsigned long long)g->phases, (unsigned long long)g->turns);
	for (size_t l = 0; l < NR_LATENCIES; l++)
		fprintf(a->out, "%s\"%s\":%.0f", l ? "," : "", latencies[l].name, g->ns[l]);
	fprintf(a->out, "},\"members\":[");
	for (unsigned int i = 0; i < g->nr_members; i++) {
		struct task *t = g->member[i];
		struct counts work = minus(&t->work, &t->at_begin);
		uint64_t waited = t->wait.instructions - t->wait_at_begin.instructions;
		uint64_t other = t->interrupt.instructions - t->interrupt_at_begin.instructions;

		fprintf(a->out, "%s{\"task\":\"%llx\",", i ? "," : "", (unsigned long long)t->id);
		put_counts(a->out, &work);
		fprintf(a->out, ",\"waiting\":%llu,\"interrupts\":%llu,\"by_llc\":[",
			(unsigned long long)waited, (unsigned long long)other);
		for (unsigned int l = 0; l < a->nr_llcs; l++)
			fprintf(a->out, "%s%llu", l ? "," : "",
				(unsigned long long)(t->by_llc[l] - t->by_llc_at_begin[l]));
		fprintf(a->out, "]}");
		add(&total, &work);
		wait += waited;
		interrupt += other;
	}
	fprintf(a->out, "],\"total\":{");
	put_counts(a->out, &total);
	fprintf(a->out, ",\"waiting\":%llu,\"interrupts\":%llu,\"by_llc\":[",
		(unsigned long long)wait, (unsigned long long)interrupt);
	for (unsigned int l = 0; l < a->nr_llcs; l++) {
		uint64_t n = 0;

		for (unsigned int i = 0; i < g->nr_members; i++)
			n += g->member[i]->by_llc[l] - g->member[i]->by_llc_at_begin[l];
		fprintf(a->out, "%s%llu", l ? "," : "", (unsigned long long)n);
	}
	fprintf(a->out, "]},\"transfers_per_1000\":%.4f,\"cpus_checked\":%llu,\"cpus_wrong\":%llu}\n",
		transfers(&total), (unsigned long long)a->cpu_checked,
		(unsigned long long)a->cpu_wrong);
	fflush(a->out);
}

static int by_value(const void *x, const void *y)
{
	uint64_t u = *(const uint64_t *)x, v = *(const uint64_t *)y;

	return u < v ? -1 : u > v;
}

static void sample(struct samples *s, uint64_t value)
{
	if (s->nr == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->value = need(realloc(s->value, s->room * sizeof(*s->value)));
	}
	s->value[s->nr++] = value;
}

static void put_samples(struct account *a, const char *kind, unsigned int nr, struct samples *s)
{
	uint64_t sum = 0;

	if (!s->nr)
		return;
	for (size_t i = 0; i < s->nr; i++)
		sum += s->value[i];
	qsort(s->value, s->nr, sizeof(*s->value), by_value);
	put_label(a, kind);
	fprintf(a->out, ",\"number\":%u,\"samples\":%zu,\"instructions\":{\"min\":%llu,"
		"\"median\":%llu,\"mean\":%.1f,\"max\":%llu}}\n", nr, s->nr,
		(unsigned long long)s->value[0], (unsigned long long)s->value[s->nr / 2],
		(double)sum / s->nr, (unsigned long long)s->value[s->nr - 1]);
	fflush(a->out);
	s->nr = 0;
}

/* A label ends: what was counted under it is a result. */
static void end_label(struct account *a)
{
	for (unsigned int i = 0; i < COUNTERS; i++)
		put_samples(a, "counter", i, &a->counter[i]);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		put_samples(a, "function", i, &a->function[i]);
	a->label_length = 0;
	a->label[0] = 0;
}

static void label(struct account *a, unsigned int character)
{
	if (!character) {
		end_label(a);
	} else if (a->label_length < sizeof(a->label) - 1 && character >= ' ' && character < 127) {
		a->label[a->label_length++] = character;
		a->label[a->label_length] = 0;
	}
}

static void join(struct account *a, struct group *g, struct task *t)
{
	for (unsigned int i = 0; i < g->nr_members; i++)
		if (g->member[i] == t)
			return;
	if (g->nr_members == MEMBERS)
		errx(1, "cachesim: a group has more than %d members", MEMBERS);
	g->member[g->nr_members++] = t;
	begin_task(a, t);
}

/* Counters below 128 are of the caller's CPU outside interrupts, the rest of all CPUs. */
static struct running *counter_of(struct account *a, unsigned int cpu, unsigned int nr)
{
	if (nr < 128)
		return &a->cpu[cpu].counter[nr % TASK_COUNTERS];
	return &a->all[nr % TASK_COUNTERS];
}

static uint64_t reading(const struct account *a, unsigned int cpu, unsigned int nr)
{
	return nr < 128 ? a->cpu[cpu].instructions : a->instructions;
}

void account_mark(struct account *a, unsigned int cpu, unsigned int op, unsigned int arg)
{
	struct group *g = &a->group[arg % GROUPS];
	struct running *counter;

	switch (op) {
	case MARK_MEMBER:
		join(a, g, a->cpu[cpu].task);
		break;
	case MARK_BEGIN:
		begin(a, g);
		break;
	case MARK_PHASE:
	case MARK_TURN:
		if (g->begun)
			end_phase(g, op == MARK_TURN);
		break;
	case MARK_END:
		if (g->begun)
			put_group(a, arg % GROUPS, g);
		g->begun = false;
		break;
	case MARK_LEAVE:
		g->nr_members = 0;
		g->begun = false;
		break;
	case MARK_LABEL:
		label(a, arg);
		break;
	case MARK_COUNT:
		counter = counter_of(a, cpu, arg);
		counter->on = true;
		counter->start = reading(a, cpu, arg);
		break;
	case MARK_STOP:
		counter = counter_of(a, cpu, arg);
		if (counter->on)
			sample(&a->counter[arg % COUNTERS], reading(a, cpu, arg) - counter->start);
		counter->on = false;
		break;
	case MARK_CPU:
		a->cpu_checked++;
		a->cpu_wrong += arg != cpu % 256;
		break;
	}
}

void account_enter(struct account *a, unsigned int cpu, unsigned int function)
{
	struct task *t = a->cpu[cpu].task;

	t->function[function % FUNCTIONS].on = true;
	t->function[function % FUNCTIONS].start = counts_of(t)->instructions;
}

void account_leave(struct account *a, unsigned int cpu, unsigned int function)
{
	struct task *t = a->cpu[cpu].task;
	struct running *r = &t->function[function % FUNCTIONS];

	if (r->on)
		sample(&a->function[function % FUNCTIONS], counts_of(t)->instructions - r->start);
	r->on = false;
}
