# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Do apply, rollback and save what a rules file says, all of it or nothing?

# What the cgroups state, those that state something.
stating()
{
	(cd "$PWD/cg" && grep -rvx default --include=cpu.llc_prefer . | sort | sed 's/.*/[&]/')
}

# on COMMAND ...: with the tree, the machine and the state of this case.
on()
{
	local command=$1
	shift
	[ "$command" = save ] || set -- --state "$PWD/state" "$@"
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" "$command" "$@"
}

# rules: what comes on standard input is the rules file.
rules() { cat >rules.yaml; }

# meddled VARIABLE=VALUE COMMAND ...: the same while something happens.
meddled()
{
	local rc what=$1
	shift
	show "$what" llcctl "$@"
	ours[1]="CGROUPFS=$PWD/cg"
	"${ours[@]}" "CGROUPFS_$what" "$tmp/llcctl" --cgroup-root "$PWD/cg" \
		--sysroot "$(machine eight_ccx)" "$@" --state "$PWD/state" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	scrub <"$tmp/out"
	scrub <"$tmp/err" | sed 's/^/[stderr] /'
	[ $rc -eq 0 ] || echo "[exit $rc]"
}

some_rules()
{
	rules <<-END
	rules:
	- cgroup: system.slice/*
	  prefer: group
	- unit: nginx.service
	  prefer: llc:2,llc:3
	- cgroup: batch.slice/**
	  prefer: node:0
	- cgroup: user.slice
	  prefer: process
	END
}

t_apply_shows_a_diff_and_does_it()
{
	cg_server "$PWD/cg"
	some_rules
	on apply --dry-run rules.yaml
	[ ! -e state ] || fail "a dry run has left a state"
	[ ! -e state.lock ] || fail "a dry run has taken the lock"
	stating
	on apply rules.yaml
	stating
	on apply --dry-run rules.yaml
	on apply rules.yaml
}

t_apply_as_json()
{
	cg_server "$PWD/cg"
	some_rules
	on apply --dry-run --json rules.yaml
	on apply --json rules.yaml
	on apply --json rules.yaml
	on rollback --json --dry-run
	echo process >cg/batch.slice/cpu.llc_prefer
	mv cg/batch.slice/job9 aside
	on rollback --json
}

t_apply_reads_standard_input_and_json()
{
	cg_server "$PWD/cg"
	echo '{ "rules": [ { "cgroup": "user.slice/*", "prefer": "cpu:17" } ] }' >rules.json
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" apply --state "$PWD/state" - <rules.json
	on apply rules.json
	step llcctl --cgroup-root "$PWD/cg" apply --dry-run - <<<'rules: [}'
}

t_of_the_rules_that_match_the_last_decides()
{
	cg_server "$PWD/cg"
	rules <<-END
	rules:
	  - cgroup: batch.slice/job9
	    prefer: group
	  - cgroup: batch.slice/*
	    prefer: process
	  - cgroup: "**/job*"
	    prefer: off
	  - cgroup: batch.slice/job10
	    prefer: group
	END
	on apply rules.yaml
	stating
}

t_a_rule_that_matches_nothing_is_said()
{
	cg_server "$PWD/cg"
	rules <<-END
	rules:
	- cgroup: nowhere/*
	  prefer: group
	- cgroup: user.slice
	  prefer: off
	- unit: mysql.service
	  prefer: group
	- cgroup: $PWD/cg/user.slice
	  prefer: group
	END
	on apply --strict --dry-run rules.yaml
	on apply --strict rules.yaml
	stating
	on apply rules.yaml
}

t_a_mistake_in_the_rules_changes_nothing()
{
	cg_server "$PWD/cg"
	cp -r cg before
	local bad
	for bad in 'prefer: banana' 'prefer: llc:9' 'prefer: 300' 'perfer: off' 'prefer: off
  prefer: group' 'prefer: [off]' 'prefer: "off' 'cgroup: x'; do
		printf 'rules:\n- cgroup: user.slice\n  prefer: off\n- cgroup: a[\n  prefer: off\n' >rules.yaml
		sed -i 's/a\[/batch.slice/' rules.yaml
		printf -- '- cgroup: system.slice\n  %s\n' "$bad" >>rules.yaml
		on apply rules.yaml
	done
	printf 'rules:\n- cgroup: user.slice\n  prefer: off\n- cgroup: a[\n  prefer: off\n' >rules.yaml
	on apply rules.yaml
	: >rules.yaml
	on apply rules.yaml
	on apply nothing.yaml
	on apply .
	diff -r before cg || fail "something was changed"
	[ ! -e state ] || fail "a state was left"
}

t_apply_checks_every_file_before_it_writes_one()
{
	cg_server "$PWD/cg"
	rules <<-END
	rules:
	- cgroup: batch.slice
	  prefer: off
	- cgroup: init.scope
	  prefer: off
	END
	sed -i 's/cpu //' cg/init.scope/cgroup.controllers
	on apply rules.yaml
	stating
	rules <<<'rules: [{cgroup: /, prefer: off}, {cgroup: "*", prefer: group}]'
	on apply rules.yaml
	rules <<<'rules: [{cgroup: "*", prefer: group}]'
	on apply --dry-run rules.yaml
	chmod 444 cg/user.slice/cpu.llc_prefer
	chmod 666 cg/batch.slice/cpu.llc_prefer
	mkdir mine
	chmod 777 mine
	as_user "$tmp/llcctl" --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" apply \
		--state "$PWD/mine/state" rules.yaml
	stating
}

t_a_refused_value_takes_back_what_was_written()
{
	cg_server "$PWD/cg"
	some_rules
	stating
	meddled REFUSE=system.slice/cron.service apply rules.yaml
	stating
	[ ! -e state ] || fail "there is nothing to take back, and yet a state"
	meddled REFUSE=system.slice/cron.service apply --json rules.yaml
	on rollback
}

t_an_older_state_outlives_an_apply_that_fails()
{
	cg_server "$PWD/cg"
	rules <<<'rules: [{cgroup: user.slice, prefer: off}]'
	on apply rules.yaml
	cp state before
	some_rules
	meddled REFUSE=system.slice/nginx.service apply rules.yaml
	diff before state || fail "the state is another"
	on rollback
	stating
}

t_what_cannot_be_put_back_is_named()
{
	cg_server "$PWD/cg"
	some_rules
	# The write after it is refused, and then the way back fails.
	ours[1]="CGROUPFS=$PWD/cg"
	ours+=(CGROUPFS_STUCK=batch.slice)
	meddled REFUSE=system.slice/nginx.service apply rules.yaml
	unset "ours[-1]"
	stating
	sed "s/^boot:.*/boot: BOOT/; s/id: .*/id: ID/" state
	on rollback
	stating
}

t_a_cgroup_that_vanishes_meanwhile_is_left_out()
{
	cg_server "$PWD/cg"
	some_rules
	meddled GONE=batch.slice:batch.slice/job9 apply rules.yaml
	stating
	on rollback
	meddled ANEW=batch.slice:system.slice/nginx.service apply rules.yaml
	stating
	on rollback
	# It vanishes, and then a write is refused.
	ours[1]="CGROUPFS=$PWD/cg"
	ours+=(CGROUPFS_REFUSE=system.slice/cron.service)
	meddled GONE=batch.slice/job10:batch.slice apply rules.yaml
	unset "ours[-1]"
	stating
}

t_rollback_restores_what_was_there_before()
{
	cg_server "$PWD/cg"
	stating >before
	some_rules
	on apply rules.yaml
	on apply rules.yaml
	on rollback --dry-run
	on rollback
	stating | diff before - || fail "it is not as before"
	[ ! -e state ] || fail "the state is still there"
	on rollback
}

t_rollback_leaves_alone_what_others_changed()
{
	cg_server "$PWD/cg"
	some_rules
	on apply rules.yaml
	echo process >cg/system.slice/nginx.service/cpu.llc_prefer
	mv cg/batch.slice/job9 aside
	mv cg/batch.slice/job10 other
	cg "$PWD/cg/batch.slice/job10" 0-127 list "" active
	on rollback --dry-run
	on rollback
	stating
	on rollback
	on rollback --force
	stating
	on rollback
}

t_a_state_that_is_none_is_not_believed()
{
	cg_server "$PWD/cg"
	echo "rules: []" >state
	on rollback
	printf 'boot: before\nchanged: []\n' >state
	on rollback
	# It does not keep a new apply, which replaces it.
	rules <<<'rules: [{cgroup: user.slice, prefer: off}]'
	on apply rules.yaml
	on rollback
	rm -f state
	mkdir state
	on apply rules.yaml
	stating
}

# It is there before the first write, with the value from before.
t_the_state_is_kept_before_anything_is_written()
{
	cg_server "$PWD/cg"
	rules <<<'rules: [{cgroup: user.slice, prefer: off}]'
	step llcctl --cgroup-root "$PWD/cg" apply --state "$PWD/no/such/state" rules.yaml
	stating
	on apply rules.yaml
	sed -E "s/^boot:.*/boot: BOOT/; s/$(stat -c %i cg/user.slice)/INODE/" state
	stat -c %a state
	find . -name 'state.*' | sort
}

t_two_applies_do_not_mix()
{
	cg_server "$PWD/cg"
	rules <<<'rules: [{cgroup: user.slice, prefer: off}]'
	command -v flock >/dev/null || skip "no flock"
	: >state.lock
	exec 9<state.lock
	flock 9
	llcctl --cgroup-root "$PWD/cg" apply --state "$PWD/state" rules.yaml >out 2>err &
	local i
	for ((i = 0; i < 600; i++)); do [ -s err ] && break; sleep 0.1; done
	cat err
	stating | grep user.slice/cpu
	# What is planned is planned behind the lock.
	echo group >cg/user.slice/cpu.llc_prefer
	flock -u 9
	wait $!
	cat out
}

t_save_prints_rules_that_apply_takes()
{
	cg_server "$PWD/cg"
	on save
	on save user.slice
	on save --json batch.slice
	on save nginx.service
	on save system.slice/cron.service
	step llcctl --cgroup-root "$PWD/cg" save nowhere
}

# Odd names, every value, and both forms: nothing changes, and all comes back.
t_what_is_saved_can_be_applied()
{
	local d=$PWD/cg/odd i=0 form name opt
	opt=(--cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)")
	cg_server "$PWD/cg"
	cg "$d" group group "" active
	for name in 'x: y #{z}' '*' 'a[b]c' 'q?' 'dev\x2dsda.swap' "it's" 'say "so"' off 123 '~' ' lead' 'trail ' \
		    '- dash' '&x' '!x' '@x' '%x' $'tab\tx' $'\303\244' null '0x1F' '1:30' '**'; do
		cg "$d/$name" "$((i++))" list "" active
	done
	for form in "" --json; do
		# shellcheck disable=SC2086
		llcctl "${opt[@]}" save $form >saved.yaml || fail "save $form"
		llcctl "${opt[@]}" apply --dry-run saved.yaml >said 2>&1
		[ "$(cat said)" = "nothing to change: $((i + 7)) cgroups matched, and state already what the rules say" ] ||
			fail "save $form, then apply changes something: $(head -n 5 said)"
		stating >before
		llcctl "${opt[@]}" reset -R / >/dev/null
		[ "$(stating)" = "" ] || fail "reset leaves something"
		llcctl "${opt[@]}" apply --strict --state "$PWD/state" saved.yaml >/dev/null ||
			fail "apply of save $form"
		stating | diff before - >said || fail "save $form loses something: $(head -n 5 said)"
	done
	note "$((i + 7)) cgroups"
}

t_save_leaves_out_what_yaml_cannot_have()
{
	cg_server "$PWD/cg"
	cg "$PWD/cg/"$'a\377b' group group "" active
	on save
	llcctl --cgroup-root "$PWD/cg" save 2>/dev/null >rules.yaml
	on apply --dry-run rules.yaml
}

# Other readers of YAML take it as it is meant.
t_what_is_saved_is_text_to_other_readers()
{
	python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
	cg_server "$PWD/cg"
	cg "$PWD/cg/off" 5 list "" active
	cg "$PWD/cg/1_0" off off "" active
	cg "$PWD/cg/1.5" off off "" active
	llcctl --cgroup-root "$PWD/cg" save >saved.yaml
	python3 - <<-'END'
	import yaml
	for rule in yaml.safe_load(open("saved.yaml"))["rules"]:
	    assert all(isinstance(x, str) for pair in rule.items() for x in pair), rule
	    print(rule)
	END
}

t_apply_on_a_kernel_that_lacks_the_file()
{
	cg_server "$PWD/cg"
	find cg -name 'cpu.llc*' -delete
	some_rules
	on apply rules.yaml
	on apply --dry-run rules.yaml
	on save
}

# The file that comes with llcctl, on a node as it is made for.
t_the_example_rules_apply()
{
	local k=$PWD/cg/kubepods.slice
	cg_server "$PWD/cg"
	cg "$PWD/cg/system.slice/postgresql@15-main.service" default process "" active
	cg "$k" default process "" active
	cg "$k/kubepods-pod1.slice" default process "" active
	cg "$k/kubepods-pod1.slice/cri-containerd-3f2a91.scope" default process "" active
	cg "$k/kubepods-burstable.slice" default process "" active
	cg "$k/kubepods-burstable.slice/kubepods-burstable-pod2.slice" default process "" active
	cg "$k/kubepods-besteffort.slice" default process "" active
	cg "$k/kubepods-besteffort.slice/kubepods-besteffort-pod3.slice" default process "" active
	step llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" \
		apply --strict --state "$PWD/state" "$repo/tools/llcctl/examples/rules.yaml" | sed "s|$repo/||"
	stating
}
