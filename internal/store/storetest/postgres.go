// Package storetest provides tests of the service with a database of each kind: an SQLite file, and a PostgreSQL server
// that it starts.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// SQLite returns the path of a new database.
func SQLite(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "service.db")
}

// Each runs a test on a new database of each kind.
func Each(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// Server is a PostgreSQL server of a test.
type Server struct {
	t     testing.TB
	bin   string
	dir   string
	run   *exec.Cmd
	ended chan struct{} // closed when run has ended
	user  [2]uint32     // user and group of the server; zero: those of the test
}

var shared struct {
	sync.Mutex
	server *Server
}

// Postgres returns the address of a new, empty database. All tests of a process share one server, which Stop ends.
func Postgres(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		shared.server = newServer(t)
	}
	return shared.server.Database(t)
}

// Stop ends the shared server; call it in TestMain, after the tests.
func Stop() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Kill()
		_ = os.RemoveAll(shared.server.dir)
	}
}

// NewServer starts a server for one test, which may kill it and start it again.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(s.dir) })
	return s
}

// programs finds the folder of the newest PostgreSQL.
func programs(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); len(found) == 0 && err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		t.Fatal("there is no PostgreSQL: run make setup, or apt-get install postgresql")
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

func newServer(t testing.TB) *Server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Fatal("tests with PostgreSQL need Linux or macOS")
	}
	dir, err := os.MkdirTemp("/tmp", "taproot-pg-") // the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, bin: programs(t), dir: dir}
	if os.Getuid() == 0 { // PostgreSQL does not run as root
		who, err := user.Lookup("postgres")
		if err != nil {
			who, err = user.Lookup("nobody")
		}
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.ParseUint(who.Uid, 10, 32)
		gid, _ := strconv.ParseUint(who.Gid, 10, 32)
		s.user = [2]uint32{uint32(uid), uint32(gid)}
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := s.command("initdb", "-D", filepath.Join(dir, "data"), "-U", "taproot", "-A", "trust", "-E", "UTF8",
		"--no-locale", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.Start()
	return s
}

func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Env = s.dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + s.dir}
	runAs(cmd, s.user)
	return cmd
}

// Start starts the server and waits until it responds.
func (s *Server) Start() {
	s.t.Helper()
	logFile, err := os.Create(filepath.Join(s.dir, "server.log"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer logFile.Close()
	s.run = s.command("postgres", "-D", "data", "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
		"max_connections=200", "-c", "log_min_messages=fatal")
	s.run.Stderr = logFile
	if err := s.run.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	s.ended = ended
	go func(run *exec.Cmd) {
		defer close(ended)
		_ = run.Wait() // its log has the reason
	}(s.run)
	for deadline := time.Now().Add(time.Minute); ; {
		out, err := s.command("psql", "-h", s.dir, "-U", "taproot", "-d", "postgres", "-c", "SELECT 1").CombinedOutput()
		if err == nil {
			return
		}
		select {
		case <-ended:
			why, _ := os.ReadFile(logFile.Name())
			s.t.Fatalf("PostgreSQL did not start: %s", why)
		default:
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("PostgreSQL does not respond: %v\n%s", err, out)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// PID returns the number of the server's main process, the parent of the others; 0 when none runs.
func (s *Server) PID() int {
	if s.run == nil {
		return 0
	}
	return s.run.Process.Pid
}

// Socket returns the path of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// Kill kills the server.
func (s *Server) Kill() {
	if s.run == nil {
		return
	}
	_ = s.run.Process.Signal(syscall.SIGQUIT) // also ends its child processes, unlike SIGKILL
	<-s.ended
	s.run = nil
}

// Database makes an empty database and returns its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "t" + strings.ToLower(rand.Text())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := s.command("createdb", "-h", s.dir, "-U", "taproot", name)
	done := make(chan error, 1)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-ctx.Done():
		t.Fatal("createdb does not end")
	}
	return "postgres://taproot@/" + name + "?host=" + url.QueryEscape(s.dir)
}
