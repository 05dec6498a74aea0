// SPDX-License-Identifier: GPL-2.0
/*
 * The cache simulator as a plugin of QEMU: feeds what an emulated machine does
 * to the model and the accounts.
 *
 * At first it only watches for marks and switches of tasks, which costs little.
 * From MARK_ON to MARK_OFF it counts instructions as well, and with mode=simulate
 * looks at every access to memory.
 *
 * Which task a CPU runs it learns from the kernel's switch: __switch_to_asm
 * stores the stack pointer into the task that leaves and loads it from the one
 * that comes, so the address that it loads from names a task.
 *
 * Arguments: out=FILE cpus=N cpus-per-llc=N [cpus-per-core=N] [nodes=N]
 * memory=BYTES mode=count|simulate symbols=FILE [llc-kib=N]. The file of symbols
 * has a line each: "switch ADDRESS", "interrupt ADDRESS" for each entry of an
 * interrupt, "function NUMBER ADDRESS SIZE" for functions that are counted.
 *
 * Threads: QEMU must run with thread=single, so that one CPU runs at a time.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "mark.h"
#include "qemu-api.h"

#define MAX_INTERRUPTS	128
#define MAX_FUNCTIONS	16

__attribute__((visibility("default"))) int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum mode { NO_MODE, COUNT, SIMULATE };

static struct model *model;
static struct account *account;
static uint64_t memory;
static enum mode mode;
static bool on;			/* else it only watches */
static bool sees_all;		/* code is translated for more than to watch */
static qemu_plugin_id_t plugin;

static uint64_t switch_to;
static uint64_t interrupt[MAX_INTERRUPTS];
static unsigned int nr_interrupts;
static struct {
	uint64_t	start, end;
	unsigned int	nr;
} function[MAX_FUNCTIONS];
static unsigned int nr_functions;

/* A number given to a callback in place of a pointer. */
static void *number(uint64_t n)
{
	return (void *)(uintptr_t)n;
}

static uint64_t number_of(void *p)
{
	return (uintptr_t)p;
}

static void register_callbacks(qemu_plugin_id_t id);

/*
 * The first MARK_ON throws away all translated code, soon, and has what follows
 * translated anew. MARK_OFF does not: QEMU 7.2 keeps a pointer to the callbacks of
 * an instruction that faulted, which it would follow after they are freed.
 */
static void set_on(bool to)
{
	on = to;
	if (!on || sees_all)
		return;
	sees_all = true;
	qemu_plugin_reset(plugin, register_callbacks);
}

static void on_mark(unsigned int cpu, void *data)
{
	unsigned int op = number_of(data) >> 8, arg = number_of(data) & 0xff;

	if (op == MARK_ON || op == MARK_OFF)
		set_on(op == MARK_ON);
	else
		account_mark(account, cpu, op, arg);
}

static void on_block(unsigned int cpu, void *data)
{
	if (on)
		account_instructions(account, cpu, number_of(data));
}

static void on_pause(unsigned int cpu, void *data)
{
	(void)data;
	if (on)
		account_pause(account, cpu);
}

static void on_interrupt(unsigned int cpu, void *data)
{
	account_interrupt(account, cpu, number_of(data));
}

static void on_enter(unsigned int cpu, void *data)
{
	if (on)
		account_enter(account, cpu, number_of(data));
}

static void on_leave(unsigned int cpu, void *data)
{
	if (on)
		account_leave(account, cpu, number_of(data));
}

/*
 * The load of the next task's stack pointer; data is where a task has it. Asked for
 * reads alone, QEMU 7.2 would call for stores alone.
 */
static void on_switch(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	(void)info;
	account_switch(account, cpu, vaddr - number_of(data));
}

static void access_line(unsigned int cpu, uint64_t address, bool store)
{
	if (address < memory)
		account_access(account, cpu, model_access(model, cpu, address, store), store);
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	bool store = qemu_plugin_mem_is_store(info);
	struct qemu_plugin_hwaddr *where;
	uint64_t address, last;

	(void)data;
	if (!on)
		return;
	where = qemu_plugin_get_hwaddr(info, vaddr);
	if (!where || qemu_plugin_hwaddr_is_io(where))
		return;
	address = qemu_plugin_hwaddr_phys_addr(where);
	access_line(cpu, address, store);
	/*
	 * An access over two lines is two, unless it is over two pages: of the
	 * second only QEMU's next callback could tell where it is.
	 */
	last = address + (1ULL << qemu_plugin_mem_size_shift(info)) - 1;
	if ((address ^ last) >> LINE_SHIFT && !((address ^ last) >> 12))
		access_line(cpu, last, store);
}

static uint32_t u32(const uint8_t *bytes)
{
	uint32_t n;

	memcpy(&n, bytes, sizeof(n));
	return n;
}

/* mov OFFSET(%rsi),%rsp: where __switch_to_asm finds the next task's stack. */
static bool loads_stack(const uint8_t *code, size_t size, uint32_t *offset)
{
	if (size == 7 && code[0] == 0x48 && code[1] == 0x8b && code[2] == 0xa6)
		*offset = u32(code + 3);
	else if (size == 4 && code[0] == 0x48 && code[1] == 0x8b && code[2] == 0x66)
		*offset = code[3];
	else
		return false;
	return true;
}

static bool is_return(const uint8_t *code, size_t size)
{
	return (size == 1 && code[0] == 0xc3) || (size == 2 && code[0] == 0xf3 && code[1] == 0xc3);
}

static void see_instruction(struct qemu_plugin_insn *insn)
{
	const uint8_t *code = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn);
	uint64_t at = qemu_plugin_insn_vaddr(insn);
	uint32_t offset;

	if (size == 7 && code[0] == 0x0f && code[1] == 0x1f && code[2] == 0x80 &&
	    u32(code + 3) >> 16 == MARK_MAGIC)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
						       number(u32(code + 3) & 0xffff));
	if (at >= switch_to && at < switch_to + 64 && loads_stack(code, size, &offset))
		qemu_plugin_register_vcpu_mem_cb(insn, on_switch, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, number(offset));
	if (!sees_all)
		return;
	if (size == 2 && code[0] == 0xf3 && code[1] == 0x90)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_pause, QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (size == 2 && code[0] == 0x48 && code[1] == 0xcf)	/* iretq */
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_interrupt, QEMU_PLUGIN_CB_NO_REGS,
						       number(false));
	for (unsigned int i = 0; i < nr_functions; i++) {
		if (at == function[i].start)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_enter,
							       QEMU_PLUGIN_CB_NO_REGS,
							       number(function[i].nr));
		else if (at > function[i].start && at < function[i].end && is_return(code, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_leave,
							       QEMU_PLUGIN_CB_NO_REGS,
							       number(function[i].nr));
	}
	if (mode == SIMULATE)
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);

	(void)id;
	if (sees_all) {
		for (unsigned int i = 0; i < nr_interrupts; i++)
			if (qemu_plugin_insn_vaddr(first) == interrupt[i])
				qemu_plugin_register_vcpu_tb_exec_cb(tb, on_interrupt,
								     QEMU_PLUGIN_CB_NO_REGS,
								     number(true));
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
						     number(n));
	}
	for (size_t i = 0; i < n; i++)
		see_instruction(qemu_plugin_tb_get_insn(tb, i));
}

static void on_end(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	account_mark(account, 0, MARK_LABEL, 0);	/* what was counted last */
	account_free(account);
	model_free(model);
}

static void register_callbacks(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
}

static void read_symbols(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned int nr;
	uint64_t at, size;

	if (!file)
		err(1, "cachesim: cannot read %s", path);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "switch %lx", &at) == 1) {
			switch_to = at;
		} else if (sscanf(line, "interrupt %lx", &at) == 1) {
			if (nr_interrupts == MAX_INTERRUPTS)
				errx(1, "cachesim: %s has too many interrupts", path);
			interrupt[nr_interrupts++] = at;
		} else if (sscanf(line, "function %u %lx %lx", &nr, &at, &size) == 3) {
			if (nr_functions == MAX_FUNCTIONS || nr >= MAX_FUNCTIONS)
				errx(1, "cachesim: %s has too many functions", path);
			function[nr_functions].start = at;
			function[nr_functions].end = at + size;
			function[nr_functions++].nr = nr;
		} else {
			errx(1, "cachesim: %s has a line that is none: %s", path, line);
		}
	}
	fclose(file);
	if (!switch_to)
		errx(1, "cachesim: %s does not say where tasks are switched", path);
}

__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_plugin_info_t *info, int argc, char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_plugin_info_t *info, int argc, char **argv)
{
	struct model_config config = {
		.cpus_per_core = 1,
		.nodes = 1,
		/* A core of Zen 2 and 3: 32 KiB and 512 KiB, both of 8 ways; LLC of 16. */
		.l1 = { .sets = 64, .ways = 8 },
		.l2 = { .sets = 1024, .ways = 8 },
		.llc = { .sets = 32768, .ways = 16 },
	};
	const char *error, *out_path = NULL;
	FILE *out;

	(void)info;
	plugin = id;
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			errx(1, "cachesim: %s: not KEY=VALUE", argv[i]);
		*value++ = 0;
		if (!strcmp(argv[i], "out"))
			out_path = value;
		else if (!strcmp(argv[i], "cpus"))
			config.cpus = strtoul(value, NULL, 10);
		else if (!strcmp(argv[i], "cpus-per-llc"))
			config.cpus_per_llc = strtoul(value, NULL, 10);
		else if (!strcmp(argv[i], "cpus-per-core"))
			config.cpus_per_core = strtoul(value, NULL, 10);
		else if (!strcmp(argv[i], "nodes"))
			config.nodes = strtoul(value, NULL, 10);
		else if (!strcmp(argv[i], "memory"))
			config.memory = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "llc-kib"))
			config.llc.sets = strtoul(value, NULL, 10) * 1024 / 64 / config.llc.ways;
		else if (!strcmp(argv[i], "mode") && !strcmp(value, "count"))
			mode = COUNT;
		else if (!strcmp(argv[i], "mode") && !strcmp(value, "simulate"))
			mode = SIMULATE;
		else if (!strcmp(argv[i], "symbols"))
			read_symbols(value);
		else
			errx(1, "cachesim: %s=%s: no such argument", argv[i], value);
	}
	if (!out_path || mode == NO_MODE || !switch_to)
		errx(1, "cachesim: out=, mode= and symbols= are needed");
	out = fopen(out_path, "w");
	if (!out)
		err(1, "cachesim: cannot write %s", out_path);
	model = model_new(&config, &error);
	if (!model)
		errx(1, "cachesim: %s", error);
	account = account_new(&config, out);
	memory = config.memory;
	register_callbacks(id);
	return 0;
}
