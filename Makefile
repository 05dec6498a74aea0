# SPDX-License-Identifier: GPL-2.0
#
# Every entry point; `make help` lists them. Packages that are missing are
# installed when run as root, else the line that installs them is printed.

# The emulated machine of `make demo` and `make vm`.
LLCS ?=
CPUS ?=
# A kernel tree of your own instead of Debian's.
export KSRC
# `make test SUITES="interface placement"` runs some of the suites.
SUITES ?=

machine = $(if $(LLCS),--llcs $(LLCS)) $(if $(CPUS),--cpus-per-llc $(CPUS))

help:			## show this
	@echo "usage: make TARGET"
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*##\(.*\)/ \1\t\2/p' Makefile | expand -t 18
	@echo
	@echo " LLCS=N CPUS=M     machine of demo and vm: N LLCs of M CPUs"
	@echo " KSRC=/path        build from this Linux tree, which is not changed"
	@echo " SUITES='a b'      run only these suites of test"

demo: kernel guest	## show it: scattered processes gather after one write (3 minutes)
	@scripts/deps demo
	@tests/demo/run $(machine)

test: kernel kernel-stock guest	## run all tests: on this machine and in emulated ones
	@scripts/deps check
	@tests/run $(SUITES)

test-long: kernel kernel-stock kernel-debug guest	## the same, with the long ones
	@scripts/deps check
	@tests/run --long $(SUITES)

kernel:			## build build/bzImage: Linux with cpu.llc_prefer
	@scripts/deps kernel
	@scripts/kernel llc

kernel-stock:		## build the two controls: the untouched tree, and the option off
	@scripts/deps kernel
	@scripts/kernel stock
	@scripts/kernel off

kernel-debug:		## build build/bzImage-debug: with KASAN and lockdep
	@scripts/deps kernel
	@scripts/kernel debug

llcctl:			## build build/llcctl/llcctl
	@scripts/deps llcctl
	@$(MAKE) -s -C tools/llcctl

guest: llcctl		## build the programs of the emulated machine
	@scripts/deps vm
	@$(MAKE) -s -C tests/programs
	@$(if $(wildcard build/linux/tools/testing),$(MAKE) -s -C tests/selftests,:)

transcript: kernel guest	## write what llcctl prints into README.md
	@tests/demo/transcript

vm: kernel guest	## a shell in the emulated machine
	@tests/vm/run $(machine) --shell

check:			## style, every patch alone, SPDX lines
	@scripts/deps kernel check
	@scripts/check

series:			## write the mailable patch series to build/series
	@scripts/series mail build/series

clean:			## remove build/ (the cached source package stays)
	rm -rf build

.PHONY: help demo test test-long kernel kernel-stock kernel-debug llcctl guest transcript vm check series clean
.NOTPARALLEL:
