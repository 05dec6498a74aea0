// SPDX-License-Identifier: GPL-2.0
// One tile of the mesh (mesh.sv says how tiles are connected): a small
// processor with a stored program, and a mixer of 1024 bits, side by side.
//
// Processor: one instruction a cycle, eight registers r[], a memory of 256
// words for both program and data. An instruction is
//	{op[31:28], rd[27:25], ra[24:22], rb[21:19], 3'b0, imm[15:0]}
// and the next pc is pc + 1 modulo 256 unless it branches:
//	 0 ADD	rd = ra + rb		 1 XOR	rd = ra ^ rb
//	 2 ROL	rd = ra rotated left by rb modulo 32
//	 3 MUL	rd = low half of ra * rb
//	 4 ADDI	rd = ra + imm, sign-extended
//	 5 LD	rd = mem[128 + (ra + imm) % 128]
//	 6 ST	mem[128 + (ra + imm) % 128] = rb
//	 7 RECV	rd = in[imm % 16]
//	 8 SEND	inject = ra
//	 9 BT	if bit imm[12:8] of ra is set, pc = imm[7:0]
//	10 JMP	pc = imm[7:0]
//	11 AND	rd = ra & rb		12 OR	rd = ra | rb
//	13 SLTU	rd = ra < rb, unsigned
//	14 SUB	rd = ra - rb		15 LUI	rd = imm << 16
//
// Mixer: 32 words v[], two blocks of sixteen. Every cycle
//	s = v ^ in; s[0] += inject; ROUNDS double rounds of either half of s;
//	v = v + s
// with the sums taken word by word. Inject is the value that the processor sent
// last, before this cycle. A double round is ChaCha's: quarter rounds on the
// four columns of the 4x4 matrix, then on its four diagonals.
//
// Links: in[] is, as of before this cycle,
//	in[0..3]	words 24 to 27 of the v[] of the tile in the north
//	in[4..7]	words 28 to 31 of the one in the east
//	in[8..11]	words 16 to 19 of the one in the south
//	in[12..15]	words 20 to 23 of the one in the west
//	in[16..31]	likewise, but words 8 to 11, 12 to 15, 0 to 3 and 4 to 7
//
// Boot: while boot is set, one address a cycle, from 0 to 255,
//	mem[a] = program(a) for a < 32, else h(a)
//	v[a % 32] = h(a), r[a % 8] = h(a), inject = 0, pc = 0, probe = 0
// where h(a) = scramble(seed + (256 * ID + a) * 0x9e3779b1).
//
// Probe is r[6] ^ v[31], as of before this cycle.
//
// The style is for Verilator's threads: it balances them by what it guesses that
// statements cost, before the C++ compiler optimizes them. So there are no wide
// vectors, no functions in the mixer, each array is written in one place, and all
// of a cycle's work is in clocked blocks, none of it behind them. Links are
// interfaces because an array that is connected to a port is copied there. And
// there are four tiles a thread, no more, because otherwise it takes some tiles
// for small enough to join what is done before and after all others.

`define QUARTER(a, b, c, d) \
	a = a + b; \
	d = d ^ a; \
	d = {d[15:0], d[31:16]}; \
	c = c + d; \
	b = b ^ c; \
	b = {b[19:0], b[31:20]}; \
	a = a + b; \
	d = d ^ a; \
	d = {d[23:0], d[31:24]}; \
	c = c + d; \
	b = b ^ c; \
	b = {b[24:0], b[31:25]}

module tile #(
	parameter int unsigned ID = 0,
	parameter int unsigned ROUNDS = 6
) (
	input logic clk,
	input logic boot,
	input logic [7:0] boot_addr,
	input logic [31:0] seed,
	link.in north, east, south, west,
	link.out own,
	output logic [31:0] probe
);
	typedef enum logic [3:0] {
		ADD, XOR, ROL, MUL, ADDI, LD, ST, RECV,
		SEND, BT, JMP, AND, OR, SLTU, SUB, LUI
	} op_t;

	function automatic logic [31:0] scramble(input logic [31:0] word);
		logic [31:0] x;
		x = word;
		x = (x ^ (x >> 16)) * 32'h7a3d5e95;
		x = (x ^ (x >> 13)) * 32'h35d2a6b3;
		return x ^ (x >> 16);
	endfunction

	function automatic logic [31:0] ins(input op_t op, input logic [2:0] d, a, b,
					    input logic [15:0] imm);
		return {op, d, a, b, 3'b0, imm};
	endfunction

	// The program: take words in, look them up in a table that it rewrites as
	// it goes, branch on what it finds, send results to the mixer.
	function automatic logic [31:0] program_word(input logic [4:0] a);
		case (a)
		0:	return ins(RECV, 1, 0, 0, 0);
		1:	return ins(RECV, 2, 0, 0, 5);
		2:	return ins(ADD, 3, 1, 2, 0);
		3:	return ins(XOR, 6, 6, 3, 0);
		4:	return ins(LD, 4, 6, 0, 0);
		5:	return ins(MUL, 4, 4, 1, 0);
		6:	return ins(ROL, 4, 4, 2, 0);
		7:	return ins(ST, 0, 3, 4, 7);
		8:	return ins(SEND, 0, 4, 0, 0);
		9:	return ins(BT, 0, 4, 0, 16'h030f);
		10:	return ins(RECV, 5, 0, 0, 10);
		11:	return ins(SUB, 6, 6, 5, 0);
		12:	return ins(SLTU, 5, 6, 4, 0);
		13:	return ins(ADD, 6, 6, 5, 0);
		14:	return ins(JMP, 0, 0, 0, 16'h0012);
		15:	return ins(RECV, 5, 0, 0, 15);
		16:	return ins(AND, 0, 5, 6, 0);
		17:	return ins(OR, 6, 0, 4, 0);
		18:	return ins(ADDI, 7, 7, 0, 16'hffff);
		19:	return ins(BT, 0, 7, 0, 16'h0100);
		20:	return ins(LUI, 0, 0, 0, 16'h5a17);
		21:	return ins(XOR, 6, 6, 0, 0);
		22:	return ins(LD, 5, 7, 0, 16'h0020);
		23:	return ins(ST, 0, 7, 6, 16'h0020);
		24:	return ins(SEND, 0, 5, 0, 0);
		default: return ins(JMP, 0, 0, 0, 0);
		endcase
	endfunction

	logic [31:0] mem [256];
	logic [31:0] r [8];
	logic [31:0] inject;
	logic [7:0] pc;

	always_ff @(posedge clk) begin
		op_t op;
		logic [2:0] rd, ra, rb, unused;
		logic [15:0] imm;
		logic [31:0] a, b, value, seeded, stored;
		logic [7:0] addr;
		logic write, store;
		logic [31:0] s [32];

		// Processor.
		{op, rd, ra, rb, unused, imm} = mem[pc];
		a = r[ra];
		b = r[rb];
		addr = {1'b1, a[6:0] + imm[6:0]};
		stored = b;
		store = op == ST;
		write = !(op inside {ST, SEND, BT, JMP});

		case (op)
		ADD:	value = a + b;
		XOR:	value = a ^ b;
		ROL:	value = (a << b[4:0]) | (a >> (6'd32 - {1'b0, b[4:0]}));
		MUL:	value = a * b;
		ADDI:	value = a + {{16{imm[15]}}, imm};
		LD:	value = mem[addr];
		RECV:
			case (imm[3:2])
			0: value = north.v[{3'd6, imm[1:0]}];
			1: value = east.v[{3'd7, imm[1:0]}];
			2: value = south.v[{3'd4, imm[1:0]}];
			3: value = west.v[{3'd5, imm[1:0]}];
			endcase
		AND:	value = a & b;
		OR:	value = a | b;
		SLTU:	value = {31'b0, a < b};
		SUB:	value = a - b;
		LUI:	value = {imm, 16'b0};
		default: value = a;
		endcase

		// Mixer.
		for (int i = 0; i < 4; i++) begin
			for (int h = 0; h < 32; h += 16) begin
				s[h + i] = own.v[h + i] ^ north.v[24 - h + i];
				s[h + 4 + i] = own.v[h + 4 + i] ^ east.v[28 - h + i];
				s[h + 8 + i] = own.v[h + 8 + i] ^ south.v[16 - h + i];
				s[h + 12 + i] = own.v[h + 12 + i] ^ west.v[20 - h + i];
			end
		end
		s[0] = s[0] + inject;
		for (int h = 0; h < 32; h += 16) begin
			for (int i = 0; i < ROUNDS; i++) begin
				`QUARTER(s[h], s[h + 4], s[h + 8], s[h + 12]);
				`QUARTER(s[h + 1], s[h + 5], s[h + 9], s[h + 13]);
				`QUARTER(s[h + 2], s[h + 6], s[h + 10], s[h + 14]);
				`QUARTER(s[h + 3], s[h + 7], s[h + 11], s[h + 15]);
				`QUARTER(s[h], s[h + 5], s[h + 10], s[h + 15]);
				`QUARTER(s[h + 1], s[h + 6], s[h + 11], s[h + 12]);
				`QUARTER(s[h + 2], s[h + 7], s[h + 8], s[h + 13]);
				`QUARTER(s[h + 3], s[h + 4], s[h + 9], s[h + 14]);
			end
		end
		for (int i = 0; i < 32; i++)
			s[i] = s[i] + own.v[i];

		// Boot; v[] is filled by shifting.
		if (boot) begin
			seeded = scramble(seed + (ID * 256 + {24'b0, boot_addr}) * 32'h9e3779b1);
			rd = boot_addr[2:0];
			value = seeded;
			write = 1;
			addr = boot_addr;
			stored = boot_addr < 32 ? program_word(boot_addr[4:0]) : seeded;
			store = 1;
			for (int i = 0; i < 31; i++)
				s[i] = own.v[i + 1];
			s[31] = seeded;
		end

		if (write)
			r[rd] <= value;
		if (store)
			mem[addr] <= stored;
		pc <= boot ? 0 : op == JMP || (op == BT && a[imm[12:8]]) ? imm[7:0] : pc + 1;
		inject <= boot ? 0 : op == SEND ? a : inject;
		probe <= boot ? 0 : r[6] ^ own.v[31];
		own.v <= s;
	end
endmodule
