#!/bin/sh
# The first hour of a user with a bare Debian 12 and the program: no Go, no Node, an empty home. It is three
# commands, which must succeed. The script prints times and the number of packages that the set-up adds; it fails if
# there are more than MAX_PACKAGES.
#
#   firsthour.sh TAPROOT web [FLAG…]      taproot init --web PAGE, setup --platform web FLAG…, run
#   firsthour.sh TAPROOT android [FLAG…]  taproot init --android APP, setup, run on a simulated phone
#
# It needs root, mmdebstrap, and Debian's and npm's registries. ROOT_TAR is a file that keeps the bare machine for
# the next run. The program must be static: CGO_ENABLED=0 go build.
set -eu

program=$(readlink -f "$1")
shift
tar=${ROOT_TAR:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$tar" ]; then tar=$work/root.tar; fi
if [ ! -f "$tar" ]; then
	mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$tar"
fi
mkdir "$work/root"
tar -xf "$tar" -C "$work/root" --exclude=./dev/*
cp "$program" "$work/root/usr/local/bin/taproot"
cp /etc/resolv.conf /etc/hosts "$work/root/etc/"
# Certificates of a network with a TLS proxy are part of the test machine.
cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$work/root/home/ada/shop"
cat > "$work/root/home/ada/shop/page.html" <<'PAGE'
<!doctype html><html lang="en"><title>Shop</title><h1>The shop</h1><button>Buy</button>
PAGE

cat > "$work/root/first" <<'FIRST'
set -eu
timed() { echo; echo "\$ $*"; from=$(date +%s); "$@"; echo "# $(( $(date +%s) - from )) s"; }
cd "$HOME/shop"
before=$(dpkg -l | grep -c ^ii)
for absent in go node npm chromium adb; do if command -v $absent; then echo "$absent is here"; exit 1; fi; done
start=$(date +%s)
platform=$1
shift
case $platform in
web)
	timed taproot init --web "file://$HOME/shop/page.html"
	timed taproot setup --platform web "$@"
	timed taproot run --require-devices
	;;
android)
	timed taproot init --android com.example.login
	timed taproot setup --platform android "$@"
	timed taproot sim -- taproot run --require-devices
	;;
esac
echo "total: $(( $(date +%s) - start )) s"
added=$(( $(dpkg -l | grep -c ^ii) - before ))
echo "packages: $before before, $added added"
test "$added" -le "${MAX_PACKAGES:-$added}" || { echo "more than $MAX_PACKAGES"; exit 1; }
FIRST

unshare --mount --pid --fork sh -eu -c '
	root=$1; shift
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs tmpfs "$root/tmp"
	exec chroot "$root" /usr/bin/env -i HOME=/home/ada LANG=C.UTF-8 ${MAX_PACKAGES:+MAX_PACKAGES=$MAX_PACKAGES} PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin sh /first "$@"
' sh "$work/root" "$@"
