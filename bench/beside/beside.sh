#!/bin/bash
# Runs a command, such as make test, on a machine that is busy, slow or jerky: no test may depend on the load.
#
#   beside.sh loops COMMAND …   beside twelve busy loops (LOOPS=12)
#   beside.sh slow COMMAND …    with three fifths of one processor (SHARE=0.6); needs root and cgroups
#   beside.sh stops COMMAND …   with processes of the tests stopped at random, each for 5 to 200 ms
set -eu

how=$1
shift
group=/sys/fs/cgroup/cpu/taproot-slow # of version 1
unified=/sys/fs/cgroup/taproot-slow
others=()
end() {
	test ${#others[@]} = 0 || kill "${others[@]}" 2> /dev/null || true
	rmdir "$group" "$unified" 2> /dev/null || true
}
trap end EXIT

# stop_at_random prints how many processes it has stopped when it is ended. Those of make, go and the shell are not.
stop_at_random() {
	local n=0 pids pid
	trap 'echo "$n stops"; exit' TERM
	while true; do
		mapfile -t pids < <(pgrep '\.test$|^(taproot|node|adb|postgres|dovecot|ffmpeg|tesseract|firefox|chrom)|Web')
		for _ in $(seq 20); do
			if [ ${#pids[@]} = 0 ]; then sleep 0.2; break; fi
			pid=${pids[RANDOM % ${#pids[@]}]}
			if kill -STOP "$pid" 2> /dev/null; then
				sleep "0.$(printf %03d $((RANDOM % 196 + 5)))"
				kill -CONT "$pid" 2> /dev/null || true
				n=$((n + 1))
			fi
			sleep "0.0$((RANDOM % 5))"
		done
	done
}

case $how in
loops)
	for _ in $(seq "${LOOPS:-12}"); do
		while :; do :; done &
		others+=($!)
	done
	"$@"
	;;
slow)
	quota=$(echo "${SHARE:-0.6}" | awk '{ print int(20000 * $1) }')
	if [ -d /sys/fs/cgroup/cpu ]; then
		mkdir -p "$group"
		echo 20000 > "$group/cpu.cfs_period_us"
		echo "$quota" > "$group/cpu.cfs_quota_us"
	else
		group=$unified
		mkdir -p "$group"
		echo "$quota 20000" > "$group/cpu.max"
	fi
	sh -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$@"
	;;
stops)
	stop_at_random &
	others+=($!)
	"$@"
	;;
*)
	echo "beside.sh: $how is not loops, slow or stops" >&2
	exit 2
	;;
esac
