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
	cg_bare "$1/init.scope"
}
