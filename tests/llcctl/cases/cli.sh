# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does the command line behave as util-linux has taught people to expect?

t_help_of_every_command()
{
	step llcctl --help
	step llcctl topology --help
	step llcctl status -h
	step llcctl get --help
	step llcctl set --help
	step llcctl reset --help
	step llcctl run --help
	step llcctl explain --help
	step llcctl apply --help
	step llcctl rollback --help
	step llcctl save --help
}

# The commands there are, as the program lists them.
commands() { llcctl --help | sed -n '/^Commands:/,/^$/s/^ \([a-z]*\) .*/\1/p'; }

t_help_fits_a_screen()
{
	local c lines width
	for c in "" $(commands); do
		# The columns are a list, to be looked up rather than read.
		# shellcheck disable=SC2086
		lines=$(llcctl $c --help | sed '/^Available output columns:/,$d' | wc -l)
		# shellcheck disable=SC2086
		width=$(llcctl $c --help | wc -L)
		[ "$lines" -le 30 ] || fail "'llcctl $c --help' has $lines lines"
		[ "$width" -le 80 ] || fail "'llcctl $c --help' is $width columns wide"
	done
}

t_version_is_the_same_everywhere()
{
	local c want
	want=$(sed -n 's/.*LLCCTL_VERSION.*"\(.*\)".*/llcctl \1/p' "$repo/tools/llcctl/llcctl.h")
	for c in "" $(commands); do
		# shellcheck disable=SC2086
		[ "$(llcctl $c --version)" = "$want" ] || fail "'llcctl $c --version' is not '$want'"
	done
	[ "$(llcctl -V)" = "$want" ] || fail "-V is not --version"
}

t_usage_errors_exit_with_2()
{
	step llcctl
	step llcctl frobnicate
	step llcctl --frobnicate
	step llcctl topology -x
	step llcctl topology web
	step llcctl topology --json --raw
	step llcctl topology -o
	step llcctl status --pid 1 a
	step llcctl status -o FOO
	step llcctl get
	step llcctl get a b
	step llcctl set
	step llcctl set web
	step llcctl set --pid 1
	step llcctl reset
	step llcctl reset a b
	step llcctl explain
	step llcctl explain a b
	step llcctl run
	step llcctl apply
	step llcctl apply a b
	step llcctl rollback a
	step llcctl save a b
	step llcctl --sysroot
}

t_common_options_go_before_and_after_the_command()
{
	cgroot "$PWD/cg"
	cg "$PWD/cg/web" off off "" active
	step llcctl --cgroup-root "$PWD/cg" get web
	step llcctl get --cgroup-root "$PWD/cg" web
	step llcctl get web --cgroup-root "$PWD/cg"
}

t_a_full_disk_is_not_success()
{
	[ -c /dev/full ] || skip "no /dev/full"
	step sh -c "'$tmp/llcctl' --version >/dev/full"
	step sh -c "'$tmp/llcctl' topology --sysroot '$(machine several_l3)' >/dev/full"
}

t_json_is_valid()
{
	local check
	if command -v jq >/dev/null; then
		check="jq -e ."
	elif command -v python3 >/dev/null; then
		check="python3 -m json.tool"
	else
		skip "neither jq nor python3"
	fi
	[ -d "$tmp/server" ] || cg_server "$tmp/server"
	llcctl topology -J --sysroot "$(machine 1024_cpus)" | $check >/dev/null ||
		fail "topology --json is not JSON"
	llcctl topology -J --sysroot "$(machine no_ids)" | $check >/dev/null ||
		fail "topology --json without ids is not JSON"
	llcctl --cgroup-root "$tmp/server" --sysroot "$(machine eight_ccx)" \
		status -aJ | $check >/dev/null || fail "status --json is not JSON"
}
