# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does `llcctl reset` take back what was stated, and no more?

stated()
{
	(cd "$PWD/cg" && find . -name cpu.llc_prefer | sort | while read -r f; do
		echo "[$f: $(cat "$f")]"
	done)
}

back() { step llcctl --cgroup-root "$PWD/cg" reset "$@"; }

t_reset_of_one_cgroup()
{
	cg_server "$PWD/cg"
	back batch.slice
	back batch.slice
	back nginx.service
	stated
}

t_reset_of_all_below()
{
	cg_server "$PWD/cg"
	back --recursive batch.slice
	back -R batch.slice
	stated
	back -R /
	back -R /
	stated
}

t_reset_dry_run_changes_nothing()
{
	cg_server "$PWD/cg"
	back --dry-run batch.slice
	back --dry-run -R /
	stated
}

t_reset_as_json()
{
	cg_server "$PWD/cg"
	back --json -R batch.slice
	back --json --dry-run -R user.slice
	back --json -R batch.slice
}

t_reset_goes_on_after_a_failure_and_says_so()
{
	cg_server "$PWD/cg"
	chmod 444 "$PWD/cg/batch.slice/cpu.llc_prefer"
	chmod 666 "$PWD/cg/batch.slice/job9/cpu.llc_prefer"
	as_user "$tmp/llcctl" --cgroup-root "$PWD/cg" reset -R batch.slice
	stated
}

t_reset_explains_what_it_cannot_reset()
{
	cg_server "$PWD/cg"
	back /
	back nowhere
	back init.scope
}
