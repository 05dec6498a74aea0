# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2207
#
# What can come next on the command line of llcctl? Commands, options and columns
# are taken from its --help, so that they are those of the version installed.

# The commands, one a line.
_llcctl_commands()
{
	llcctl --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^ \([a-z]\{1,\}\) .*/\1/p'
}

# _llcctl_options [COMMAND]: its long options.
_llcctl_options()
{
	llcctl "$@" --help 2>/dev/null | sed -n '/^Options:/,/^$/s/^.\{1,6\}\(--[a-z-]\{1,\}\).*/\1/p'
}

_llcctl_columns()
{
	llcctl "$1" --help 2>/dev/null | sed -n '1,/^Available output columns:/d; s/^ *\([A-Z_]\{1,\}\) .*/\1/p'
}

# Where the cgroups are: what --cgroup-root says, or the mount.
_llcctl_root()
{
	local i
	for ((i = 1; i < cword - 1; i++)); do
		if [[ ${words[i]} == --cgroup-root ]]; then
			echo "${words[i + 1]}"
			return
		fi
	done
	findmnt -n -o TARGET -t cgroup2 2>/dev/null | head -n 1
}

# Paths of cgroups, level by level; and at the first level units, wherever they are.
_llcctl_cgroups()
{
	local root
	root=$(_llcctl_root)
	[[ $root && -d $root ]] || return
	COMPREPLY+=($(cd "$root" && compgen -d -S / -- "${cur#/}"))
	if [[ $cur != */* ]]; then
		COMPREPLY+=($(cd "$root" && find . -mindepth 2 -maxdepth 5 -type d \
			\( -name '*.service' -o -name '*.scope' -o -name '*.slice' \) \
			-name "$cur*" -printf '%f\n' 2>/dev/null | sort -u))
	fi
	compopt -o nospace 2>/dev/null
}

# What is joined by commas: the last item is completed, from the words given.
_llcctl_joined()
{
	local before=
	[[ $cur != *,* ]] || before=${cur%,*},
	COMPREPLY+=($(compgen -P "$before" -W "$*" -- "${cur##*,}"))
	compopt -o nospace 2>/dev/null
}

# Names of LLCs.
_llcctl_llcs()
{
	local i sysroot=() id
	for ((i = 1; i < cword - 1; i++)); do
		[[ ${words[i]} != --sysroot ]] || sysroot=(--sysroot "${words[i + 1]}")
	done
	for id in $(llcctl "${sysroot[@]}" topology -rn -o ID 2>/dev/null); do
		[[ $id == - ]] || echo "llc:$id"
	done
	for id in $(llcctl "${sysroot[@]}" topology -rn -o NODE 2>/dev/null | sort -u); do
		[[ $id == *[!0-9]* ]] || echo "node:$id"
	done
	echo size:max
}

_llcctl_value()
{
	local words_alone="default group process off"
	# Behind `group`, and behind the first of several names, only names fit.
	if [[ $prev == group || $cur == *,* ]]; then
		words_alone=
	elif [[ $cur == group:* ]]; then
		cur=${cur#group:}
		_llcctl_joined "$(_llcctl_llcs)"
		COMPREPLY=("${COMPREPLY[@]/#/group:}")
		cur=group:$cur
		return
	fi
	# shellcheck disable=SC2086
	_llcctl_joined $words_alone "$(_llcctl_llcs)"
}

# The command, and how many arguments that are no options come before the cursor.
_llcctl_where()
{
	local i
	command='' nr_args=0 first_arg=0
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--cgroup-root|--sysroot|--output|-o|--interval|-i|--prefer|--cgroup|--for|--settle|--try|--windows|--state|--count)
			((i++)) ;;
		-p|--pid)
			((i++, nr_args++)) ;;
		-*)
			;;
		*)
			if [[ ! $command ]]; then
				command=${words[i]}
			else
				((nr_args++))
				((first_arg)) || first_arg=$i
			fi ;;
		esac
	done
}

_llcctl()
{
	local cur prev words cword command nr_args first_arg
	_init_completion -n : || return
	_llcctl_where

	case $prev in
	--cgroup-root|--sysroot)
		_filedir -d
		return ;;
	-o|--output)
		_llcctl_joined "$(_llcctl_columns "$command")"
		return ;;
	-p|--pid)
		COMPREPLY=($(cd /proc && compgen -d -X '!+([0-9])' -- "$cur"))
		return ;;
	--prefer|--try)
		_llcctl_value
		__ltrim_colon_completions "$cur"
		return ;;
	--cgroup)
		_llcctl_cgroups
		return ;;
	--state)
		_filedir
		return ;;
	-i|--interval|--count|--for|--settle|--windows)
		return ;;
	esac

	if [[ $command == run && $first_arg -gt 0 ]]; then
		_command_offset "$first_arg"
	elif [[ $cur == -* ]]; then
		# shellcheck disable=SC2086
		COMPREPLY=($(compgen -W "$(_llcctl_options $command)" -- "$cur"))
	else
		case $command in
		'')
			COMPREPLY=($(compgen -W "$(_llcctl_commands)" -- "$cur")) ;;
		run)
			COMPREPLY=($(compgen -c -- "$cur")) ;;
		status)
			_llcctl_cgroups ;;
		get|reset|explain|measure|save|top)
			[[ $nr_args -gt 0 ]] || _llcctl_cgroups ;;
		set)
			if [[ $nr_args -gt 0 ]]; then
				_llcctl_value
			else
				_llcctl_cgroups
			fi ;;
		apply)
			[[ $nr_args -gt 0 ]] || _filedir '@(yaml|yml|json)' ;;
		esac
	fi
	__ltrim_colon_completions "$cur"
}

complete -F _llcctl llcctl
