# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl topology` agree with lscpu on the recorded machines?
#
# The dumps are util-linux' own; they are not in this repository.

# From lscpu's table: a line "NODE: CPU CPU ..." per instance of the last level
# that is not an instruction cache.
lscpu_llcs()
{
	awk -F, '
	/^# CPU,/ {
		if (++tables > 1)
			exit
		for (i = NF; i > 5; i--)
			if ($i !~ /i$/) {
				last = i
				break
			}
		next
	}
	/^[0-9]+,/ {
		if (!($last in cpus))
			order[n++] = $last
		cpus[$last] = cpus[$last] " " $1
		node[$last] = $4 == "" ? "-" : $4
	}
	END {
		for (i = 0; i < n; i++)
			print node[order[i]] ":" cpus[order[i]]
	}' "$1"
}

# The same from llcctl, with the lists written out.
llcctl_llcs()
{
	llcctl topology --sysroot "$1" -rn -o NODE,CPUS | awk '{
		printf "%s:", $1
		n = split($2, item, ",")
		for (i = 1; i <= n; i++) {
			if (split(item[i], r, "-") < 2)
				r[2] = r[1]
			for (c = r[1]; c <= r[2]; c++)
				printf " %d", c
		}
		print ""
	}'
}

dump=

compare_dump()
{
	tar -xzf "$dumps/$dump.tar.gz" || { fail "cannot unpack"; return; }
	lscpu_llcs "$dumps/$dump.expected" >theirs
	llcctl_llcs "$PWD/$dump" >ours
	[ -s theirs ] || fail "nothing understood of $dump.expected"
	diff -u --label lscpu --label llcctl theirs ours >diff ||
		fail "$(cat diff)"
}

dump_cases()
{
	local f fn
	for f in "$dumps"/*.tar.gz; do
		if [ ! -e "$f" ]; then
			wanted dump && ok "topology agrees with lscpu on recorded machines" \
				"no dumps in $dumps (LLC_PREFER_DUMPS)"
			return
		fi
		dump=$(basename "$f" .tar.gz)
		fn=t_topology_agrees_with_lscpu_on_dump_$dump
		wanted "$fn" || continue
		eval "$fn() { compare_dump; }"
		run_case "$fn"
	done
}
