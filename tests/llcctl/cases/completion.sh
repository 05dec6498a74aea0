# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Does the completion file offer what can come next, and nothing else?

# complete_line LINE: what is offered at its end.
complete_line()
{
	echo "\$ $1<TAB>" | scrub
	PATH=$tmp:$PATH bash --norc -O extglob -c '
		. /usr/share/bash-completion/bash_completion
		. "$1"
		compopt() { :; }
		COMP_LINE=$2 COMP_POINT=${#2}
		# As readline does it: a colon is a word of its own.
		COMP_WORDS=()
		rest=$2
		while [[ $rest ]]; do
			case $rest in
			" "*)	rest=${rest# }; [[ $rest ]] || COMP_WORDS+=("") ;;
			:*)	COMP_WORDS+=(:) rest=${rest#:}; [[ $rest ]] || COMP_WORDS+=("") ;;
			*)	w=${rest%%[ :]*}; COMP_WORDS+=("$w"); rest=${rest#"$w"} ;;
			esac
		done
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_llcctl
		printf "%s\n" "${COMPREPLY[@]}" | sort
	' - "$repo/tools/llcctl/completion/llcctl.bash" "$1" 2>&1 | scrub
}

t_completion_offers_what_can_come_next()
{
	[ -r /usr/share/bash-completion/bash_completion ] || skip "no bash-completion"
	cg_server "$PWD/cg"
	local r="--cgroup-root $PWD/cg" m
	m="--sysroot $(machine two_sockets)"
	complete_line "llcctl to"
	complete_line "llcctl set --dr"
	complete_line "llcctl status --no"
	complete_line "llcctl status -o CGROUP,ST"
	complete_line "llcctl topology -o L"
	complete_line "llcctl $r get b"
	complete_line "llcctl $r get batch.slice/j"
	complete_line "llcctl $r explain ngi"
	complete_line "llcctl $r status batch.slice sys"
	complete_line "llcctl $r get batch.slice "
	complete_line "llcctl $r $m set batch.slice g"
	complete_line "llcctl $r $m set batch.slice llc:"
	complete_line "llcctl $r $m set batch.slice llc:0,n"
	complete_line "llcctl $r $m set batch.slice group:l"
	complete_line "llcctl $r $m set batch.slice group s"
	complete_line "llcctl $r $m set --pid 1 off"
	complete_line "llcctl $m run --prefer pro"
	touch rules.yaml rules.txt
	complete_line "llcctl apply ru"
	complete_line "llcctl apply rules.yaml "
	complete_line "llcctl apply --state rules.t"
	complete_line "llcctl $r save bat"
	complete_line "llcctl rollback --f"
}

t_completion_knows_every_command_and_option()
{
	local c
	[ -r /usr/share/bash-completion/bash_completion ] || skip "no bash-completion"
	complete_line "llcctl " | sed 1d | sort >offered
	commands | sort >there
	diff there offered >diff || fail "commands: $(cat diff)"
	for c in $(commands); do
		complete_line "llcctl $c --" | sed 1d | sort >offered
		llcctl "$c" --help | grep -o '^.\{1,6\}--[a-z-]*' | grep -o -- '--.*' | sort >there
		diff there offered >diff || fail "options of $c: $(cat diff)"
	done
}
