/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VERILOG_MODEL_H
#define BENCH_VERILOG_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The mesh's digest after the boot and CYCLES more clock cycles. */
uint64_t model_digest(uint32_t seed, unsigned long cycles);

/* Marks (tests/cachesim/mark.h) for the group, 0 to 15, that was set last. */
void mark_set_group(unsigned int group);
void mark_member(void);
void mark_begin(void);
void mark_phase(void);
void mark_end(void);

#ifdef __cplusplus
}
#endif

#endif
