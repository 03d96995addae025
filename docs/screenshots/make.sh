#!/bin/sh
# Makes the images of the documentation with the program itself: Studio, a report, a list of runs and a terminal, each
# in light and dark, and an animated recording of Studio. It needs what make run needs, and writes docs/images.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
taproot=$root/bin/taproot
work=$(mktemp -d)
studio=
trap 'test -z "$studio" || kill "$studio"; rm -rf "$work"' EXIT

# shoot SCHEME TEST NAME=VALUE … runs a test that takes the screenshot NAME.png of a page.
shoot() {
	scheme=$1 test=$2 name=$3
	shift 3
	TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true "$taproot" run "$here/$test.yaml" --quiet --reports "$work/own" \
		-e SCHEME="$scheme" "$@"
	# 128 colors suffice, and take a third of the bytes.
	ffmpeg -v error -y -i "$work/own/latest/$test/screenshots/"*"-screenshot-$test.png" -vf \
		'split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none' "$root/docs/images/$name.png"
}

# start FILE starts Studio with a simulated phone, and sets link to its URL. stop ends it.
start() {
	"$taproot" studio "$1" --sim --no-browser > "$work/studio" 2>&1 &
	studio=$!
	for _ in $(seq 120); do
		grep -q '^Studio: ' "$work/studio" && break
		sleep 0.5
	done
	link=$(sed -n 's/^Studio: //p' "$work/studio")
}

stop() {
	kill "$studio" && wait "$studio" || true
	studio=
}

# A run with a failure, and its output.
cp "$here/login.yaml" "$root/suites/failing/android-login-fails.yaml" "$root/suites/android/android-list.yaml" "$work"
cd "$work"
TAPROOT_REPORTS_DIR=reports "$taproot" sim --phones 2 --size 540x1200 -- "$taproot" run . > "$work/out" 2>&1 || true
sed 's/&/\&amp;/g; s/</\&lt;/g; s/^\(\[.*\] ✗.*\|FAIL.*\)$/<b class="red">\1<\/b>/; s/^\(\[.*\] ✓.*\)$/<b class="green">\1<\/b>/
	s/android 127[0-9.:]*/Pixel 7/; s#'"$work"'/##' "$work/out" > "$work/body"
for scheme in light dark; do
	suffix=
	test $scheme = light || suffix=-dark
	{ cat "$here/terminal.html"; cat "$work/body"; echo '</pre>'; } > "$work/terminal.html"
	shoot $scheme page "terminal$suffix" -e PAGE="file://$work/terminal.html" -e SIZE=1000x560
	shoot $scheme page "runs$suffix" -e PAGE="file://$work/reports/latest/index.html" -e SIZE=1280x800
	shoot $scheme page "report$suffix" -e PAGE="file://$work/reports/latest/android-login-fails/report.html" -e SIZE=1280x900

	start "$work/login.yaml"
	shoot $scheme studio "studio$suffix" -e STUDIO="$link"
	stop
done

# The recording: the screen after each step of a test that records a sign-in with Studio, and runs it.
cat > "$work/sign-in.yaml" << 'END'
id: sign-in
platform: android
steps:
  - launch: {package: com.example.login, force: true}
END
start "$work/sign-in.yaml"
TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true "$taproot" run "$here/studio-recording.yaml" --quiet --reports "$work/own" \
	-e STUDIO="$link"
stop
for image in "$work/own/latest/studio-recording/screenshots/"*.png; do
	printf "file '%s'\nduration 1.2\n" "$image"
done > "$work/frames"
ffmpeg -v error -y -f concat -safe 0 -i "$work/frames" -vf \
	'scale=960:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none:diff_mode=rectangle' \
	-fps_mode vfr "$root/docs/images/studio.gif"
