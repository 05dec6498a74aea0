# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Which machines are topology and LLC names tried on?
#
# Each function machine_NAME writes the part of sysfs that llcctl reads into
# the directory $tmp/NAME; `machine NAME` makes it once and prints the path.

machine()
{
	[ -d "$tmp/$1" ] || "machine_$1" "$tmp/$1"
	echo "$tmp/$1"
}

# sysfs ROOT POSSIBLE ONLINE: the frame.
sysfs()
{
	mkdir -p "$1/sys/devices/system/cpu"
	echo "$2" >"$1/sys/devices/system/cpu/possible"
	[ -z "$3" ] || echo "$3" >"$1/sys/devices/system/cpu/online"
}

# leaf ROOT CPU INDEX LEVEL TYPE SIZE SHARED_CPU_LIST [ID]; "" leaves a file out.
leaf()
{
	local dir=$1/sys/devices/system/cpu/cpu$2/cache/index$3

	[ -d "$dir" ] || mkdir -p "$dir"
	echo "$4" >"$dir/level"
	echo "$5" >"$dir/type"
	[ -z "$6" ] || echo "$6" >"$dir/size"
	[ -z "$7" ] || echo "$7" >"$dir/shared_cpu_list"
	[ -z "${8-}" ] || echo "$8" >"$dir/id"
}

# node ROOT NODE CPULIST
node()
{
	mkdir -p "$1/sys/devices/system/node/node$2"
	echo "$3" >"$1/sys/devices/system/node/node$2/cpulist"
}

# llcs ROOT FIRST COUNT WIDTH SIZE ID: COUNT L3 of WIDTH CPUs each, from CPU
# FIRST on, ids counting from ID ("" for none), below them an L2 per CPU and
# the L1 caches.
llcs()
{
	local root=$1 first=$2 count=$3 width=$4 size=$5 id=$6 l cpu from

	for ((l = 0; l < count; l++)); do
		from=$((first + l * width))
		for ((cpu = from; cpu < from + width; cpu++)); do
			leaf "$root" $cpu 0 1 Data 32K $cpu $cpu
			leaf "$root" $cpu 1 1 Instruction 32K $cpu $cpu
			leaf "$root" $cpu 2 2 Unified 1024K $cpu $cpu
			leaf "$root" $cpu 3 3 Unified "$size" \
				"$from-$((from + width - 1))" "${id:+$((id + l))}"
		done
	done
}

# Several L3 per die: 2 nodes, each with 2 dies of one L3 of 4 CPUs.
machine_several_l3()
{
	sysfs "$1" 0-15 0-15
	llcs "$1" 0 4 4 32768K 0
	node "$1" 0 0-7
	node "$1" 1 8-15
}

# The machine of the report that started it all: 8 LLCs of 16 CPUs.
machine_eight_ccx()
{
	local i
	sysfs "$1" 0-127 0-127
	for i in {0..127}; do
		leaf "$1" "$i" 0 3 Unified 32768K \
			"$((i / 16 * 16))-$((i / 16 * 16 + 15))" $((i / 16))
	done
	node "$1" 0 0-127
}

# Two packages of 8 cores with two threads each, an LLC for 4 cores; CPU 17 is offline.
machine_smt_packages()
{
	local cpu core first dir
	sysfs "$1" 0-31 0-16,18-31
	for cpu in {0..16} {18..31}; do
		core=$((cpu % 16)) first=$((cpu % 16 / 4 * 4))
		leaf "$1" "$cpu" 0 3 Unified 16384K \
			"$first-$((first + 3)),$((first + 16))-$((first + 19))" $((core / 4))
		dir=$1/sys/devices/system/cpu/cpu$cpu/topology
		mkdir -p "$dir"
		echo "$core,$((core + 16))" >"$dir/thread_siblings_list"
		echo $((core / 8)) >"$dir/physical_package_id"
	done
	# Who shares it is told without the one that is offline.
	for cpu in 0 1 2 3 16 18 19; do
		echo 0-3,16,18-19 >"$1/sys/devices/system/cpu/cpu$cpu/cache/index0/shared_cpu_list"
	done
	echo 1 >"$1/sys/devices/system/cpu/cpu1/topology/thread_siblings_list"
	node "$1" 0 0-7,16-23
	node "$1" 1 8-15,24-31
}

# Ryzen 7950X3D: the LLCs differ in size.
machine_unequal_sizes()
{
	sysfs "$1" 0-15 0-15
	llcs "$1" 0 1 8 98304K 0
	llcs "$1" 8 1 8 32768K 1
}

# An L2 shared by two CPUs is the last level.
machine_l2_last()
{
	local cpu
	sysfs "$1" 0-7 0-7
	for cpu in {0..7}; do
		leaf "$1" "$cpu" 0 1 Data 32K "$cpu"
		leaf "$1" "$cpu" 1 1 Instruction 32K "$cpu"
		leaf "$1" "$cpu" 2 2 Unified 2048K "$((cpu / 2 * 2))-$((cpu / 2 * 2 + 1))" $((cpu / 2))
	done
}

# CPUs 2, 3 and 9 are offline, a whole LLC (4-7) too; 16-31 can come later.
machine_offline_holes()
{
	local cpu
	sysfs "$1" 0-31 0-1,8,10-15
	for cpu in 0 1; do leaf "$1" $cpu 3 3 Unified 16384K 0-1 0; done
	for cpu in 8 10 11; do leaf "$1" $cpu 3 3 Unified 16384K 8,10-11 2; done
	for cpu in 12 13 14 15; do leaf "$1" $cpu 3 3 Unified 16384K 12-15 3; done
	# index3 alone would not be found: the kernel numbers them without gaps.
	for cpu in 0 1 8 {10..15}; do
		leaf "$1" $cpu 0 1 Data 32K $cpu
		leaf "$1" $cpu 1 1 Instruction 32K $cpu
		leaf "$1" $cpu 2 2 Unified 1024K $cpu
	done
	for cpu in {2..7} 9; do
		mkdir -p "$1/sys/devices/system/cpu/cpu$cpu"
	done
}

# An offline CPU that an (older) kernel still has in the list of its LLC.
machine_offline_in_list()
{
	sysfs "$1" 0-3 0-2
	local cpu
	for cpu in 0 1 2; do leaf "$1" $cpu 0 3 Unified 8192K 0-3 0; done
}

machine_no_cache()
{
	sysfs "$1" 0-3 0-3
	mkdir -p "$1"/sys/devices/system/cpu/cpu{0..3}/topology
}

# Device-tree Arm: neither ids nor sizes.
machine_no_ids()
{
	local cpu
	sysfs "$1" 0-7 0-7
	for cpu in {0..7}; do
		leaf "$1" "$cpu" 0 1 Data "" "$cpu"
		leaf "$1" "$cpu" 1 3 Unified "" "$((cpu / 4 * 4))-$((cpu / 4 * 4 + 3))"
	done
}

# QEMU's EPYC: every CPU has its own id for the L3 it shares.
machine_differing_ids()
{
	local cpu
	sysfs "$1" 0-7 0-7
	for cpu in {0..7}; do
		leaf "$1" "$cpu" 0 3 Unified 16384K \
			"$((cpu / 4 * 4))-$((cpu / 4 * 4 + 3))" "$cpu"
	done
}

# Two sockets, SMT siblings numbered after all cores.
machine_two_sockets()
{
	local cpu s
	sysfs "$1" 0-31 0-31
	for cpu in {0..31}; do
		s=$((cpu % 16 / 8))
		leaf "$1" "$cpu" 0 2 Unified 2048K "$((cpu % 16)),$((cpu % 16 + 16))" "$cpu"
		leaf "$1" "$cpu" 1 3 Unified 49152K \
			"$((s * 8))-$((s * 8 + 7)),$((s * 8 + 16))-$((s * 8 + 23))" $s
	done
	node "$1" 0 0-7,16-23
	node "$1" 1 8-15,24-31
}

# Sub-NUMA clustering: two nodes share one LLC.
machine_llc_of_two_nodes()
{
	sysfs "$1" 0-7 0-7
	llcs "$1" 0 1 8 65536K 0
	node "$1" 0 0-3
	node "$1" 1 4-7
}

# 64 LLCs of 16 CPUs on 4 nodes; the kernel could have 8192.
machine_1024_cpus()
{
	local cpu n
	sysfs "$1" 0-8191 0-1023
	mkdir -p "$1"/sys/devices/system/cpu/cpu{0..1023}/cache/index0
	for cpu in {0..1023}; do
		leaf "$1" "$cpu" 0 3 Unified 32768K \
			"$((cpu / 16 * 16))-$((cpu / 16 * 16 + 15))" $((cpu / 16))
	done
	for n in 0 1 2 3; do node "$1" $n "$((n * 256))-$((n * 256 + 255))"; done
}

# The highest CPU that Linux can have.
machine_cpu_8191()
{
	sysfs "$1" 0-8191 0,8191
	leaf "$1" 0 0 3 Unified 1024K 0 0
	leaf "$1" 8191 0 3 Unified 1024K 8191 1
}

# A hybrid client: 4 CPUs under an L3, 2 with an L2 only whose id is the same.
machine_same_id_twice()
{
	local cpu
	sysfs "$1" 0-5 0-5
	for cpu in 0 1 2 3; do
		leaf "$1" $cpu 0 2 Unified 2048K $cpu $cpu
		leaf "$1" $cpu 1 3 Unified 24576K 0-3 0
	done
	for cpu in 4 5; do leaf "$1" $cpu 0 2 Unified 2048K 4-5 0; done
}

# CPU 2 does not say who shares its L3, CPU 3 says that it does not itself.
machine_silent_cpus()
{
	local cpu
	sysfs "$1" 0-3 0-3
	for cpu in 0 1 2 3; do leaf "$1" $cpu 0 2 Unified 512K $cpu; done
	for cpu in 0 1; do leaf "$1" $cpu 1 3 Unified 8192K 0-1 7; done
	leaf "$1" 2 1 3 Unified 8192K "" 7
	leaf "$1" 3 1 3 Unified 8192K 0-1 7
}

# No file `online`, and masks in place of lists, as old kernels have them.
machine_old_kernel()
{
	local cpu dir
	sysfs "$1" 0-3 ""
	for cpu in 0 1 2 3; do
		leaf "$1" $cpu 0 1 Data 32K ""
		leaf "$1" $cpu 1 2 Unified 4096K ""
		dir=$1/sys/devices/system/cpu/cpu$cpu
		echo "00000000,0000000$((1 << cpu))" >"$dir/cache/index0/shared_cpu_map"
		echo 00000000,00000003 >"$dir/cache/index1/shared_cpu_map"
	done
	for cpu in 2 3; do
		dir=$1/sys/devices/system/cpu/cpu$cpu
		echo 0 >"$dir/online"
		rm -r "$dir/cache"
	done
	mkdir -p "$1/sys/devices/system/node/node0"
	echo 00000000,0000000f >"$1/sys/devices/system/node/node0/cpumap"
}

# The instruction cache of level 3 is nobody's last level.
machine_instruction_last()
{
	local cpu
	sysfs "$1" 0-1 0-1
	for cpu in 0 1; do
		leaf "$1" $cpu 0 2 Data 2048K $cpu $cpu
		leaf "$1" $cpu 1 3 Instruction 4096K 0-1 0
	done
}
