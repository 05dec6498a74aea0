# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Do `llcctl get` and `llcctl set` read and write the file, and explain failures?

# The tree, made anew for every case, and the machine: 128 CPUs, 8 LLCs.
world()
{
	cgroot "$tmp/cg"
	cg "$tmp/cg/web" default process "" active 2
	cg "$tmp/cg/web/db" default process "" active 1
}

fresh() { rm -rf "$tmp/cg"; world; }

ctl() { step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine eight_ccx)" "$@"; }

stored() { echo "[stored: $(cat "$tmp/cg/$1/cpu.llc_prefer")]"; }

t_get_prints_what_is_stated()
{
	fresh
	echo "group 0-31" >"$tmp/cg/web/cpu.llc_prefer"
	ctl get web
	ctl get web/db
}

t_get_effective_prints_every_key()
{
	fresh
	ctl get --effective web
	printf 'mode group\ncpus 0-15\nspan 1\nstate dreaming\n' \
		>"$tmp/cg/web/cpu.llc_prefer.effective"
	ctl get -e web
}

t_a_cgroup_is_named_by_path()
{
	fresh
	ctl get /web/db
	ctl get web//db/
	ctl get ./web
	ctl get "$tmp/cg/web"
	ctl get ../web
	ctl get ""
}

t_set_writes_every_value()
{
	local v
	fresh
	for v in group "group 0-31" 16-31 0,64 process off default; do
		ctl set web "$v"
		stored web
	done
}

t_set_joins_its_words()
{
	fresh
	ctl set web group 0-15
	stored web
	ctl set web "  group   0-15,3  "
	stored web
}

t_set_writes_the_normalised_value()
{
	fresh
	ctl set web 3,1,2
	stored web
	ctl set web group 5,4, 6
	stored web
}

t_set_translates_llc_names()
{
	fresh
	ctl set web llc:2
	stored web
	ctl set web group llc:0,llc:1
	stored web
	ctl set web llc:7,0
	stored web
}

t_set_lists_the_llcs_there_are()
{
	fresh
	ctl set web llc:8
	ctl set web llc:two
	stored web
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine offline_holes)" set web llc:1
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine no_ids)" set web llc:1
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine same_id_twice)" set web llc:0
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine no_cache)" set web llc:0
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine no_cache)" set web 0-3
	stored web
}

t_set_takes_any_id_of_an_llc_with_several()
{
	fresh
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine differing_ids)" set web llc:0
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$(machine differing_ids)" set web llc:7
}

t_set_refuses_a_bad_value_and_changes_nothing()
{
	fresh
	echo "group 0-31" >"$tmp/cg/web/cpu.llc_prefer"
	ctl set web banana
	ctl set web group banana
	ctl set web 5-3
	ctl set web ""
	ctl set web "  "
	ctl set web "group
0-3"
	ctl set web off 0-3
	ctl set web ,
	ctl set web 300
	ctl set web group 100-300
	stored web
}

t_set_without_the_last_cpu_leaves_it_to_the_kernel()
{
	fresh
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$tmp/nowhere" set web 300
	step llcctl --cgroup-root "$tmp/cg" --sysroot "$tmp/nowhere" set web 8192
	stored web
}

t_set_says_why_a_value_has_no_effect()
{
	local state
	fresh
	for state in single-llc disabled offline cpuset numa idle crowded dreaming; do
		cg "$tmp/cg/web" default group 0-15 $state
		ctl set web group
	done
}

t_set_says_nothing_of_the_state_where_nothing_is_wanted()
{
	fresh
	cg "$tmp/cg/web" group process "" single-llc
	ctl set web default
	ctl set web off
	ctl set web process
}

t_set_shows_keys_it_does_not_know()
{
	fresh
	printf 'mode group\ncpus\nspan 2\nstate active\n' >"$tmp/cg/web/cpu.llc_prefer.effective"
	ctl set web group
}

t_set_without_an_effective_file()
{
	fresh
	rm "$tmp/cg/web/cpu.llc_prefer.effective"
	ctl set web group
	ctl get --effective web
}

# /dev/null takes the write and reads back as nothing.
t_set_verifies_by_reading_back()
{
	fresh
	rm "$tmp/cg/web/cpu.llc_prefer"
	mknod "$tmp/cg/web/cpu.llc_prefer" c 1 3 2>/dev/null &&
		: 2>/dev/null >"$tmp/cg/web/cpu.llc_prefer" || skip "no device nodes here"
	ctl set web group
}

t_set_passes_on_an_error_it_does_not_know()
{
	fresh
	rm "$tmp/cg/web/cpu.llc_prefer"
	mknod "$tmp/cg/web/cpu.llc_prefer" c 1 7 2>/dev/null &&
		: 2>/dev/null >"$tmp/cg/web/cpu.llc_prefer" || skip "no device nodes here"
	ctl set web group
}

t_no_such_cgroup()
{
	fresh
	ctl get nowhere
	ctl set nowhere group
	ctl set web/nowhere/db group
	ctl set web/cpu.llc_prefer group
	ctl status nowhere
}

t_the_root_cgroup_has_no_file()
{
	fresh
	ctl get /
	ctl set / group
	ctl set "$tmp/cg" group
}

# In a container the top of the mount is an ordinary cgroup.
t_the_top_of_a_container_has_the_file()
{
	fresh
	cg "$tmp/cg" group group 0-15 active
	ctl get /
	ctl set / off
	rm "$tmp/cg/cpu.llc_prefer"
	ctl set / group
}

t_the_line_that_enables_the_controller()
{
	fresh
	cg_bare "$tmp/cg/web/deep"
	echo memory >"$tmp/cg/web/cgroup.subtree_control"
	ctl set web/deep group
	ctl get web/deep
	cg_bare "$tmp/cg/off"
	: >"$tmp/cg/cgroup.subtree_control"
	ctl set off group
	cg_bare "$tmp/cg/off/a"
	cg_bare "$tmp/cg/off/a/b"
	ctl set off/a/b group
	cg_bare "$tmp/cg/it's off"
	cg_bare "$tmp/cg/it's off/x"
	ctl set "it's off/x" group
}

t_the_line_that_enables_the_controller_of_a_systemd_unit()
{
	fresh
	: >"$tmp/cg/cgroup.subtree_control"
	cg_bare "$tmp/cg/system.slice"
	cg_bare "$tmp/cg/system.slice/nginx.service"
	ctl set system.slice/nginx.service group
}

t_no_cpu_controller_on_cgroup2()
{
	fresh
	echo "memory hugetlb" >"$tmp/cg/cgroup.controllers"
	cg_bare "$tmp/cg/new"
	ctl set new group
}

t_the_kernel_lacks_the_file()
{
	fresh
	rm "$tmp"/cg/web{,/db}/cpu.llc_prefer{,.effective}
	ctl get web
	ctl get -e web
	ctl set web group
	ctl status
	ctl status web/db
}

# As another user where this one is root, whom no mode stops.
as_user()
{
	if [ "$(id -u)" -ne 0 ]; then
		step "$@"
		return
	fi
	command -v setpriv >/dev/null || skip "no setpriv to become another user"
	setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null ||
		skip "cannot become another user"
	show "$@"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >"$tmp/out" 2>"$tmp/err"
	local rc=$?
	scrub <"$tmp/out"
	scrub <"$tmp/err" | sed 's/^/[stderr] /'
	[ $rc -eq 0 ] || echo "[exit $rc]"
}

t_no_permission()
{
	fresh
	chmod 444 "$tmp/cg/web/cpu.llc_prefer"
	chmod 000 "$tmp/cg/web/db/cpu.llc_prefer"
	as_user "$tmp/llcctl" --cgroup-root "$tmp/cg" set web group
	as_user "$tmp/llcctl" --cgroup-root "$tmp/cg" get web
	as_user "$tmp/llcctl" --cgroup-root "$tmp/cg" get web/db
	chmod 700 "$tmp/cg/web"
	as_user "$tmp/llcctl" --cgroup-root "$tmp/cg" set web group
	chmod 755 "$tmp/cg/web"
}

t_read_only_mount()
{
	fresh
	unshare -m sh -c "mount --bind '$tmp/cg' '$tmp/cg' &&
		mount -o remount,ro,bind '$tmp/cg'" 2>/dev/null ||
		skip "cannot mount in a namespace of its own"
	printf '$ llcctl set web group\n'
	unshare -m sh -c "mount --bind '$tmp/cg' '$tmp/cg' &&
		mount -o remount,ro,bind '$tmp/cg' &&
		'$tmp/llcctl' --cgroup-root '$tmp/cg' set web group" 2>&1 | scrub
	echo "[exit ${PIPESTATUS[0]}]"
}

t_a_path_stays_on_the_mount()
{
	fresh
	ln -s web "$tmp/cg/link"
	ctl set link group
	ctl get link/db
	ln -s /etc "$tmp/cg/web/etc"
	ctl get web/etc
	rm "$tmp/cg/web/cpu.llc_prefer"
	ln -s /etc/passwd "$tmp/cg/web/cpu.llc_prefer"
	ctl get web
	ctl set web group
	stored web/db
}

t_a_mount_below_the_mount_is_not_entered()
{
	fresh
	mkdir "$tmp/cg/other"
	unshare -m mount -t tmpfs none "$tmp/cg/other" 2>/dev/null ||
		skip "cannot mount in a namespace of its own"
	printf '$ llcctl get other\n'
	unshare -m sh -c "mount -t tmpfs none '$tmp/cg/other' &&
		echo group >'$tmp/cg/other/cpu.llc_prefer' &&
		'$tmp/llcctl' --cgroup-root '$tmp/cg' get other" 2>&1 | scrub
	echo "[exit ${PIPESTATUS[0]}]"
}

t_the_cgroup_root_must_be_one()
{
	mkdir nothing
	step llcctl --cgroup-root "$PWD/nothing" get web
	step llcctl --cgroup-root "$tmp/nowhere" set web group
	step llcctl --cgroup-root "$tmp/nowhere" status
}

t_no_cgroup2_is_mounted()
{
	unshare -m sh -c 'awk "/- cgroup2 /{ print \$5 }" /proc/self/mountinfo |
		while read -r m; do umount -l "$m" || exit 1; done' 2>/dev/null ||
		skip "cannot unmount in a namespace of its own"
	printf '$ llcctl get web\n'
	unshare -m sh -c "awk '/- cgroup2 /{ print \$5 }' /proc/self/mountinfo |
		while read -r m; do umount -l \"\$m\"; done
		'$tmp/llcctl' get web" 2>&1 | scrub
	echo "[exit ${PIPESTATUS[0]}]"
}
