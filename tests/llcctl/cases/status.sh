# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl status` show who states what, and what is in force?

server()
{
	[ -d "$tmp/server" ] || cg_server "$tmp/server"
	step llcctl --cgroup-root "$tmp/server" --sysroot "$(machine eight_ccx)" status "$@"
}

t_status_is_a_tree_of_those_that_state_something()
{
	server
}

t_status_all_shows_every_cgroup()
{
	server --all
}

t_status_of_one_cgroup_and_those_below()
{
	server batch.slice
	server /system.slice/nginx.service
	server system.slice/cron.service
	server -a system.slice/cron.service
}

t_status_as_list_has_full_paths()
{
	server --list
	server -ln -o CGROUP,STATE
}

t_status_raw_has_no_empty_cell()
{
	server --raw
	server -rn -o CGROUP,CPUS,LLCS
}

t_status_as_json_is_a_tree()
{
	server --json
}

t_status_as_json_list()
{
	server -Jl -o cgroup,prefer,llcs,tasks
}

t_status_columns_are_chosen()
{
	server -o CGROUP,TASKS
	server -l -o CGROUP,TIME,WAKEUPS,STEERED,FORKS,IN,OUT
	server -o +FOO
}

t_status_draws_the_tree_in_utf8()
{
	[ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8 ] ||
		skip "no locale C.UTF-8"
	LC_ALL=C.UTF-8 server -o CGROUP,PREFER
}

t_status_where_llcs_have_no_names()
{
	[ -d "$tmp/server" ] || cg_server "$tmp/server"
	step llcctl --cgroup-root "$tmp/server" --sysroot "$(machine no_ids)" status -l -o CGROUP,CPUS,LLCS
	step llcctl --cgroup-root "$tmp/server" --sysroot "$(machine no_cache)" status -l -o CGROUP,CPUS,LLCS
}

t_status_where_nobody_states_anything()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default process "" active 2
	step llcctl --cgroup-root "$PWD/cg" status
	step llcctl --cgroup-root "$PWD/cg" status --json
}

t_status_of_the_root_alone()
{
	cgroot "$PWD/cg"
	step llcctl --cgroup-root "$PWD/cg" status
	step llcctl --cgroup-root "$PWD/cg" status --all
}

t_status_where_the_controller_is_off()
{
	cgroot "$PWD/cg"
	echo memory >"$PWD/cg/cgroup.subtree_control"
	cg_bare "$PWD/cg/a"
	cg_bare "$PWD/cg/a/b"
	step llcctl --cgroup-root "$PWD/cg" status
	step llcctl --cgroup-root "$PWD/cg" status a/b
}

t_status_keeps_states_and_keys_it_does_not_know()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" "group from the future" oracle 0-15 "dreaming of sheep" 2
	echo "span 2" >>"$PWD/cg/web/cpu.llc_prefer.effective"
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" status -l
}

t_status_of_odd_names()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/with blank" group group 0-15 active
	cg "$PWD/cg/with\"quote" group group 0-15 active
	cg "$PWD/cg/with\\x2dbackslash" group group 0-15 active
	step llcctl --cgroup-root "$PWD/cg" status -rn -o CGROUP,PREFER
	step llcctl --cgroup-root "$PWD/cg" status -Jl -o CGROUP,PREFER
}

t_status_of_several_cgroups()
{
	server batch.slice nginx.service
	server -J -o cgroup,mode batch.slice system.slice
	server batch.slice nowhere
}

# What is inherited is shown too, where the cgroup that decides is not.
t_status_below_the_cgroup_that_decides()
{
	server batch.slice/job10
	server cron.service
}

t_status_of_a_process()
{
	[ -d "$tmp/server" ] || cg_server "$tmp/server"
	mkdir -p root/proc/77
	echo 0::/batch.slice/job10 >root/proc/77/cgroup
	step llcctl --cgroup-root "$tmp/server" --sysroot "$PWD/root" status -p 77
}

# What is counted while it looks on, next to what was counted before.
t_status_over_an_interval()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" group group 0-15 active
	cg "$PWD/cg/web/in" default group 0-15 active
	cg "$PWD/cg/idle" group group 0-15 active
	counted "$PWD/cg/web" 1000000 0
	counted "$PWD/cg/web/in" 1000000 0
	counted "$PWD/cg/idle" 1000000 700000
	(sleep 0.5; counted "$PWD/cg/web" 2000000 950000; counted "$PWD/cg/web/in" 2000000 950000) &
	step llcctl --cgroup-root "$PWD/cg" status --interval 1 -o CGROUP,RESIDENCY
	wait
	step llcctl --cgroup-root "$PWD/cg" status --interval 10ms --json -o CGROUP,RECENT
}

t_status_without_counts_says_so()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" group group 0-15 active
	cg "$PWD/cg/quiet" off off "" active
	rm "$PWD"/cg/*/cpu.llc_prefer.stat
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" status
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" status -o CGROUP,STATE
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" status quiet
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" status --json web
}
