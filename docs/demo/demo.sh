#!/bin/sh
# Plays the main job of memctl on a scratch repository, with everything that it
# prints. Needs memctl and git on the path; `make demo` sees to that. It fails
# where a command does not end as it should.
set -eu

work=$(mktemp -d "${TMPDIR:-/tmp}/memctl-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

# Nothing of the person's own settings or memory is read or written.
HOME=$work/home
XDG_DATA_HOME=$HOME/data
XDG_CONFIG_HOME=$HOME/config
GIT_CONFIG_NOSYSTEM=1
GIT_CONFIG_GLOBAL=$HOME/.gitconfig
export HOME XDG_DATA_HOME XDG_CONFIG_HOME GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL
unset CLAUDECODE CODEX_SANDBOX CODEX_THREAD_ID GEMINI_CLI CURSOR_AGENT OPENCODE COPILOT_CLI AGENT MEMCTL_ORIGIN MEMCTL_STORE 2>/dev/null || true
mkdir -p "$HOME"
git config --global user.name 'Ada Lovelace'
git config --global user.email ada@example.com

# say TEXT prints a heading; run STATUS COMMAND… shows a command, runs it, and
# stops the demo where it does not exit with STATUS.
say() {
	printf '\n# %s\n' "$1"
}

run() {
	want=$1
	shift
	printf '$'
	for word; do
		case $word in
		*[!A-Za-z0-9._/=-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	got=0
	"$@" 2>&1 || got=$?
	if [ "$got" -ne "$want" ]; then
		printf 'demo: exit status %s, wanted %s\n' "$got" "$want" >&2
		exit 1
	fi
}

git init -q -b main "$work/project"
cd "$work/project"

say 'A memory file, committed'
run 0 memctl init

say 'What a person tells it counts'
run 0 memctl add writing.tone 'concise, no filler' --tag style
run 0 memctl add testing.before-commit 'always run the tests before committing'
run 0 memctl add lessons.flaky-ci --issue 'the integration tests hung' --outcome 'an hour lost' --fix 'run them with -timeout 60s'

say 'What an agent decides to remember waits for confirmation'
run 0 memctl add build.tool 'make, never the shell scripts' --auto

say 'Personal data is refused where others read it, and held where only you do'
run 1 memctl add team.contact 'call Grace on +44 20 7946 0958' --auto
run 0 memctl add user.contact 'call Grace on +44 20 7946 0958' --auto
run 0 memctl review

say 'A secret is refused, and not repeated'
run 1 memctl add build.token ghp_16C7e42F292c6912E7710c838347Ae178B4a

say 'What a session starts with'
run 0 memctl profile

say 'An agent appends by hand, and breaks the file'
cp memories.md sound.md
awk '/^deletions:/ { print "    - key: build.check\n      value: `make check` is what CI runs\n      added: 2026-11-21\n      source: the build log\n      confidence: medium" } { print }' sound.md >memories.md
rm sound.md
git commit -q -a -m 'note how to check'
run 1 memctl validate
run 0 memctl recover
run 0 memctl show build.check
run 0 memctl validate

say 'Forgotten stays forgotten'
run 0 memctl forget writing.tone --reason 'no longer wanted'
run 1 memctl add writing.tone 'chatty' --auto

say 'Where it all came from'
run 0 memctl why testing.before-commit
run 0 memctl log

say 'And back'
run 0 memctl undo
run 0 memctl show writing.tone
