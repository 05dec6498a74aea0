# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does --json print what the schema promises to whoever reads it by program?

schema=$repo/tools/llcctl/llcctl.schema.json

# conforms COMMAND FILE: the file is what the schema says of that command.
conforms()
{
	python3 - "$schema" "$1" "$2" <<-'END'
	import json, sys
	import jsonschema

	schema = json.load(open(sys.argv[1]))
	jsonschema.Draft7Validator.check_schema(schema)
	part = {"$ref": "#/definitions/" + sys.argv[2], "definitions": schema["definitions"]}
	errors = list(jsonschema.Draft7Validator(part).iter_errors(json.load(open(sys.argv[3]))))
	for e in errors:
	    print("/".join(map(str, e.path)) + ": " + e.message)
	sys.exit(bool(errors))
	END
}

# valid COMMAND [ARGUMENT...]: what it prints with --json conforms.
valid()
{
	local command=$1
	shift
	llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine "${on:-eight_ccx}")" \
		"$command" --json "$@" >json 2>/dev/null
	conforms "$command" json >said 2>&1 ||
		fail "llcctl $command --json $* (${on:-eight_ccx}): $(head -n 5 said)"
}

t_json_is_as_the_schema_says()
{
	local m c
	python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
	cg_server "$PWD/cg"
	for m in several_l3 eight_ccx unequal_sizes l2_last offline_holes no_ids \
		 differing_ids two_sockets llc_of_two_nodes 1024_cpus same_id_twice; do
		on=$m valid topology
		on=$m valid topology -o +cores,package,free,where
		on=$m valid status
	done
	valid status --all
	valid status --list
	valid status -i 0.01 batch.slice nginx.service
	valid status -o +recent,time,wakeups,steered,forks,in,out
	printf 'mode oracle\ncpus\nstate dreaming\n' >cg/user.slice/cpu.llc_prefer.effective
	valid status
	for c in nginx.service cron.service batch.slice/job9 batch.slice/job10 user.slice; do
		valid explain $c
	done
	valid top --count 1 --interval 0.1
	valid top --count 1 --interval 0.1 --all
	valid set nginx.service llc:1
	valid set user.slice default
	valid set --wait=0.01 nginx.service group
	valid set --dry-run nginx.service off
	valid reset batch.slice
	valid reset batch.slice
	valid reset -R --dry-run /
	valid save
	valid save nginx.service
	echo 'rules: [{cgroup: "*.slice", prefer: group}, {unit: nginx.service, prefer: "llc:2"}]' >rules.yaml
	valid apply --dry-run rules.yaml
	valid apply --state "$PWD/state" rules.yaml
	valid apply --state "$PWD/state" rules.yaml
	valid rollback --state "$PWD/state" --dry-run
	echo off >cg/user.slice/cpu.llc_prefer
	rm -r cg/batch.slice
	valid rollback --state "$PWD/state"
}

# A validator that takes everything would prove nothing.
t_the_schema_refuses_what_is_not_promised()
{
	local what
	python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
	cg_server "$PWD/cg"
	llcctl --cgroup-root "$PWD/cg" --sysroot "$(machine eight_ccx)" status --json >good
	conforms status good || fail "status does not conform"
	for what in 's/"residency": 98.1/"residency": "98.1%"/' 's/"tasks": 81,//' \
		    's/"cpus": "16-31"/"cpus": "llc:1"/' 's/"mode"/"moda"/' \
		    's|"/batch.slice"|"batch.slice"|' 's/"spills": 3/"spills": -3/'; do
		sed "$what" good >bad
		cmp -s good bad && fail "nothing to change: $what"
		conforms status bad >/dev/null && fail "the schema takes $what"
	done
	return 0
}
