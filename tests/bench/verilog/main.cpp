// SPDX-License-Identifier: GPL-2.0
/*
 * Simulates the mesh (mesh.sv) for a number of clock cycles with the threads of
 * Verilator's pool and checks the result against the C model. Each measured
 * clock cycle is a phase of the group of these threads (tests/cachesim/mark.h).
 *
 * How Verilator 5.006 waits: a thread that needs another's result within a step
 * spins on that task's counter with PAUSE, and calls sched_yield() after every
 * VL_LOCK_SPINS (50000) turns. Between steps a thread of the pool spins with
 * PAUSE on the length of its list of work, also for 50000 turns, and then
 * sleeps on a condition variable, which is a futex. Work is put into the list
 * under a mutex. So threads with a CPU each never sleep while steps follow each
 * other, but they do while the main thread waits for a file.
 */
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include "Vmesh.h"
#include "model.h"
#include "verilated.h"

#define THREADS		8	/* as given to verilator --threads */
#define WAKE_CYCLES	8	/* of the warm-up, run after the wait */

static const char usage[] =
	"usage: verilated [--cycles N] [--warm N] [--seed S] [--group G]\n"
	"                 [--ready FILE] [--wait FILE]\n"
	"Simulates a mesh of tiles for N cycles after a boot and N cycles of warm-up.\n"
	"--ready	create FILE when the warm-up is over\n"
	"--wait	then wait until FILE exists\n"
	"--group	the marks' group, 0 to 15\n";

static unsigned long number(const char *text, unsigned long max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || *text < '0' || *text > '9' || *end || value > max) {
		fprintf(stderr, "verilated: not a number up to %lu: %s\n", max, text);
		exit(2);
	}
	return value;
}

static void cycle(Vmesh &mesh)
{
	mesh.clk = 1;
	mesh.eval();
	mesh.clk = 0;
	mesh.eval();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cycles", required_argument, nullptr, 'c' },
		{ "warm", required_argument, nullptr, 'w' },
		{ "seed", required_argument, nullptr, 's' },
		{ "group", required_argument, nullptr, 'g' },
		{ "ready", required_argument, nullptr, 'r' },
		{ "wait", required_argument, nullptr, 'W' },
		{ nullptr, 0, nullptr, 0 }
	};
	unsigned long cycles = 200, warm = 50, late, i;
	const char *ready = nullptr, *wait = nullptr;
	unsigned int seed = 1, group = 0;
	uint64_t want, got;
	int c;

	while ((c = getopt_long(argc, argv, "", options, nullptr)) != -1) {
		switch (c) {
		case 'c':
			cycles = number(optarg, 1000000000);
			break;
		case 'w':
			warm = number(optarg, 1000000000);
			break;
		case 's':
			seed = number(optarg, UINT32_MAX);
			break;
		case 'g':
			group = number(optarg, 15);
			break;
		case 'r':
			ready = optarg;
			break;
		case 'W':
			wait = optarg;
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		return 2;
	}

	mark_set_group(group);
	mark_member();

	/* Verilator's default is a thread for each CPU; it warns if there are fewer. */
	VerilatedContext context;
	context.threads(THREADS);
	Vmesh mesh(&context);

	/* The first step only initializes: it sees no edge of the clock. */
	mesh.seed = seed;
	mesh.rst = 1;
	mesh.clk = 0;
	mesh.eval();
	cycle(mesh);
	mesh.rst = 0;
	do
		cycle(mesh);
	while (mesh.booting);

	/* The last cycles of the warm-up come after the wait, to wake the pool. */
	late = warm < WAKE_CYCLES ? warm : WAKE_CYCLES;
	for (i = late; i < warm; i++)
		cycle(mesh);
	if (ready) {
		int fd = open(ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

		if (fd < 0) {
			fprintf(stderr, "verilated: %s: %s\n", ready, strerror(errno));
			return 2;
		}
		close(fd);
	}
	while (wait && access(wait, F_OK))
		usleep(10000);
	for (i = 0; i < late; i++)
		cycle(mesh);

	mark_begin();
	for (i = 0; i < cycles; i++) {
		cycle(mesh);
		mark_phase();
	}
	mark_end();
	mesh.final();

	got = mesh.digest;
	want = model_digest(seed, warm + cycles);
	if (got != want) {
		printf("verilated: seed %u, %lu + %lu cycles: digest %016" PRIx64
		       ", the model's is %016" PRIx64 "\n", seed, warm, cycles, got, want);
		return 1;
	}
	printf("verilated: seed %u, %lu + %lu cycles: digest %016" PRIx64 " ok\n",
	       seed, warm, cycles, got);
	return 0;
}
