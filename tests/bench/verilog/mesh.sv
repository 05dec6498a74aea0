// SPDX-License-Identifier: GPL-2.0
// A torus of 8 x 4 equal tiles (tile.sv), for measuring what the threads of one
// verilated model cost each other in transfers of cache lines.
//
// Every cycle every tile reads 256 bits of each of its four neighbours, which are
// registers that change every cycle: 32 Kbit cross from tile to tile in a cycle.
// A row's eight probes are summed up in a register, and the rows' sums go into a
// digest of 64 bits, which so depends on all that happened:
//	sum[y] = sum for x = 0, 2, 4, 6 of
//		(probe[y][x] ^ (probe[y][x + 1] rotated left by 4)) * (x + 1)
//	digest = (digest rotated left by 1) ^
//		({sum[0], sum[1]} + {sum[2], sum[3]} * 3)
// in 32 and 64 bits, with what the registers held before the cycle.
//
// Size: 32 processors with 32 KiB of memory in all, 4 KiB of link registers, and
// about 83,000 instructions of the host a cycle, 2,560 a tile. Verilator 5.006
// makes 34 tasks of it for eight threads: one prepares the cycle and precedes all,
// 32 are a tile each, four a thread, and one at the end copies all the new values,
// which each thread left aside, to where all threads read them in the next cycle.
module mesh (
	input logic clk,
	input logic rst,
	input logic [31:0] seed,
	output logic booting,
	output logic [63:0] digest
);
	localparam int WIDTH = 8, HEIGHT = 4;

	// Boot: 256 cycles from the first one without reset.
	logic [7:0] boot_addr;

	always_ff @(posedge clk) begin
		if (rst) begin
			booting <= 1;
			boot_addr <= 0;
		end else if (booting) begin
			boot_addr <= boot_addr + 1;
			booting <= boot_addr != 8'hff;
		end
	end

	// Each link is a signal of its own, not an element of an array: what one
	// tile writes must not look to Verilator like what another one writes.
	link links [WIDTH * HEIGHT] ();

	for (genvar y = 0; y < HEIGHT; y++) begin : row
		for (genvar x = 0; x < WIDTH; x++) begin : col
			logic [31:0] probe;

			tile #(.ID(y * WIDTH + x)) tile (
				.clk, .boot(booting), .boot_addr, .seed,
				.north(links[(y + HEIGHT - 1) % HEIGHT * WIDTH + x]),
				.east(links[y * WIDTH + (x + 1) % WIDTH]),
				.south(links[(y + 1) % HEIGHT * WIDTH + x]),
				.west(links[y * WIDTH + (x + WIDTH - 1) % WIDTH]),
				.own(links[y * WIDTH + x]), .probe
			);
		end

		logic [31:0] sum;

		always_ff @(posedge clk)
			sum <= booting ? 0 :
			       (col[0].probe ^ {col[1].probe[27:0], col[1].probe[31:28]}) +
			       (col[2].probe ^ {col[3].probe[27:0], col[3].probe[31:28]}) * 3 +
			       (col[4].probe ^ {col[5].probe[27:0], col[5].probe[31:28]}) * 5 +
			       (col[6].probe ^ {col[7].probe[27:0], col[7].probe[31:28]}) * 7;
	end

	always_ff @(posedge clk)
		digest <= booting ? 0 :
			  {digest[62:0], digest[63]} ^
			  ({row[0].sum, row[1].sum} + {row[2].sum, row[3].sum} * 3);
endmodule
