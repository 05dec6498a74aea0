// SPDX-License-Identifier: GPL-2.0
// What one tile shows to its neighbours: all of v[], of which each reads eight words.
interface link;
	logic [31:0] v [32];

	modport in(input v);
	modport out(output v);
endinterface
