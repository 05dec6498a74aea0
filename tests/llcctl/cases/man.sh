# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Do the manual pages say what the program does, and do their examples work?

# Long options in a text, each once.
long_options() { grep -o -- '--[a-z][a-z-]*' | sort -u; }

t_the_manual_pages_are_well_formed()
{
	local page
	command -v scdoc >/dev/null || skip "no scdoc"
	make -s -C "$repo/tools/llcctl" O="$O" man >said 2>&1 || fail "$(cat said)"
	command -v man >/dev/null || skip "no man to read them with"
	for page in "$O"/man/*.[17]; do
		MANWIDTH=80 man --warnings -l "$page" 2>said >text
		[ ! -s said ] || fail "${page##*/}: $(head -n 3 said)"
		grep -q '^NAME' text || fail "${page##*/} has no NAME"
		[ "$(wc -L <text)" -le 80 ] || fail "${page##*/} is wider than 80 columns"
	done
}

# Every command has its page, and page and --help name the same options.
t_the_manual_pages_have_every_command_and_option()
{
	local c page
	for c in $(commands); do
		page=$repo/tools/llcctl/man/llcctl-$c.1.scd
		if [ ! -e "$page" ]; then
			fail "no manual page of llcctl $c"
			continue
		fi
		llcctl "$c" --help | sed -n '/^Options:/,/^$/p' | long_options >help
		sed -n '/^# OPTIONS/,/^# [^O]/p' "$page" | long_options >manual
		diff help manual >said || fail "options of llcctl $c, --help and manual: $(cat said)"
		grep -q "llcctl-$c\*(1)" "$repo/tools/llcctl/man/llcctl.1.scd" ||
			fail "llcctl(1) does not name llcctl-$c(1)"
	done
}

# The lines of the code blocks in EXAMPLES, which are what one would type.
examples() { sed -n '/^# EXAMPLES/,/^# [^E]/p' "$1" | sed -n '/^```/,/^```/{/^```/d; p}'; }

t_the_examples_of_the_manual_work()
{
	local page line n=0
	for page in "$repo"/tools/llcctl/man/*.scd; do
		rm -rf "$PWD/cg"
		cg_server "$PWD/cg"
		counted "$PWD/cg/system.slice/nginx.service" 1000000 1000000
		mkdir -p "$PWD/root/proc/self"
		echo "0::/user.slice" >"$PWD/root/proc/self/cgroup"
		cp -r "$(machine eight_ccx)/sys" "$PWD/root" 2>/dev/null
		: >"$PWD/cg/user.slice/cgroup.procs"
		mkdir -p root/run bin
		cp "$repo/tools/llcctl/examples/rules.yaml" .
		cg "$PWD/cg/system.slice/postgresql@15.service" default process "" active
		cg "$PWD/cg/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice" default process "" active
		cg "$PWD/cg/kubepods.slice/kubepods-besteffort.slice" default process "" active
		printf '#!/bin/sh\n' >bin/make
		chmod 755 bin/make
		printf '2\n1\n' >data
		rm -f stop
		(u=1000000; while [ ! -e stop ]; do
			u=$((u + 20000)); counted "$PWD/cg/system.slice/nginx.service" $u $u
			ran "$PWD/root" 100 3 ${u}000 0
			sleep 0.02
		done) &
		while IFS= read -r line; do
			[ -n "$line" ] || continue
			n=$((n + 1))
			XDG_RUNTIME_DIR=$PWD/root/run CGROUPFS=$PWD/cg LD_PRELOAD=$O/cgroupfs.so ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 \
				PATH=$PWD/bin:$PATH CG=$PWD/cg ROOT=$PWD/root LLCCTL=$tmp/llcctl bash -c '
				llcctl() { "$LLCCTL" --cgroup-root "$CG" --sysroot "$ROOT" "$@"; }
				eval "$1"' - "$line" >said 2>&1 </dev/null ||
				fail "${page##*/}: $line: exit $?: $(head -n 3 said)"
		done < <(examples "$page")
		touch stop
		wait
	done
	note "$n examples"
	[ $n -ge 20 ] || fail "only $n examples were found"
}

# The files that the pages show, which are not what one types.
t_the_rules_files_of_the_manual_are_understood()
{
	local page n=0
	cg_server "$PWD/cg"
	for page in llcctl-apply.1 llc_prefer.7; do
		sed -n '1,/^# EXAMPLES/p' "$repo/tools/llcctl/man/$page.scd" |
			sed -n '/^```/,/^```/{/^```/d; p}' >rules.yaml
		n=$((n + $(grep -c 'prefer:' rules.yaml)))
		llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" apply --dry-run rules.yaml \
			>said 2>&1 || fail "$page: $(head -n 3 said)"
	done
	[ $n -eq 5 ] || fail "$n rules were found"
}

t_install_puts_everything_in_place()
{
	command -v scdoc >/dev/null || skip "no scdoc"
	make -s -C "$repo/tools/llcctl" O="$O" DESTDIR="$PWD/dest" PREFIX=/usr install >said 2>&1 ||
		fail "$(cat said)"
	for f in bin/llcctl share/man/man1/llcctl.1 share/man/man1/llcctl-set.1 share/man/man7/llc_prefer.7 \
		 share/bash-completion/completions/llcctl share/doc/llcctl/examples/rules.yaml; do
		[ -s "dest/usr/$f" ] || fail "no /usr/$f"
	done
}
