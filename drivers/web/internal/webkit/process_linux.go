package webkit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// endLimit is how long programs may take to end by themselves, killLimit how long after that to be gone.
	endLimit  = 2 * time.Second
	killLimit = 5 * time.Second
	// outputWait is for the last words of a program that has ended.
	outputWait = 50 * time.Millisecond
)

// guardScript is the first process of the group. It ends the others, removes their folder and ends itself when its
// input closes, as it does when Taproot is killed.
const guardScript = `cat >/dev/null; trap "" TERM; kill -TERM 0; sleep 1; rm -rf -- "$1"; kill -KILL 0`

// group is programs in a process group of their own, with the processes that they start: MiniBrowser and
// WebKitWebDriver, or an X server.
type group struct {
	dir    string // of their files
	first  *exec.Cmd
	input  io.Closer // of first
	writer *os.File  // what the programs print to: their end is known at once, though their children have it, too
	output *phrase.Tail
	env    []string

	mu   sync.Mutex
	all  []*exec.Cmd
	wait sync.WaitGroup
	done bool
}

// newGroup starts the first process.
func newGroup() (_ *group, err error) {
	dir, err := os.MkdirTemp("", "taproot-webkit-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the browser: %w", err)
	}
	g := &group{dir: dir, output: &phrase.Tail{}}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	for _, name := range []string{"home", "run", "config", "data", "cache"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	if err := g.takeDownloads(); err != nil {
		return nil, err
	}
	g.env = environment(dir)
	g.first = exec.Command("/bin/sh", "-c", guardScript, "sh", dir)
	g.first.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := g.first.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := g.first.Start(); err != nil {
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	g.input = input
	reader, writer, err := os.Pipe()
	if err != nil {
		_ = input.Close() // the first process ends
		return nil, err
	}
	g.writer = writer
	g.wait.Go(func() {
		defer reader.Close()
		_, _ = io.Copy(g.output, reader) // until no program has the other end
	})
	g.wait.Go(func() { _ = g.first.Wait() }) // it is killed
	return g, nil
}

// environment is that of this process, with folders that nothing else uses and without the user's desktop.
func environment(dir string) []string {
	gone := []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "LANGUAGE", "LC_ALL",
		"LC_MESSAGES", "WEBKIT_INSPECTOR_HTTP_SERVER", "WEBKIT_INSPECTOR_SERVER", "GTK_MODULES", "GDK_SCALE", "GTK_THEME"}
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		keep := true
		for _, other := range gone {
			keep = keep && name != other
		}
		if keep {
			env = append(env, pair)
		}
	}
	return append(env, "HOME="+filepath.Join(dir, "home"), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"),
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "XDG_DATA_HOME="+filepath.Join(dir, "data"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"),
		"DBUS_SESSION_BUS_ADDRESS=disabled:", "NO_AT_BRIDGE=1", "GDK_BACKEND=x11", "GSETTINGS_BACKEND=memory",
		"GIO_USE_VFS=local",
		"GTK_OVERLAY_SCROLLING=0", // scroll bars over a page take the clicks that it should get, with all events but click
		// there is no graphics card: shaders for the processor would take seconds to compile for the first screenshots
		"WEBKIT_SKIA_ENABLE_CPU_RENDERING=1")
}

// plainLocale is one that every C library has, as a folder.
const plainLocale = "/usr/lib/locale/C.utf8"

// speak returns the environment of a program with a locale. The C library takes those that are installed alone, and
// WebKit takes its language from the name of the C library's locale, and all else of it from its own tables. So the
// plain locale gets the name of the one that is wanted.
func (g *group) speak(locale string) ([]string, error) {
	name := strings.ReplaceAll(locale, "-", "_")
	dir := filepath.Join(g.dir, "locales")
	if _, err := os.Stat(filepath.Join(plainLocale, "LC_MESSAGES")); err != nil {
		if locale == usualLocale {
			return nil, nil // the language of the system
		}
		return nil, fmt.Errorf("%w: this system has no %s, by which WebKit gets another language than the system's",
			drivers.ErrUnsupported, plainLocale)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(plainLocale, filepath.Join(dir, name+".utf8")); err != nil {
		return nil, err
	}
	return []string{"LOCPATH=" + dir, "LC_ALL=" + name + ".UTF-8", "LANG=" + name + ".UTF-8"}, nil
}

// run starts a program in the group.
func (g *group) run(path string, args []string, env []string, files ...*os.File) (*exec.Cmd, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return nil, drivers.ErrClosed
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(append([]string{}, g.env...), env...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = g.dir, g.writer, g.writer, files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.first.Process.Pid}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: start %s: %w", drivers.ErrDeviceLost, filepath.Base(path), err)
	}
	hasten(cmd.Process.Pid)
	g.all = append(g.all, cmd)
	return cmd, nil
}

// The priority that a process has unless it is changed, as the system's call returns it, and the one that Chromium sets
// for the threads that draw its pages.
const (
	plainPriority = 20
	urgent        = -8
)

// hasten sets for a program, and for what it starts, the priority that Chromium's pages and Playwright's process have,
// where this process may do so and has the plain one itself: each call of a page goes through all of these programs, so
// that on a busy machine the page would be silent for seconds.
func hasten(pid int) {
	if own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil && own == plainPriority {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, urgent) // who may not keeps what it has
	}
}

// reap waits for a program's end, and then calls ended.
func (g *group) reap(cmd *exec.Cmd, ended func()) {
	g.wait.Go(func() {
		_ = cmd.Wait()
		if ended != nil {
			ended()
		}
	})
}

// failure says why a program did not start.
func (g *group) failure(ctx context.Context, program string) error {
	if err := drivers.Pause(ctx, outputWait); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s did not start%s", drivers.ErrDeviceLost, program, g.output)
}

// end ends all processes and removes their files.
func (g *group) end() error {
	g.mu.Lock()
	over := g.done
	g.done = true
	g.mu.Unlock()
	if over {
		g.wait.Wait()
		return nil
	}
	pid := g.first.Process.Pid
	for _, cmd := range g.all {
		_ = cmd.Process.Signal(syscall.SIGTERM) // one that has ended needs none
	}
	ended := make(chan struct{})
	go func() { g.waitOthers(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(endLimit):
	}
	for until := time.Now().Add(killLimit); syscall.Kill(-pid, syscall.SIGKILL) == nil && groupLives(pid); {
		if time.Now().After(until) {
			return fmt.Errorf("%w: processes of WebKit are still there (process group %d)", drivers.ErrDeviceLost, pid)
		}
		time.Sleep(startPoll)
	}
	_ = g.input.Close()
	_ = g.writer.Close()
	g.wait.Wait()
	return os.RemoveAll(g.dir)
}

// waitOthers returns once no process but the first is left in the group.
func (g *group) waitOthers() {
	for until := time.Now().Add(endLimit); time.Now().Before(until); time.Sleep(startPoll) {
		if len(members(g.first.Process.Pid)) <= 2 { // the shell, and the program that reads its input
			return
		}
	}
}

// groupLives reports whether a process group has a process that has not ended.
func groupLives(group int) bool { return len(members(group)) > 0 }

// members lists the processes of a group that have not ended.
func members(group int) (list []int) {
	for _, p := range Processes() {
		if p.Group == group {
			list = append(list, p.ID)
		}
	}
	return list
}

// Process is a process of this machine.
type Process struct{ ID, Parent, Group int }

// Processes lists the processes of this machine that have not ended.
func Processes() (list []Process) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])) // after the name, which may be anything
		if len(fields) > 2 && fields[0] != "Z" {
			parent, _ := strconv.Atoi(fields[1])
			group, _ := strconv.Atoi(fields[2])
			list = append(list, Process{pid, parent, group})
		}
	}
	return list
}

// listening returns the ports at which a process takes connections.
func listening(pid int) (ports []int) {
	mine := map[string]bool{}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is right
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, "socket:[") {
			mine[strings.Trim(strings.TrimPrefix(to, "socket:"), "[]")] = true
		}
	}
	for _, name := range []string{"tcp", "tcp6"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(table)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != "0A" || !mine[fields[9]] {
				continue
			}
			_, hex, _ := strings.Cut(fields[1], ":")
			if port, err := strconv.ParseUint(hex, 16, 16); err == nil {
				ports = append(ports, int(port))
			}
		}
	}
	return ports
}
