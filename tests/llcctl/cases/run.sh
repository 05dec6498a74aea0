# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl run` give a command its cgroup, and end as the command does?
#
# With cgroupfs.so, in which a directory behaves as cgroup2 does. In it nobody
# is moved for real; what is moved is seen in cgroup.procs.

# A tree, and a caller in /user.slice/me.
street()
{
	cgroot "$PWD/cg"
	echo 4711 >"$PWD/cg/cgroup.procs"
	cg "$PWD/cg/user.slice" default process "" active
	cg "$PWD/cg/user.slice/me" default process "" active
	: >"$PWD/cg/user.slice/cgroup.procs"
	echo 4712 >"$PWD/cg/user.slice/me/cgroup.procs"
	echo "" >"$PWD/cg/user.slice/me/cgroup.subtree_control"
	mkdir -p "$PWD/root/proc/self"
	echo "0::/user.slice/me" >"$PWD/root/proc/self/cgroup"
	# A command that tells which cgroup it finds itself in.
	cat >where <<-END
	#!/bin/sh
	cd "$PWD/cg" || exit
	dir=\$(dirname "\$(grep -rlx --include=cgroup.procs \$\$ .)")
	echo "\$dir: \$(cat "\$dir/cpu.llc_prefer")"
	END
	chmod 755 where
}

# The preloaded library comes before ASan's, which it does not mind.
ours=(env "CGROUPFS=CG" "LD_PRELOAD=$O/cgroupfs.so" "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0")

running()
{
	ours[1]="CGROUPFS=$PWD/cg"
	show llcctl run "$@"
	"${ours[@]}" "$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$PWD/root" run "$@" >"$tmp/out" 2>"$tmp/err"
	local rc=$?
	scrub <"$tmp/out" | numbers
	scrub <"$tmp/err" | numbers | sed 's/^/[stderr] /'
	[ $rc -eq 0 ] || echo "[exit $rc]"
}

numbers() { sed -E 's/llcctl-run-[0-9]+/llcctl-run-PID/g'; }

# The file is there, or 10 seconds are over.
await()
{
	local i
	for ((i = 0; i < 500; i++)); do
		[ ! -e "$1" ] || return
		sleep 0.02
	done
	echo "[no $1 after 10 s]"
}

cgroups() { (cd "$PWD/cg" && find . -type d | sort | numbers | tr '\n' ' '; echo); }

t_run_makes_a_cgroup_for_the_command_and_removes_it()
{
	street
	running ./where
	running --prefer off -v ./where
	running --prefer 0-3 --cgroup demo ./where
	running --cgroup user.slice/demo ./where
	cgroups
}

t_run_ends_as_the_command_does()
{
	street
	running true
	running false
	running -- sh -c 'exit 7'
	running -- sh -c 'echo out; echo err >&2'
	running -- sh -c 'kill -TERM $$'
	running -- sh -c 'kill -KILL $$'
	running nosuchcommand
	running /etc/passwd
	running ./nosuch/command
	running -- -x
	cgroups
}

t_run_keeps_standard_input_and_arguments()
{
	street
	ours[1]="CGROUPFS=$PWD/cg"
	echo "from outside" | "${ours[@]}" "$tmp/llcctl" --cgroup-root "$PWD/cg" \
		--sysroot "$PWD/root" run cat
	running printf '%s|' a "b c" --prefer -- -v
	echo
}

t_run_passes_signals_on()
{
	local sig pid
	street
	ours[1]="CGROUPFS=$PWD/cg"
	for sig in TERM INT HUP QUIT USR1 USR2; do
		rm -f ready
		# Background jobs of a script ignore INT and QUIT: not this one.
		"${ours[@]}" env --default-signal=INT,QUIT "$tmp/llcctl" --cgroup-root "$PWD/cg" \
			--sysroot "$PWD/root" run sh -c \
			"trap 'echo got $sig; exit 3' $sig; : >ready; while :; do sleep 0.05; done" &
		pid=$!
		await ready
		kill -$sig $pid
		wait $pid
		echo "[exit $?]"
	done
	rm -f ready
	"${ours[@]}" "$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$PWD/root" run sh -c ': >ready; exec sleep 60' &
	pid=$!
	await ready
	kill -TERM $pid
	wait $pid
	echo "[exit $?]"
	cgroups
}

# One that is pending before the command is there: it is not started at all.
t_run_does_not_start_what_was_ended_before()
{
	command -v python3 >/dev/null || skip "no python3 to hold a signal"
	street
	ours[1]="CGROUPFS=$PWD/cg"
	show llcctl run touch started
	"${ours[@]}" python3 -c 'if True:
		import os, signal, sys
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
		os.kill(os.getpid(), signal.SIGTERM)
		os.execv(sys.argv[1], sys.argv[1:])' \
		"$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$PWD/root" run touch started
	echo "[exit $?]"
	[ ! -e started ] || fail "the command was started"
	cgroups
}

# As from a terminal, where ^C reaches every process of the foreground group.
t_run_does_not_repeat_what_the_terminal_sends()
{
	command -v script >/dev/null || skip "no script(1)"
	street
	cat >inner <<-END
	exec env CGROUPFS='$PWD/cg' LD_PRELOAD='$O/cgroupfs.so' ASAN_OPTIONS='$ASAN_OPTIONS:verify_asan_link_order=0' \\
		'$tmp/llcctl' --cgroup-root '$PWD/cg' --sysroot '$PWD/root' run sh -c \\
		'n=0; trap "n=\\\$((n+1))" INT; : >ready; while [ ! -e over ]; do sleep 0.05; done; echo "INT came \$n times"'
	END
	(await ready
	sleep 0.2; printf '\003'; sleep 0.5; : >over; sleep 0.5) |
		timeout 20 script -qec "sh inner" /dev/null | tr -d '\r' | grep -o 'INT came.*'
}

t_run_leaves_a_cgroup_that_is_not_empty()
{
	local pid
	street
	ours[1]="CGROUPFS=$PWD/cg"
	sleep 60 &
	pid=$!
	echo $pid >pid
	running --cgroup demo -- sh -c 'cat pid >cg/demo/cgroup.procs; exit 4'
	cgroups
	kill $pid
}

t_run_removes_what_the_command_made_below()
{
	street
	running --cgroup demo -- mkdir -p "$PWD/cg/demo/a/b"
	cgroups
}

t_run_says_what_it_cannot_do()
{
	street
	running
	running --prefer banana true
	running --prefer llc:7 true
	running --cgroup user.slice true
	running --cgroup nowhere/demo true
	running --cgroup ../demo true
	running --cgroup / true
	running --frobnicate true
	echo "" >"$PWD/cg/user.slice/cgroup.controllers"
	running --cgroup user.slice/demo true
	echo memory >"$PWD/cg/cgroup.controllers"
	running true
	cgroups
}

# Where the kernel lacks the file the command is not started.
t_run_on_a_kernel_that_lacks_the_file()
{
	street
	show llcctl run touch started
	CGROUPFS=$PWD/cg LD_PRELOAD=$O/cgroupfs.so \
		ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 CGROUPFS_WITHOUT=1 \
		"$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$PWD/root" run touch started 2>&1 | scrub | numbers
	echo "[exit ${PIPESTATUS[0]}]"
	[ ! -e started ] || fail "the command was started"
	cgroups
}

t_run_only_where_libcgroup_makes_cgroups()
{
	street
	cgroot "$PWD/other"
	show llcctl run true
	CGROUPFS=$PWD/other LD_PRELOAD=$O/cgroupfs.so \
		ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 \
		"$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$PWD/root" run true 2>&1 | scrub | numbers
	echo "[exit ${PIPESTATUS[0]}]"
}

# Which cgroup is chosen for the new one, by where the caller is.
t_run_chooses_a_place_near_the_caller()
{
	local where
	street
	for where in / /user.slice /user.slice/me; do
		echo "0::$where" >"$PWD/root/proc/self/cgroup"
		running ./where
	done
	# Nobody in it, and it can pass the controller on.
	: >"$PWD/cg/user.slice/me/cgroup.procs"
	running ./where
	cat "$PWD/cg/user.slice/me/cgroup.subtree_control"
	echo threaded >"$PWD/cg/user.slice/me/cgroup.type"
	running ./where
}

as_nobody()
{
	[ "$(id -u)" -eq 0 ] || { "$@"; return; }
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

t_run_in_a_delegated_subtree()
{
	street
	command -v setpriv >/dev/null && as_nobody true 2>/dev/null || skip "cannot become another user"
	chmod 755 "$tmp/work"
	cp "$O/cgroupfs.so" "$tmp/cgroupfs.so"
	ours=(as_nobody env "CGROUPFS=$PWD/cg" "LD_PRELOAD=$tmp/cgroupfs.so" "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0")
	unprivileged() {
		show llcctl run "$@"
		"${ours[@]}" "$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$PWD/root" run "$@" 2>&1 | scrub | numbers
		echo "[exit ${PIPESTATUS[0]}]"
	}
	unprivileged ./where
	unprivileged --cgroup user.slice/demo true
	chown 65534 "$PWD/cg/user.slice" "$PWD/cg/user.slice/cgroup.procs" \
		"$PWD/cg/user.slice/cgroup.subtree_control"
	unprivileged ./where
	unprivileged --cgroup user.slice/demo ./where
	cgroups
}
