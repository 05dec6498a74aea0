// SPDX-License-Identifier: GPL-2.0
/*
 * The mesh of mesh.sv once more, in C and from its description, to check the
 * simulation against. It is not fast: a check takes about as long as the
 * verilated model on one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define WIDTH		8
#define HEIGHT		4
#define TILES		(WIDTH * HEIGHT)
#define ROUNDS		6
#define WORDS		32
#define BOOT_CYCLES	256

enum op {
	ADD, XOR, ROL, MUL, ADDI, LD, ST, RECV, SEND, BT, JMP, AND, OR, SLTU, SUB, LUI
};

struct tile {
	uint32_t mem[256];
	uint32_t r[8];
	uint32_t v[WORDS];
	uint32_t inject;
	uint32_t probe;
	uint8_t pc;
};

struct mesh {
	struct tile tile[TILES];
	uint32_t sum[HEIGHT];
	uint64_t digest;
};

#define INS(op, rd, ra, rb, imm) \
	((uint32_t)(op) << 28 | (rd) << 25 | (ra) << 22 | (rb) << 19 | (imm))

/* The beginning of every tile's memory. */
static const uint32_t program[32] = {
	INS(RECV, 1, 0, 0, 0),
	INS(RECV, 2, 0, 0, 5),
	INS(ADD, 3, 1, 2, 0),
	INS(XOR, 6, 6, 3, 0),
	INS(LD, 4, 6, 0, 0),
	INS(MUL, 4, 4, 1, 0),
	INS(ROL, 4, 4, 2, 0),
	INS(ST, 0, 3, 4, 7),
	INS(SEND, 0, 4, 0, 0),
	INS(BT, 0, 4, 0, 3 << 8 | 15),
	INS(RECV, 5, 0, 0, 10),
	INS(SUB, 6, 6, 5, 0),
	INS(SLTU, 5, 6, 4, 0),
	INS(ADD, 6, 6, 5, 0),
	INS(JMP, 0, 0, 0, 18),
	INS(RECV, 5, 0, 0, 15),
	INS(AND, 0, 5, 6, 0),
	INS(OR, 6, 0, 4, 0),
	INS(ADDI, 7, 7, 0, 0xffff),
	INS(BT, 0, 7, 0, 1 << 8 | 0),
	INS(LUI, 0, 0, 0, 0x5a17),
	INS(XOR, 6, 6, 0, 0),
	INS(LD, 5, 7, 0, 32),
	INS(ST, 0, 7, 6, 32),
	INS(SEND, 0, 5, 0, 0),
	[25 ... 31] = INS(JMP, 0, 0, 0, 0),
};

static uint32_t rol(uint32_t x, unsigned int n)
{
	n %= 32;
	return n ? x << n | x >> (32 - n) : x;
}

static uint32_t scramble(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7a3d5e95;
	x ^= x >> 13;
	x *= 0x35d2a6b3;
	return x ^ x >> 16;
}

static void boot(struct tile *t, unsigned int id, uint32_t seed)
{
	unsigned int a;

	for (a = 0; a < BOOT_CYCLES; a++) {
		uint32_t h = scramble(seed + (256 * id + a) * 0x9e3779b1);

		t->mem[a] = a < 32 ? program[a] : h;
		t->v[a % WORDS] = h;
		t->r[a % 8] = h;
	}
	t->inject = 0;
	t->probe = 0;
	t->pc = 0;
}

static void step_processor(struct tile *t, const uint32_t in[WORDS])
{
	uint32_t word = t->mem[t->pc];
	uint32_t *rd = &t->r[word >> 25 & 7];
	uint32_t a = t->r[word >> 22 & 7];
	uint32_t b = t->r[word >> 19 & 7];
	uint16_t imm = word;
	uint32_t *data = &t->mem[128 + (a + imm) % 128];

	t->pc++;
	switch ((enum op)(word >> 28)) {
	case ADD:
		*rd = a + b;
		break;
	case XOR:
		*rd = a ^ b;
		break;
	case ROL:
		*rd = rol(a, b);
		break;
	case MUL:
		*rd = a * b;
		break;
	case ADDI:
		*rd = a + (uint32_t)(int16_t)imm;
		break;
	case LD:
		*rd = *data;
		break;
	case ST:
		*data = b;
		break;
	case RECV:
		*rd = in[imm % 16];
		break;
	case SEND:
		t->inject = a;
		break;
	case BT:
		if (a >> (imm >> 8 & 31) & 1)
			t->pc = imm;
		break;
	case JMP:
		t->pc = imm;
		break;
	case AND:
		*rd = a & b;
		break;
	case OR:
		*rd = a | b;
		break;
	case SLTU:
		*rd = a < b;
		break;
	case SUB:
		*rd = a - b;
		break;
	case LUI:
		*rd = (uint32_t)imm << 16;
		break;
	}
}

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	*a += *b;
	*d = rol(*d ^ *a, 16);
	*c += *d;
	*b = rol(*b ^ *c, 12);
	*a += *b;
	*d = rol(*d ^ *a, 8);
	*c += *d;
	*b = rol(*b ^ *c, 7);
}

static void double_rounds(uint32_t s[16])
{
	int i, round;

	for (round = 0; round < ROUNDS; round++) {
		/* Word 4 * i + j is in row i, column j. */
		for (i = 0; i < 4; i++)
			quarter(&s[i], &s[4 + i], &s[8 + i], &s[12 + i]);
		for (i = 0; i < 4; i++)
			quarter(&s[i], &s[4 + (i + 1) % 4], &s[8 + (i + 2) % 4],
				&s[12 + (i + 3) % 4]);
	}
}

static void step_mixer(struct tile *t, const uint32_t in[WORDS])
{
	uint32_t s[WORDS];
	int i;

	for (i = 0; i < WORDS; i++)
		s[i] = t->v[i] ^ in[i];
	s[0] += t->inject;
	double_rounds(s);
	double_rounds(s + 16);
	for (i = 0; i < WORDS; i++)
		t->v[i] += s[i];
}

/*
 * Of each block of sixteen words of v[], the first four go north, the next ones
 * east, then south and west. Of each block of in[], the first four come from the
 * neighbour in the north, and so on; they are from the other block of its v[].
 */
static void gather(const struct mesh *m, int x, int y, uint32_t in[WORDS])
{
	const struct tile *n = &m->tile[(y + HEIGHT - 1) % HEIGHT * WIDTH + x];
	const struct tile *e = &m->tile[y * WIDTH + (x + 1) % WIDTH];
	const struct tile *s = &m->tile[(y + 1) % HEIGHT * WIDTH + x];
	const struct tile *w = &m->tile[y * WIDTH + (x + WIDTH - 1) % WIDTH];
	int block;

	for (block = 0; block < WORDS; block += 16) {
		int other = 16 - block;

		memcpy(in + block, n->v + other + 8, 16);
		memcpy(in + block + 4, e->v + other + 12, 16);
		memcpy(in + block + 8, s->v + other, 16);
		memcpy(in + block + 12, w->v + other + 4, 16);
	}
}

static uint64_t pair(const struct mesh *m, int row)
{
	return (uint64_t)m->sum[row] << 32 | m->sum[row + 1];
}

static void step(struct mesh *m)
{
	static uint32_t in[TILES][WORDS];
	uint64_t sums = 0;
	int i, x, y;

	/* Everything below sees the registers as they were before this cycle. */
	for (y = 0; y < HEIGHT; y += 2)
		sums += pair(m, y) * (y + 1);
	m->digest = (m->digest << 1 | m->digest >> 63) ^ sums;

	for (y = 0; y < HEIGHT; y++) {
		const struct tile *row = &m->tile[y * WIDTH];

		m->sum[y] = 0;
		for (x = 0; x < WIDTH; x += 2)
			m->sum[y] += (row[x].probe ^ rol(row[x + 1].probe, 4)) * (x + 1);
		for (x = 0; x < WIDTH; x++)
			gather(m, x, y, in[y * WIDTH + x]);
	}

	for (i = 0; i < TILES; i++) {
		struct tile *t = &m->tile[i];

		/* The mixer takes what was sent before this cycle, so it is first. */
		t->probe = t->r[6] ^ t->v[31];
		step_mixer(t, in[i]);
		step_processor(t, in[i]);
	}
}

uint64_t model_digest(uint32_t seed, unsigned long cycles)
{
	struct mesh *m = calloc(1, sizeof(*m));
	uint64_t digest;
	int i;

	if (!m)
		abort();
	for (i = 0; i < TILES; i++)
		boot(&m->tile[i], i, seed);
	while (cycles--)
		step(m);
	digest = m->digest;
	free(m);
	return digest;
}
