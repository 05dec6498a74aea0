# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl measure` measure what is there, compare fairly, and leave nothing behind?
#
# Two tasks of a recorded /proc run and run, one on each of two LLCs, as long as
# nothing else is stated; with `group` both are on the first.

office()
{
	mkdir -p root
	cp -r "$(machine eight_ccx)/sys" root/
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default process "" active
	printf '101\n102\n' >cg/web/cgroup.threads
	echo "usage_usec 0" >cg/web/cpu.stat
	ran root 101 0 1000 0
	ran root 102 16 1000 0
}

# They run until the file stop is there; with `group` on one LLC, and the second
# waits as long as it runs if the file wait is there.
work()
{
	local ran=1000 waited=0 cpu
	while [ ! -e stop ]; do
		ran=$((ran + 10000000)) cpu=16
		if [ "$(cat cg/web/cpu.llc_prefer 2>/dev/null)" = group ]; then
			cpu=0
			[ ! -e wait ] || waited=$((waited + 10000000))
		fi
		ran root 101 0 $ran 0
		ran root 102 $cpu $ran $waited
		echo "usage_usec $((2 * ran / 1000))" >cg/web/cpu.stat.new
		mv cg/web/cpu.stat.new cg/web/cpu.stat
		sleep 0.01
	done
}
works()
{
	local clock
	rm -f stop
	work &
	clock=$!
	"$@"
	touch stop
	wait $clock
}

measure() { llcctl measure --cgroup-root "$PWD/cg" --sysroot "$PWD/root" "$@"; }

# Figures differ from run to run, and the width of columns with them.
without_figures()
{
	sed -E 's/[0-9]+\.[0-9]+/N/g; s/about [0-9]+ s/about N s/; s/[0-9]+ %/N %/; s/ +/ /g
		s/since .*: compare/since REASON: compare/'
}

web_states() { echo "[stored: $(cat cg/web/cpu.llc_prefer)]"; }

# figure METRIC COLUMN: from a table in the file said
figure() { grep "^$1 " said | sed 's/   */ /g' | awk -v skip="$(wc -w <<<"$1")" -v col="$2" '{ print $(skip + col) }'; }
between() { awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x >= low && x <= high) }'; }

t_measure_tells_where_tasks_run()
{
	office
	works measure web --for 1 >said 2>err || fail "exit $?: $(cat err)"
	without_figures <said
	between "$(figure 'busiest LLC' 1)" 50 65 || fail "busiest LLC: $(figure 'busiest LLC' 1), not about 50"
	between "$(figure 'LLCs used' 1)" 2 2 || fail "LLCs used: $(figure 'LLCs used' 1), not 2"
	[ ! -s err ] || fail "$(cat err)"
}

t_measure_compares_two_values()
{
	office
	works measure web --for 1.5 --settle 0.1 --try group >said 2>err || fail "exit $?: $(cat err)"
	grep -E 'METRIC|busiest|waited|^web' said | without_figures
	between "$(figure 'busiest LLC' 4)" 99 100 || fail "with group: $(figure 'busiest LLC' 4), not 100"
	[ "$(figure 'busiest LLC' 9)" = higher ] || fail "busiest LLC: $(grep busiest said)"
	[ "$(figure 'LLCs used' 9)" = lower ] || fail "LLCs used: $(grep used said)"
	[ "$(figure 'waited for a CPU' 9)" = noise ] || fail "waited: $(grep waited said)"
	web_states
}

t_measure_finds_that_tasks_wait()
{
	office
	touch wait
	works measure web --for 1.5 --settle 0.1 --try group >said 2>err || fail "exit $?: $(cat err)"
	grep -E 'wait longer' said | without_figures
	[ "$(figure 'waited for a CPU' 9)" = higher ] || fail "waited: $(grep waited said)"
}

t_measure_calls_noise_what_is_noise()
{
	office
	works measure web --for 1.5 --settle 0.1 --try process >said 2>err || fail "exit $?: $(cat err)"
	grep -E '^web' said | without_figures
	[ "$(figure 'LLCs used' 9)" = noise ] || fail "LLCs used: $(grep used said)"
	web_states
}

t_measure_keeps_what_it_tried_if_it_is_to()
{
	office
	works measure web --for 1 --settle 0.1 --try group --keep >said 2>err || fail "exit $?: $(cat err)"
	web_states
}

t_measure_puts_the_value_back_when_interrupted()
{
	local signal pid n
	office
	work &
	for signal in INT TERM HUP; do
		echo default >cg/web/cpu.llc_prefer
		# Not by the function: the signal must reach the program.
		"$tmp/llcctl" measure --cgroup-root cg --sysroot root web --for 60 --settle 30 \
			--try group >said 2>err &
		pid=$!
		n=0
		until grep -q group cg/web/cpu.llc_prefer || [ $((n += 1)) -gt 1000 ]; do sleep 0.02; done
		# A background job of a script ignores SIGINT unless the program catches it.
		kill -$signal $pid
		{ wait $pid; } 2>/dev/null
		echo "SIG$signal: exit $?"
		web_states
	done
	touch stop
	wait
}

t_measure_as_json()
{
	office
	works measure web --for 1 --settle 0.1 --try group --json >json 2>err || fail "exit $?: $(cat err)"
	conforms measure json || fail "it is not as the schema says"
	works measure web --for 1 --json >alone 2>err || fail "exit $?: $(cat err)"
	conforms measure alone || fail "without --try it is not as the schema says"
	python3 -c '
import json
for m in json.load(open("json"))["measure"]:
    print(m["metric"], "|", m["unit"], "|", " ".join(k for k in m if m[k] is not None))' |
	sed -E 's/^(waited.*) ratio/\1/'
}

t_measure_refuses_what_it_cannot_do()
{
	local ask
	office
	ask() { step llcctl measure --cgroup-root cg --sysroot root "$@"; }
	ask
	ask web api
	ask --for 0 web
	ask --for 0.1 web
	ask --windows 4 web
	ask --windows 17 web
	ask --keep web
	ask --settle x web
	ask --try banana web
	ask --try llc:99 web
	ask --try default web
	ask nowhere
	ask --for 1 --try group nowhere
	web_states
	rm -r root/sys/devices/system/cpu/cpu*/cache
	ask web
}

t_measure_of_tasks_that_do_not_run()
{
	office
	step llcctl measure --cgroup-root cg --sysroot root --for 1 web
	rm root/proc/101/schedstat
	step llcctl measure --cgroup-root cg --sysroot root --for 1 web
}

t_measure_says_how_much_it_did_not_see()
{
	office
	# Half of the run time is of tasks that nobody saw.
	work() {
		local ran=1000
		while [ ! -e stop ]; do
			ran=$((ran + 10000000))
			ran root 101 0 $ran 0
			echo "usage_usec $((2 * ran / 1000))" >cg/web/cpu.stat.new
			mv cg/web/cpu.stat.new cg/web/cpu.stat
			sleep 0.01
		done
	}
	echo 101 >cg/web/cgroup.threads
	works measure web --for 1 2>&1 >/dev/null | without_figures
}
