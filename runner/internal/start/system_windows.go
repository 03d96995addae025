package start

import (
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// ownGroup makes the process the leader of a new process group: a Ctrl-C in the console does not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup ends a process and those that it started: programs without a window get no request to end on Windows.
func terminateGroup(group int) { killGroup(group) }

func killGroup(group int) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(group)).Run()
}

// groupAlive reports whether the first process of a group runs.
func groupAlive(group int) bool { return startOf(group) != "" }

// bootID is the same always: the time at which a process started identifies it.
func bootID() string { return "windows" }

// startOf is when a process started; "" when there is none.
func startOf(pid int) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(handle)
	var code uint32
	var created, exited, kernel, user windows.Filetime
	if windows.GetExitCodeProcess(handle, &code) != nil || code != 259 || // STILL_ACTIVE
		windows.GetProcessTimes(handle, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return time.Unix(0, created.Nanoseconds()).UTC().Format(time.RFC3339Nano)
}

// leftovers are the first processes of a server that still run.
func leftovers(n note) []int {
	if n.Group > 0 && n.Started != "" && startOf(n.Group) == n.Started {
		return []int{n.Group}
	}
	return nil
}
