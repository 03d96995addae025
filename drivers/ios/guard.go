package ios

import (
	"os/exec"
	"strconv"
)

// outlived ends the process $1 when the standard input closes, which happens when we are killed: asked first, and after
// ten seconds by force, unless $2 says otherwise.
const outlived = `trap '' INT TERM HUP
read -r _
kill -INT "$1" || exit 0
[ "$2" = spare ] && exit 0
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" || exit 0; done
kill -KILL "$1"`

// guard sees to it that a program which runs on does not outlive us, even when we are killed: a test runner that is
// left behind keeps its device busy. Without a shell, as on Windows, there is none. The function that it returns is
// called once the program has ended.
func (t tools) guard(pid int, c command) (dismiss func()) {
	how := "kill"
	if c.spare {
		how = "spare"
	}
	cmd := exec.Command("/bin/sh", "-c", outlived, "guard", strconv.Itoa(pid), how)
	cmd.Env = []string{"PATH=/bin:/usr/bin"}
	alarm, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.log.Debug("nothing ends the program when this process is killed", "program", c.name, "error", err)
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill() // before its alarm goes off: the number may be another process's by now
		_ = cmd.Wait()
		_ = alarm.Close()
	}
}
