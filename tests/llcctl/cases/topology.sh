# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl topology` find the LLCs of every kind of machine?

topology() { step llcctl topology --sysroot "$(machine "$1")" "${@:2}"; }

t_topology_several_l3_per_die()
{
	topology several_l3
}

t_topology_of_eight_ccx()
{
	topology eight_ccx
}

t_topology_unequal_sizes()
{
	topology unequal_sizes
}

t_topology_l2_is_the_last_level()
{
	topology l2_last
}

t_topology_with_offline_holes()
{
	topology offline_holes
	topology offline_in_list
}

t_topology_without_a_cache_directory_says_what_still_holds()
{
	topology no_cache
	topology no_cache --json
}

t_topology_without_ids_and_sizes()
{
	topology no_ids
	topology no_ids --json
	topology no_ids --raw
}

t_topology_goes_by_shared_cpu_list_where_ids_differ_in_one_l3()
{
	topology differing_ids
}

t_topology_of_two_sockets()
{
	topology two_sockets
}

t_topology_of_an_llc_on_two_nodes()
{
	topology llc_of_two_nodes
	topology llc_of_two_nodes --json
}

t_topology_of_1024_cpus()
{
	topology 1024_cpus
}

t_topology_up_to_cpu_8191()
{
	topology cpu_8191
}

t_topology_with_the_same_id_at_two_levels()
{
	topology same_id_twice
}

t_topology_names_the_cpus_that_say_nothing()
{
	topology silent_cpus
}

t_topology_of_an_old_kernel_by_its_masks()
{
	topology old_kernel
}

t_topology_ignores_instruction_caches()
{
	topology instruction_last
}

t_topology_as_json()
{
	topology several_l3 --json
}

t_topology_raw_and_without_headings()
{
	topology several_l3 --raw
	topology several_l3 -rn
	# Without headings, libsmartcols 2.41 makes columns no wider than their cells.
	topology several_l3 --noheadings | sed 's/^ *//; s/  */ /g'
}

t_topology_columns_are_chosen()
{
	topology several_l3 -o cpus,id
	topology several_l3 -n -o +LEVEL | sed 's/^ *//; s/  */ /g'
	topology several_l3 -Jo cpus
	topology several_l3 -o ID,FOO
	topology several_l3 -o ""
}

t_topology_of_no_machine()
{
	step llcctl topology --sysroot "$tmp/nowhere"
	mkdir -p empty/sys/devices/system/cpu
	step llcctl topology --sysroot "$PWD/empty"
}

t_topology_of_this_machine_covers_every_cpu()
{
	ls /sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list >/dev/null 2>&1 ||
		skip "this machine does not describe its caches"
	local seen
	seen=$(llcctl topology -rn -o ONLINE | awk '{ n += $1 } END { print n }')
	[ "$seen" = "$(getconf _NPROCESSORS_ONLN)" ] ||
		fail "the LLCs have $seen CPUs online, the machine $(getconf _NPROCESSORS_ONLN)"
}

t_topology_has_cores_and_packages()
{
	topology smt_packages -o +CORES,PACKAGE,FREE
	# Where sysfs does not say, nothing is made up.
	topology eight_ccx -o ID,CORES,PACKAGE,FREE
}

t_topology_as_a_tree()
{
	topology smt_packages --tree
	topology two_sockets --tree
	topology several_l3 -t
	topology smt_packages -t --raw
}

t_topology_tells_what_is_free_now()
{
	local free
	[ -d /sys/devices/system/cpu/cpu0/cache ] || skip "sysfs tells no caches of this machine"
	for free in $(llcctl topology -rn -o FREE); do
		free=${free%\%}
		awk -v f="$free" 'BEGIN { exit !(f >= 0 && f <= 100) }' || fail "FREE is $free"
	done
	[ "$free" ] || fail "nothing is said to be free, or not"
}
