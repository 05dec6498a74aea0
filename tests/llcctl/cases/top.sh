# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl top` show who runs where, in lines, as JSON and on a terminal?
#
# Of a recorded machine with eight LLCs, whose tasks run as long as the file stop is
# not there.

farm()
{
	local i
	mkdir -p root
	cp -r "$(machine eight_ccx)/sys" root/
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" group group 0-15 active
	cg "$PWD/cg/web/api" default group 0-15 active
	cg "$PWD/cg/db" 16-31 list 16-31 active
	cg "$PWD/cg/quiet" off off "" active
	cg "$PWD/cg/pods" default process "" active
	for i in {10..39}; do cg "$PWD/cg/pods/pod$i" group group 64-79 idle; done
	: >cg/cgroup.threads
	: >cg/web/cgroup.threads
	printf '101\n102\n' >cg/web/api/cgroup.threads
	echo 103 >cg/db/cgroup.threads
}

farm_runs()
{
	local u=1000000
	while [ ! -e stop ]; do
		u=$((u + 20000))
		ran root 101 0 ${u}000 0
		ran root 102 15 ${u}000 0
		ran root 103 16 ${u}000 0
		counted cg/web $u $u
		counted cg/web/api $u $u
		counted cg/db $u $u
		sleep 0.02
	done
}
farmed()
{
	local clock
	rm -f stop
	farm_runs &
	clock=$!
	"$@"
	touch stop
	wait $clock
}

at_some_time() { sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/HH:MM:SS/; s/ +$//'; }

on_farm() { llcctl top --cgroup-root "$PWD/cg" --sysroot "$PWD/root" "$@"; }

t_top_in_lines()
{
	farm
	farmed on_farm -n 2 -i 0.4 2>err | at_some_time | grep -v -e pod -e '^/ '
	cat err
}

t_top_of_one_cgroup()
{
	farm
	farmed on_farm -b --count 1 --interval 0.4 web 2>&1 | at_some_time
}

t_top_in_colour()
{
	farm
	farmed on_farm -n 1 -i 0.4 --color=always db 2>&1 | at_some_time | cat -v
	on_farm -n 1 -i 0.1 --color=never db | grep -c $'\033'
}

t_top_as_json()
{
	farm
	farmed on_farm --json -n 1 -i 0.4 web 2>&1
	farmed on_farm --json -n 2 -i 0.2 --all >two
	python3 -c '
import json
text, n, at = open("two").read(), 0, 0
while text[at:].strip():
    doc, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + end
    n += 1
print(n, "documents,", len(doc["top"]), "cgroups")'
}

t_top_where_nobody_states_anything()
{
	mkdir -p root
	cp -r "$(machine eight_ccx)/sys" root/
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default process "" active
	on_farm -n 1 -i 0.1 2>&1 | at_some_time
}

t_top_refuses_what_it_cannot_do()
{
	local ask
	farm
	ask() { step llcctl top --cgroup-root cg --sysroot root "$@"; }
	ask -i 0
	ask -i 0.01
	ask -n 0
	ask -n x
	ask --color=blue
	ask web db
	ask -n 1 nowhere
	rm cg/web/cpu.llc_prefer cg/web/api/cpu.llc_prefer
	ask -n 1 web
	rm -r root/sys/devices/system/cpu/cpu*/cache
	ask -n 1
}

# ---- a terminal ----

# Of its own each time, so that no tmux is in the way, nor one that is still ending.
tm() { tmux -L "llcctl-$tm_case-$tm_nr" -f /dev/null "$@" 2>/dev/null; }

# terminal WIDTH HEIGHT ARGUMENT...: in it runs llcctl top, and then a shell.
terminal()
{
	local width=$1 height=$2
	shift 2
	[ $tm_nr = 0 ] || tm kill-server
	tm_nr=$((tm_nr + 1))
	unset TMUX NO_COLOR
	ASAN_OPTIONS="$ASAN_OPTIONS:log_path=$PWD/asan" tm new-session -d -x "$width" -y "$height" \
		"trap : INT; PS1='done> ' TERM=${term:-screen-256color}; export PS1 TERM; $tmp/llcctl top --cgroup-root $PWD/cg --sysroot $PWD/root $*; echo exit \$?; exec sh"
}
# What is on the screen, but for the root: how two tasks share is never quite the same.
screen() { tm capture-pane -p | at_some_time | sed '/^\/ /d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

# sees WORDS: wait until they are on the screen, or give up.
sees()
{
	local n=0
	until screen | grep -qF -e "$1"; do
		if [ $((n += 1)) -gt 300 ]; then
			fail "not on the screen: $1"
			screen
			return 1
		fi
		sleep 0.1
	done
}
keys() { tm send-keys "$@"; }

terminal_ready()
{
	command -v tmux >/dev/null || skip "no tmux"
	tm_case=$BASHPID tm_nr=0
}

t_top_on_a_narrow_terminal()
{
	terminal_ready
	farm
	farm_runs &
	terminal 80 24 -i 1
	sees "[100]" && screen
	echo "--- scrolled down and to the right"
	keys NPage Right Right
	sees "< " && sees pod39 && screen
	touch stop
	wait
	tm kill-server
}

t_top_on_a_wide_terminal()
{
	terminal_ready
	farm
	farm_runs &
	terminal 130 16 -i 1
	sees "[100]" && screen
	echo "--- by name"
	keys n
	sees "by name" && keys End && sees /web/api && screen
	echo "--- reversed"
	keys Home r
	sees "by name reversed" && screen | sed -n 1,6p
	echo "--- paused"
	keys p
	sees ", paused" && screen | sed -n 1p
	echo "--- all"
	keys p t a
	sees "by tree" && screen | sed -n 1,5p
	touch stop
	wait
	tm kill-server
}

t_top_help_and_a_resized_terminal()
{
	terminal_ready
	farm
	farm_runs &
	terminal 80 24 -i 1
	sees "[100]"
	keys h
	sees "any key goes back" && screen
	keys x
	sees "[100]"
	tm resize-window -x 110 -y 10
	sees "MOVE/s" && screen | sed -n 3,6p
	tm resize-window -x 50 -y 8
	sees ">" && screen | sed -n 3,6p
	touch stop
	wait
	tm kill-server
}

t_top_on_terminals_of_few_colours_and_none()
{
	local term escapes
	terminal_ready
	farm
	farm_runs &
	for term in screen-256color screen vt100; do
		terminal 80 12 -i 1
		sees "[100]" || break
		escapes=$(tm capture-pane -e -p | grep '\[100\]' | grep -oE '48;5;160|41m' | sort -u)
		echo "$term: the hottest is ${escapes:-without colour}"
		keys q
		sees "exit 0"
	done
	touch stop
	wait
	tm kill-server
}

t_top_leaves_a_clean_terminal()
{
	local how
	terminal_ready
	farm
	touch stop
	for how in q C-c; do
		terminal 80 24 -i 1
		sees "CGROUP"
		keys $how
		sees "exit"
		sees "done>"
		# What was on the screen is gone, keys are echoed again, the cursor is seen.
		keys "echo visible" Enter
		sees "visible"
		screen | grep -q CGROUP && fail "$how: the screen was left as it was"
		screen | grep -E '^exit' | sed "s/^/$how: /"
		[ "$(tm display-message -p '#{cursor_flag}')" = 1 ] || fail "$how: the cursor is hidden"
	done
	tm kill-server
	cat asan* 2>/dev/null
	return 0
}

t_top_without_a_terminal_it_knows()
{
	terminal_ready
	farm
	tm_nr=$((tm_nr + 1))
	tm new-session -d -x 100 -y 10 \
		"TERM=nosuch $tmp/llcctl top --cgroup-root $PWD/cg --sysroot $PWD/root; echo exit \$?; sleep 30"
	sees "exit 1" && screen
	tm kill-server
}
