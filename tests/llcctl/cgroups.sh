# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Which cgroup trees are get, set and status tried on?
#
# Plain directories and files stand in for cgroup2: what the kernel would do
# after a write does not happen here, that is tested in the machine (tests/vm).

# cgroot DIR: an empty tree with the cpu controller passed on.
cgroot()
{
	mkdir -p "$1"
	echo "cpuset cpu io memory" >"$1/cgroup.controllers"
	echo "cpu memory" >"$1/cgroup.subtree_control"
	threads "$1" 3
}

# threads DIR N: it has N tasks.
threads()
{
	seq 100 $((99 + $2)) >"$1/cgroup.threads"
}

# cg DIR PREFER MODE CPUS STATE [TASKS]: a cgroup with the cpu controller.
cg()
{
	mkdir -p "$1"
	echo domain >"$1/cgroup.type"
	echo "cpu memory" >"$1/cgroup.controllers"
	echo "cpu memory" >"$1/cgroup.subtree_control"
	threads "$1" "${6:-0}"
	echo "$2" >"$1/cpu.llc_prefer"
	printf 'mode %s\ncpus %s\nstate %s\n' "$3" "$4" "$5" \
		>"$1/cpu.llc_prefer.effective"
	counted "$1" 0 0
}

# counted DIR USAGE PREFERRED [SPILLS [MOVES]]: what is counted for it, usec.
counted()
{
	cat >"$1/cpu.llc_prefer.stat.new" <<-END
	usage_usec $2
	preferred_usec $3
	nr_wakeups $(($2 / 1000))
	nr_wakeups_steered $(($3 / 2000))
	nr_forks_steered 4
	nr_migrations_in 7
	nr_migrations_out 3
	nr_spills ${4:-0}
	nr_moves ${5:-0}
	nr_llcs 1
	END
	mv "$1/cpu.llc_prefer.stat.new" "$1/cpu.llc_prefer.stat"
}

# A cgroup without it: cg_bare DIR [SUBTREE_CONTROL [CONTROLLERS]]
cg_bare()
{
	mkdir -p "$1"
	echo domain >"$1/cgroup.type"
	echo "${3-}" >"$1/cgroup.controllers"
	echo "${2-}" >"$1/cgroup.subtree_control"
	threads "$1" 0
}

# A server: some slices, some of which state something.
cg_server()
{
	cgroot "$1"
	cg "$1/system.slice" default process "" active 2
	cg "$1/system.slice/cron.service" default process "" active 1
	cg "$1/system.slice/nginx.service" "group 0-63" group 16-31 active 17
	cg "$1/system.slice/postgresql.service" group group 0-15,32-47 active 40
	cg "$1/batch.slice" 112-127 list 112-127 cpuset 4
	cg "$1/batch.slice/job10" default list 112-127 cpuset 8
	cg "$1/batch.slice/job9" off off "" active 1
	cg "$1/user.slice" process process "" active 5
	cg "$1/user.slice/idle.scope" group group "" idle
	cg_bare "$1/init.scope" "" "cpu memory"
	counted "$1/system.slice/nginx.service" 12345678 12111111 3 1
	counted "$1/system.slice/postgresql.service" 98765432 76543210 1234 5
	counted "$1/batch.slice" 4000000 500000
	counted "$1/batch.slice/job10" 4000000 500000
}

# stat_of TID FIELD VALUE: /proc/TID/stat of a task whose name has blanks and brackets, as
# it may give itself; fields are counted from 1, and all after the third are 0 but one.
zeros=$(printf '%.0s0 ' {4..52})
stat_of() { echo "$1 (a) b (c) R ${zeros:0:2 * ($2 - 4)}$3 0 0"; }

# ran ROOT TID CPU RAN WAITED: what /proc tells of a task, nsec; the CPU is field 39.
ran()
{
	mkdir -p "$1/proc/$2"
	echo "$4 $5 17" >"$1/proc/$2/schedstat.new"
	stat_of "$2" 39 "$3" >"$1/proc/$2/stat.new"
	mv "$1/proc/$2/schedstat.new" "$1/proc/$2/schedstat"
	mv "$1/proc/$2/stat.new" "$1/proc/$2/stat"
}

# task MACHINE TID POLICY AFFINITY: what /proc tells of it; the policy is field 41.
task()
{
	mkdir -p "$1/proc/$2"
	stat_of "$2" 41 "$3" >"$1/proc/$2/stat"
	printf 'Name:\ta) b (c\nCpus_allowed:\tffff\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n' "$4" >"$1/proc/$2/status"
}

# A large node: 10,005 cgroups, most of them copies of one pod with 9 containers.
cg_many()
{
	local dir i
	dir=$(mktemp -d "$1.XXXXXX")
	cgroot "$1"
	cg "$1/x/y/one.service" default process "" active
	cg "$1/pods" default process "" active
	cg "$dir/pod" group group 0-15 active 3
	counted "$dir/pod" 1000000 990000 1 1
	for i in {1..9}; do
		cp -r "$dir/pod" "$dir/ctr$i"
		echo default >"$dir/ctr$i/cpu.llc_prefer"
	done
	mv "$dir"/ctr? "$dir/pod"
	for i in {1..1000}; do cp -r "$dir/pod" "$1/pods/pod$i"; done
	rm -r "$dir"
}
