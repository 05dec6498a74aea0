# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Is the cgroup, and the LLC, found that a person means?

# Units, containers of every runtime, and processes in them.
id1=3f2a91c0ffee0123456789abcdef0123456789abcdef0123456789abcdef0123
id2=3f2b00112233445566778899aabbccddeeff00112233445566778899aabbccdd
id3=deadbeef0000111122223333444455556666777788889999aaaabbbbccccdddd

town()
{
	local s=$PWD/cg/system.slice k=$PWD/cg/kubepods.slice/kubepods-burstable.slice
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" "in web" process "" active
	cg "$s" "in system.slice" process "" active
	cg "$s/nginx.service" "in nginx" process "" active
	cg "$s/nginx.service/worker" "in worker" process "" active
	cg "$s/_cpu.service" "in cpu.service" process "" active
	cg "$PWD/cg/kubepods.slice" default process "" active
	cg "$k" "in burstable" process "" active
	cg "$k/cri-containerd-$id1.scope" "in containerd" process "" active
	cg "$k/crio-$id2.scope" "in crio" process "" active
	cg "$k/crio-conmon-$id2.scope" "in its monitor" process "" active
	cg "$PWD/cg/docker" default process "" active
	cg "$PWD/cg/docker/$id3" "in docker" process "" active
	cg "$PWD/cg/docker/job-cafe" "in a job" process "" active
	mkdir -p "$PWD/root/proc"/{100,101,102,103,104,105,self}
	echo "0::/web" >"$PWD/root/proc/100/cgroup"
	printf '12:cpu:/v1\n1:name=systemd:/x\n0::/system.slice/nginx.service/worker\n' \
		>"$PWD/root/proc/101/cgroup"
	echo "0::/../outside" >"$PWD/root/proc/102/cgroup"
	echo "0::/gone (deleted)" >"$PWD/root/proc/103/cgroup"
	echo "2:cpu:/only/v1" >"$PWD/root/proc/104/cgroup"
	echo "0::/" >"$PWD/root/proc/105/cgroup"
}

named() { step llcctl --cgroup-root "$PWD/cg" --sysroot "$PWD/root" get "$@"; }

t_a_cgroup_is_named_by_process()
{
	town
	named PID:100
	named pid:101
	named --pid 101
	named -p 100
	named -p 105
	named PID:102
	named PID:103
	named PID:104
	named PID:999999
	named PID:
	named PID:-1
	named --pid 12x
	named --pid 99999999999999999999
	named --pid 100 web
}

t_a_cgroup_is_named_by_unit()
{
	town
	named nginx.service
	named cpu.service
	named kubepods-burstable.slice
	named system.slice
	named nosuch.service
	mkdir -p "$PWD/cg/user.slice"
	cg "$PWD/cg/user.slice/nginx.service" default process "" active
	named nginx.service
	named system.slice/nginx.service
	named user.slice/nginx.service
}

t_a_cgroup_is_named_by_container_id()
{
	town
	named 3f2a
	named $id1
	named 3f2b
	named deadbeef
	named 3f2
	named 3f2aff
	named cafe
	cg "$PWD/cg/docker/${id1:0:20}ffff" default process "" active
	named 3f2a91
	named "${id1:0:21}"
}

t_many_candidates_are_counted()
{
	local i
	cgroot "$PWD/cg"
	for i in {10..21}; do cg "$PWD/cg/docker-abcd${i}000000000000.scope" default process "" active; done
	named abcd
	named abcd15
}

# A path is a path, whatever it looks like.
t_a_path_goes_before_every_other_name()
{
	town
	cg "$PWD/cg/nginx.service" "on top" process "" active
	cg "$PWD/cg/3f2a" "short" process "" active
	cg "$PWD/cg/PID:100" "odd" process "" active
	named nginx.service
	named 3f2a
	named /PID:100
	named PID:100
}

lit()
{
	local m=$1
	shift
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine "$m")" set web "$@"
}

t_an_llc_is_named_in_many_ways()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default process "" active
	lit two_sockets cpu:17
	lit two_sockets node:1
	lit two_sockets node:0,cpu:8
	lit two_sockets group:node:0
	lit two_sockets group node:1
	lit two_sockets group:llc:0,llc:1
	lit unequal_sizes size:max
	lit unequal_sizes size:max,llc:1
	lit eight_ccx size:max
	lit llc_of_two_nodes node:1
	lit offline_holes cpu:5
	lit 1024_cpus node:3
	lit 1024_cpus llc:0,llc:5,llc:6,llc:7
	lit no_ids cpu:5
	lit no_cache cpu:2
}

t_an_llc_that_is_not_there_lists_those_there_are()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" default process "" active
	lit two_sockets llc:2
	lit two_sockets node:2
	lit two_sockets cpu:32
	lit two_sockets size:min
	lit two_sockets node:x
	lit no_ids size:max
	lit no_ids node:0
	lit no_cache size:max
	cat "$PWD/cg/web/cpu.llc_prefer"
}
