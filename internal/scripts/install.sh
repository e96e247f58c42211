#!/bin/sh
# Installs a release of memctl: download, compare the checksum, copy the two programs.
#
#   curl -fsSL https://github.com/memctl/memctl/releases/latest/download/install.sh | sh
#
# Variables: MEMCTL_VERSION, a version such as 0.1.0 (default: the newest); MEMCTL_BIN, the folder for the programs
# (default: ~/.local/bin); MEMCTL_SHA256, the checksum that the archive must have (default: only the one in the
# release's checksums.txt); MEMCTL_RELEASES, another address or a local folder with the files of one release.
set -eu

fail() {
	printf 'install.sh: %s\n' "$1" >&2
	exit 1
}

fetch() { # fetch ADDRESS FILE
	case $1 in
	http://* | https://*)
		if command -v curl > /dev/null; then
			curl -fsSL --proto '=https,http' -o "$2" "$1"
		elif command -v wget > /dev/null; then
			wget -q -O "$2" "$1"
		else
			fail 'needs curl or wget'
		fi
		;;
	*) cp "$1" "$2" ;;
	esac || fail "cannot get $1"
}

main() {
	if command -v sha256sum > /dev/null; then
		sum=sha256sum
	elif command -v shasum > /dev/null; then
		sum='shasum -a 256'
	else
		fail 'needs sha256sum or shasum, to compare the checksum; nothing was installed'
	fi
	releases=https://github.com/memctl/memctl/releases
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "no program for $(uname -s); on Windows unpack the zip file of the release" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "no program for $(uname -m); build memctl with Go" ;;
	esac

	if [ -n "${MEMCTL_RELEASES:-}" ]; then
		from=$MEMCTL_RELEASES
	elif [ -n "${MEMCTL_VERSION:-}" ]; then
		from=$releases/download/v${MEMCTL_VERSION#v}
	else
		from=$releases/latest/download
	fi

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	fetch "$from/checksums.txt" "$work/checksums.txt"
	file=$(sed -n "s/^[0-9a-f]\{64\}  \(memctl_[0-9][^ ]*_${os}_$arch\.tar\.gz\)\$/\1/p" "$work/checksums.txt")
	case $file in
	'') fail "the release has no program for $os on $arch" ;;
	*"
"*) fail 'checksums.txt names more than one program' ;;
	esac
	fetch "$from/$file" "$work/$file"
	want=${MEMCTL_SHA256:-}
	[ -n "$want" ] || want=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$work/checksums.txt")
	got=$($sum "$work/$file" | cut -d ' ' -f 1)
	[ "$got" = "$want" ] || fail "$file has the checksum $got, not $want; nothing was installed"

	tar -xzf "$work/$file" -C "$work" memctl memctl-full
	bin=${MEMCTL_BIN:-$HOME/.local/bin}
	mkdir -p "$bin"
	# A new file under a new name replaces a program even while it runs.
	for program in memctl-full memctl; do
		cp "$work/$program" "$bin/.$program.new"
		chmod 755 "$bin/.$program.new"
		mv -f "$bin/.$program.new" "$bin/$program"
	done
	echo "installed in $bin: $("$bin/memctl" version), memctl-full"
	case :$PATH: in
	*":$bin:"*) ;;
	*) echo "install.sh: note: $bin is not on the PATH" >&2 ;;
	esac
}

main
