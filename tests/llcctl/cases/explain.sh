# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl explain` name who decides, and the reason that holds?

why() { step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine "${on:-eight_ccx}")" explain "$@"; }

# cpuset DIR EFFECTIVE
cpuset() { echo "$2" >"$1/cpuset.cpus.effective"; }

t_explain_what_is_stated_and_inherited()
{
	cg_server "$PWD/cg"
	why nginx.service
	why postgresql.service
	why batch.slice/job9
	why cron.service
	why user.slice
	cg "$PWD/cg/system.slice/nginx.service/a" default group 16-31 active
	cg "$PWD/cg/system.slice/nginx.service/a/b" default group 16-31 active
	why system.slice/nginx.service/a/b
}

t_explain_what_confines_it()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/pod" 0-31 list 0-31 active
	cg "$PWD/cg/pod/ctr" group group 0-15 active 4
	counted "$PWD/cg/pod/ctr" 1000000 950000 1 1
	why pod/ctr
	cg "$PWD/cg/pod/ctr/deep" process process "" active
	why pod/ctr/deep
	cg "$PWD/cg/pod" "group node:0" group 0-15 active
	why pod/ctr
}

t_explain_every_reason()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" llc list 16-31 active
	echo 16-31 >"$PWD/cg/web/cpu.llc_prefer"
	for state in disabled numa idle crowded dreaming; do
		printf 'mode list\ncpus 16-31\nstate %s\n' $state >"$PWD/cg/web/cpu.llc_prefer.effective"
		why web
	done
	threads "$PWD/cg/web" 0
	printf 'mode group\ncpus \nstate idle\n' >"$PWD/cg/web/cpu.llc_prefer.effective"
	why web
}

t_explain_a_single_llc()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" group group "" single-llc
	on=llc_of_two_nodes why web
	on=eight_ccx why web
}

t_explain_an_llc_that_is_offline()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" 4-7 list "" offline
	on=offline_holes why web
}

t_explain_a_cpuset_that_is_too_narrow()
{
	cgroot "$PWD/cg"
	cpuset "$PWD/cg" 0-127
	cg "$PWD/cg/pods" default process "" active
	cpuset "$PWD/cg/pods" 0-31
	cg "$PWD/cg/pods/web" 64-79 list "" cpuset
	why pods/web
	cpuset "$PWD/cg/pods/web" 0-15
	why pods/web
	cpuset "$PWD/cg/pods" 0-79
	why pods/web
	rm "$PWD/cg/cpuset.cpus.effective" "$PWD/cg/pods/cpuset.cpus.effective" \
		"$PWD/cg/pods/web/cpuset.cpus.effective"
	why pods/web
}

t_explain_tasks_that_do_not_fit()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" 0-15 list 0-15 active 40
	counted "$PWD/cg/web" 10000000 4000000 777
	why web
	echo group >"$PWD/cg/web/cpu.llc_prefer"
	printf 'mode group\ncpus 0-15\nstate active\n' >"$PWD/cg/web/cpu.llc_prefer.effective"
	why web
}

t_explain_tasks_that_no_preference_moves()
{
	local why="llcctl --cgroup-root $PWD/cg --sysroot $PWD/m explain web"
	cp -r "$(machine eight_ccx)" "$PWD/m"
	task "$PWD/m" 300 0 0
	task "$PWD/m" 301 0 0-127
	task "$PWD/m" 302 3 8-16
	task "$PWD/m" 303 5 1,127
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" 16-31 list 16-31 active
	cg "$PWD/cg/web/below" default list 16-31 active
	cg "$PWD/cg/web/apart" off off "" active
	# 1: any may, 299: gone meanwhile, 0: in another pid namespace.
	printf '%s\n' 301 302 299 0 >"$PWD/cg/web/cgroup.threads"
	printf '%s\n' 300 303 >"$PWD/cg/web/below/cgroup.threads"
	step $why
	mv "$PWD/cg/web/below/cgroup.threads" "$PWD/cg/web/apart/cgroup.threads"
	: >"$PWD/cg/web/below/cgroup.threads"
	step $why
	task "$PWD/m" 301 2 0
	step $why
	task "$PWD/m" 302 6 0
	step $why
}

t_explain_where_the_kernel_tells_less()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" group group 0-15 active
	rm "$PWD/cg/web/cpu.llc_prefer.stat"
	why web
	rm "$PWD/cg/web/cpu.llc_prefer.effective"
	why web
	rm "$PWD/cg/web/cpu.llc_prefer"
	why web
}

# Whoever decides is above the mount, which a container does not see.
t_explain_from_within_a_container()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default group 0-15 active
	why web
}

t_explain_as_json()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" group group 0-15 crowded
	why --json web
}

t_explain_of_what_has_no_preference()
{
	cgroot "$PWD/cg"
	cg_bare "$PWD/cg/bare"
	cg_bare "$PWD/cg/bare/child"
	why /
	why bare/child
	why nowhere
	why
}
