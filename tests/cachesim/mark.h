/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: how a program of the guest tells the cache simulator what it does.
 *
 * A mark is a seven-byte no-operation whose displacement says which mark it is.
 * The simulator sees it when it translates the code; elsewhere, on hardware or
 * without the simulator, it does nothing:
 *
 *	nopl (0x4c43 << 16 | operation << 8 | argument)(%rax)
 *
 * A *group* (0 to 15) is a set of threads measured together: those that said
 * MARK_MEMBER with its number, of whatever process. Its run is cut into phases,
 * and the modelled time of a phase is the most cycles that one member spent in
 * it, or, of a phase in which the members take turns, what all spent together.
 */
#ifndef TESTS_CACHESIM_MARK_H
#define TESTS_CACHESIM_MARK_H

#define MARK_MAGIC	0x4c43		/* high half of the displacement */

enum mark_op {
	MARK_MEMBER	= 1,	/* the calling thread is a member of group ARG */
	MARK_BEGIN	= 2,	/* group ARG: the measurement begins, and a phase */
	MARK_PHASE	= 3,	/* group ARG: members ran side by side; the next phase */
	MARK_TURN	= 4,	/* group ARG: members took turns; the next phase */
	MARK_END	= 5,	/* group ARG: ends without a further phase; a result */
	MARK_LABEL	= 6,	/* ARG is the next character of the coming results'
				 * label; 0 empties the label */
	MARK_ON		= 7,	/* simulate caches from about now on */
	MARK_OFF	= 8,	/* only watch for marks, which is fast */
	MARK_COUNT	= 9,	/* counter ARG starts: instructions of this CPU outside
				 * interrupts, or, if ARG is at least 128, of all CPUs */
	MARK_STOP	= 10,	/* counter ARG stops; its values become a result, min,
				 * median, mean and max, when the label is emptied */
	MARK_CPU	= 11,	/* the caller believes to run on CPU ARG */
	MARK_LEAVE	= 12,	/* group ARG has no members from here on */
	MARK_NR
};

/*
 * MARK(op, arg) is a single instruction, for constants. For an argument that is
 * known only when the program runs, MARK_TABLE(name, op), with op a number, makes
 * 256 little functions of eight bytes each, a mark and a return, of which
 * MARK_FROM(name, arg) calls one.
 */
#define MARK(op, arg) \
	__asm__ volatile("nopl %c0(%%rax)" \
			 : : "i" ((MARK_MAGIC << 16) | ((op) << 8) | (arg)) : "memory")

#define MARK_TABLE(name, op) \
	__asm__(".pushsection .text\n\t.balign 8\n" #name ":\n" \
		"\t.set mark_i, 0\n\t.rept 256\n" \
		"\t.byte 0x0f, 0x1f, 0x80\n" \
		"\t.long (0x4c43 << 16) | (" #op " << 8) | mark_i\n" \
		"\tret\n\t.set mark_i, mark_i + 1\n\t.endr\n\t.popsection"); \
	extern const char name[]

#define MARK_FROM(name, arg) \
	((void (*)(void))((name) + 8 * (unsigned char)(arg)))()

#endif
