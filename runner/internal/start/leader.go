package start

import "os/exec"

// Lead makes a command that is not started yet the leader of a process group: a Ctrl-C at the terminal does not reach
// it, and Kill ends it with all processes that it starts.
func Lead(cmd *exec.Cmd) { ownGroup(cmd) }

// Kill ends the process group of a started command at once.
func Kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		killGroup(cmd.Process.Pid)
	}
}
