// SPDX-License-Identifier: GPL-2.0
/*
 * Where does chance come from? From SplitMix (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014): a counter with an odd step, the
 * gamma, and a mix of its value. A new gamma makes a new, independent sequence,
 * so what one worker draws does not depend on what others do.
 */
#include "churn.h"

static uint64_t mix(uint64_t z, int first, uint64_t a, int second, uint64_t b, int third)
{
	z = (z ^ z >> first) * a;
	z = (z ^ z >> second) * b;
	return z ^ z >> third;
}

static uint64_t mix_gamma(uint64_t z)
{
	z = mix(z, 33, 0xff51afd7ed558ccdULL, 33, 0xc4ceb9fe1a85ec53ULL, 33) | 1;
	/* Too regular a step would show in the sequence. */
	if (__builtin_popcountll(z ^ z >> 1) < 24)
		z ^= 0xaaaaaaaaaaaaaaaaULL;
	return z;
}

struct rng rng_new(uint64_t seed)
{
	return (struct rng){ .state = seed, .gamma = 0x9e3779b97f4a7c15ULL };
}

uint64_t rng_next(struct rng *rng)
{
	rng->state += rng->gamma;
	return mix(rng->state, 30, 0xbf58476d1ce4e5b9ULL, 27, 0x94d049bb133111ebULL, 31);
}

struct rng rng_split(struct rng *rng)
{
	uint64_t state = rng_next(rng);

	rng->state += rng->gamma;
	return (struct rng){ .state = state, .gamma = mix_gamma(rng->state) };
}

unsigned int rng_below(struct rng *rng, unsigned int n)
{
	return (rng_next(rng) >> 32) * n >> 32;
}
