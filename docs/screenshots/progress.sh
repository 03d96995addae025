#!/bin/sh
# Makes docs/images/NAME.gif: a terminal at twelve moments of a command, from all that it printed.
#
#   make run > /tmp/log 2>&1; progress.sh "make run" /tmp/log make-run
set -eu

command=$1 log=$2 name=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	cat "$here/progress.html"
	echo '<script id="log" type="text/plain">'
	echo "\$ $command"
	sed 's#</script#<\\/script#g' "$log"
	echo '</script>'
} > "$work/progress.html"
TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true "$root/bin/taproot" run "$here/progress.yaml" --quiet \
	--reports "$work/reports" -e PAGE="file://$work/progress.html"
for image in "$work/reports/latest/progress/screenshots/"*-screenshot-moment.png; do
	printf "file '%s'\nduration 1.5\n" "$image"
done > "$work/frames"
ffmpeg -v error -y -f concat -safe 0 -i "$work/frames" -vf \
	'split[a][b];[a]palettegen=max_colors=5[p];[b][p]paletteuse=dither=none:diff_mode=rectangle' \
	-fps_mode vfr "$root/docs/images/$name.gif"
