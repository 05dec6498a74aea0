# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl set` check before it writes, and wait until it has come true?

shop()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default group 0-15 active 2
}

ask() { step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" "$@"; }

value() { echo "[stored: $(cat "$PWD/cg/web/cpu.llc_prefer")]"; }

# Times and shares that differ from run to run.
steady() { sed -E 's/after [0-9]+\.[0-9] s/after N s/; s/ [0-9]+ times/ N times/; s/"waited": [0-9.]+/"waited": N/'; }

# ticks DIR USAGE PREFERRED [SPILLS]: each 20 ms so much more is counted, until
# the file stop is there.
ticks()
{
	local u=1000000 p=0 s=0
	while [ ! -e stop ] && [ -d "$1" ]; do
		u=$((u + $2)) p=$((p + $3)) s=$((s + ${4:-0}))
		counted "$1" $u $p $s
		sleep 0.02
	done
}

# during USAGE PREFERRED SPILLS COMMAND...: the command while that is counted.
during()
{
	local clock
	rm -f stop
	ticks "$PWD/cg/web" "$1" "$2" "$3" &
	clock=$!
	shift 3
	"$@" 2>&1 | steady
	touch stop
	wait $clock
}

t_set_dry_run_checks_and_changes_nothing()
{
	shop
	ask set --dry-run web llc:1
	ask set --dry-run web group
	ask set --dry-run web banana
	ask set --dry-run nowhere llc:1
	ask set --dry-run --json web node:0
	value
}

t_set_as_json()
{
	shop
	ask set --json web group:llc:0,llc:1
	cg "$PWD/cg/web" off process "" active
	ask set -J web default
	ask set -J web banana
	value
}

t_set_waits_until_the_tasks_are_there()
{
	shop
	during 2000 1980 0 ask set --wait web llc:0
	during 2000 1980 0 ask set -w5 web group
	during 2000 1980 0 ask set --json --wait=5 web group
}

t_set_does_not_wait_for_ever()
{
	shop
	during 2000 500 0 ask set --wait=0.8 web llc:0
	during 2000 1000 3 ask set --wait=0.8 web llc:0
	during 0 0 0 ask set --wait=0.8 web llc:0
	during 2000 500 0 ask set --json --wait=800ms web llc:0
	value
}

# What ran before the preference does not count.
t_set_does_not_count_what_was_before()
{
	shop
	counted "$PWD/cg/web" 1000000000 1000000000
	ask set --wait=0.6 web llc:0 2>&1 | steady
}

t_set_does_not_wait_for_what_will_not_come()
{
	local state start=$SECONDS
	shop
	for state in single-llc disabled offline cpuset; do
		cg "$PWD/cg/web" default group 0-15 $state
		ask set --wait=30 web llc:1 2>&1 | steady
	done
	[ $((SECONDS - start)) -lt 10 ] || fail "it waited $((SECONDS - start)) s"
}

t_set_has_nothing_to_wait_for_where_nobody_decides()
{
	shop
	cg "$PWD/cg/web" default process "" active
	ask set --wait web default
	cg "$PWD/cg/web" default off "" active
	ask set --wait web off
}

t_set_cannot_wait_without_counts()
{
	shop
	rm "$PWD/cg/web/cpu.llc_prefer.stat"
	ask set --wait web llc:1
	value
	ask set web llc:1
}

t_set_says_that_the_cgroup_vanished_while_it_waited()
{
	shop
	(sleep 0.3; rm -r "$PWD/cg/web") &
	ask set --wait=20 web llc:0
	wait
}

t_a_number_of_seconds_is_checked()
{
	local s
	shop
	for s in 0 -1 x 1x 1e99 nan inf ""; do
		ask set --wait=$s web off 2>&1 | head -n 2
		ask status --interval "$s" 2>&1 | head -n 2
	done
	value
}

# Tasks that no preference can move.
t_set_says_which_tasks_may_not_run_there()
{
	shop
	cp -r "$(machine eight_ccx)" "$PWD/m"
	task "$PWD/m" 300 0 0
	cg "$PWD/cg/web" default list 16-31 active
	echo 300 >"$PWD/cg/web/cgroup.threads"
	during 2000 0 0 step llcctl --cgroup-root "$PWD/cg" --sysroot "$PWD/m" set --wait=20 web llc:1
}
