#!/bin/sh
# The first minutes of a developer with a bare Debian 12, make, git and Go, and empty caches: make run twice, then make
# test. The script prints the time of each phase, as the targets report it, and the processor time of each command.
#
#   fresh.sh [TARGET …]     the targets in this order (default: run run test)
#
# It needs root, mmdebstrap, a Go in GOROOT, and the registries of Debian, npm and Go. ROOT_TAR is a file that keeps the
# bare machine for the next run. The clone has what is committed.
set -eu

source=$(git rev-parse --show-toplevel)
goroot=$(go env GOROOT)
goproxy=$(go env GOPROXY)
gosumdb=$(go env GOSUMDB)
registry=$(npm config get registry 2> /dev/null || true)
tar=${ROOT_TAR:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$tar" ]; then tar=$work/root.tar; fi
if [ ! -f "$tar" ]; then
	mmdebstrap --quiet --variant=minbase --include=ca-certificates,make,git bookworm "$tar"
fi
mkdir "$work/root"
tar -xf "$tar" -C "$work/root" --exclude=./dev/*
cp /etc/resolv.conf /etc/hosts "$work/root/etc/"
# The settings of a network with a TLS proxy or mirrors are part of the test machine.
cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/ca-certificates.crt"
cp -r /etc/apt/apt.conf.d/. "$work/root/etc/apt/apt.conf.d/" 2> /dev/null || true
cp /etc/apt/sources.list "$work/root/etc/apt/sources.list" 2> /dev/null || true
cp -r /etc/apt/sources.list.d/. "$work/root/etc/apt/sources.list.d/" 2> /dev/null || true
mkdir -p "$work/root/usr/local/go" "$work/root/root"
cp -r "$goroot/." "$work/root/usr/local/go/"
git clone -q "$source" "$work/root/root/taproot"

cat > "$work/root/fresh" <<'FRESH'
set -u
cd /root/taproot
# table prints a row for each phase that has ended, from lines such as "[41 s] setup: done in 39 s; next: …".
table() { sed -n 's/^\[\([^]]*\)\] \([a-z]*\): \(done in\|failed after\) \([^;]*\).*/  \2: \3 \4, at \1/p' "$1"; }
worst=0
for target in "$@"; do
	from=$(date +%s)
	bash -c 'time make "$1"' sh "$target" > /root/log 2>&1
	code=$?
	echo "make $target: exit code $code, $(( $(date +%s) - from )) s"
	table /root/log
	grep -E '^(user|sys)|passed, [0-9]+ failed|^Ran [0-9]+ of' /root/log | sed 's/^/  /'
	if [ $code != 0 ]; then worst=1; tail -n 60 /root/log; fi
done
exit $worst
FRESH

unshare --mount --pid --fork sh -eu -c '
	root=$1; goproxy=$2; gosumdb=$3; registry=$4; shift 4
	mount --bind "$root" "$root" # tests with mounts of their own need a root that is a mount
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs tmpfs "$root/tmp"
	exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 GOPROXY="$goproxy" GOSUMDB="$gosumdb" \
		GOTOOLCHAIN=local npm_config_registry="$registry" \
		SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
		PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin bash /fresh "$@"
' sh "$work/root" "$goproxy" "$gosumdb" "$registry" ${@:-run run test}
