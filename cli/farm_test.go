package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// freePort returns an address that a server can use, and use again after a restart.
func freePort(t *testing.T) string {
	t.Helper()
	ports, err := drivers.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + ports[0]
}

// farm is a hub and a host as processes of their own.
type farm struct {
	hub, host *lab
	serve     *served
	args      []string
	key       string
}

// newFarm starts a hub with an account and a key. The host that joins has two phones.
func newFarm(t *testing.T) *farm {
	t.Helper()
	return newFarmWith(t, newLab(t, 2))
}

// newFarmWith is newFarm with the devices of a lab.
func newFarmWith(t *testing.T, host *lab) *farm {
	t.Helper()
	f := &farm{hub: newLab(t, 0), host: host}
	create := exec.Command("taproot", "admin", "create", "ada@example.com", "--admin", "--data", "data")
	create.Dir, create.Env, create.Stdin = f.hub.dir, f.hub.env, strings.NewReader("a password of some length\n")
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f.hub.taproot("admin", "plan", "ada@example.com", "enterprise", "--per-minute", "1000000", "--data",
		"data").exits(t, 0)
	for tries := 0; f.serve == nil; tries++ {
		f.args = []string{"--service", "--farm", "--data", "data", "--addr", freePort(t), "--farm-listen", freePort(t)}
		var err error
		f.serve, err = f.hub.tryServe(f.args...)
		// another test may have taken one of the ports
		if err != nil && (tries == 3 || !strings.Contains(err.Error(), "address already in use")) {
			t.Fatal(err)
		}
	}
	key := f.hub.taproot("admin", "key", "ada@example.com", "--data", "data")
	if key.code != 0 || !strings.HasPrefix(key.stdout, "tap_") {
		t.Fatalf("%+v", key)
	}
	f.key = strings.TrimSpace(key.stdout)
	return f
}

// token creates a token for a host.
func (f *farm) token(args ...string) string {
	f.hub.t.Helper()
	out := f.hub.taproot(append([]string{"admin", "host-token", "--data", "data"}, args...)...)
	if out.code != 0 || !strings.HasPrefix(out.stdout, "taph_") {
		f.hub.t.Fatalf("%+v", out)
	}
	return strings.TrimSpace(out.stdout)
}

func (f *farm) join(args ...string) *child {
	return f.host.start("taproot", append([]string{"host", "--hub", f.serve.url, "--name", "desk", "--data",
		filepath.Join(f.host.tmp, "host")}, args...)...)
}

// leave ends the host that has joined.
func (f *farm) leave(host *child) {
	f.host.t.Helper()
	f.host.taproot("host", "--drain", "--data", filepath.Join(f.host.tmp, "host")).exits(f.host.t, 0)
	host.wait()
}

// device returns the state of a device in the hub's list.
func (f *farm) device(id string) string {
	var list []struct{ ID, Use, Host, Why string }
	a := f.serve.with(f.key, "GET", "/api/devices", "")
	if json.Unmarshal([]byte(a.body), &list) != nil {
		return a.body
	}
	for _, d := range list {
		if d.ID == id {
			return d.Use
		}
	}
	return ""
}

func (f *farm) tap(id string) asked {
	return f.serve.with(f.key, "POST", "/api/devices/"+id+"/tap", `{"point": "50%,50%"}`)
}

// adb connects to a phone as adb does.
func (f *farm) adb() {
	t := f.hub.t
	t.Helper()
	tunnel := exec.Command("taproot", "adb", "SIM2", "--hub", f.serve.url)
	tunnel.Dir, tunnel.Env = f.hub.dir, f.hub.env
	out, err := tunnel.StdoutPipe()
	if err == nil {
		err = tunnel.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "adb connect ")
	if err != nil || !ok {
		t.Fatal(line, err)
	}
	if a := f.tap("SIM2"); a.status != 409 {
		t.Errorf("a tap while adb has it: %d %s", a.status, a.body)
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hello := []byte("CNXN\x00\x00\x00\x01\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xbc\xb1\xa7\xb1")
	if _, err := conn.Write(hello); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "CNXN" {
		t.Errorf("%q, %v", got, err)
	}
	if err := tunnel.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := tunnel.Wait(); err != nil {
		t.Error(err)
	}
	eventually(t, "the phone is free again", func() bool { return f.device("SIM2") == "free" })
}

// TestFarm is the life of a host: it joins, is killed, stopped, comes back, loses its hub, drains and is revoked.
func TestFarm(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	token := f.token("--pool", "lab", "--labels", "room=3")
	host := f.join("--token", token, "--allow-shell")
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" })
	if a := f.tap("SIM1"); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if n := len(f.host.phones[0].Taps()); n != 1 {
		t.Errorf("%d taps", n)
	}
	f.hub.env = append(f.hub.env, "TAPROOT_API_KEY="+f.key)
	out := f.hub.taproot("farm", "status", "--hub", f.serve.url)
	has(t, "farm status", out.stdout, "desk", "online", "lab", "room=3", "SIM1", "free")
	if out := f.host.taproot("host", "--hub", f.serve.url, "--token", token, "--data",
		filepath.Join(f.host.tmp, "other")); out.code == 0 || !strings.Contains(out.stderr, "used by another host") {
		t.Errorf("the token again: %+v", out)
	}

	f.adb()

	_ = host.cmd.Process.Kill()
	_ = host.cmd.Wait()
	eventually(t, "it is known to be gone", func() bool { return f.device("SIM1") == "blocked" })
	if a := f.tap("SIM1"); a.status != 502 || !strings.Contains(a.body, "desk") {
		t.Errorf("a tap on a phone of a host that is gone: %d %s", a.status, a.body)
	}
	host = f.join()
	eventually(t, "it is back without a token", func() bool { return f.tap("SIM1").status == 200 })

	if err := host.cmd.Process.Signal(sigstop); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if a := f.tap("SIM1"); a.status != 502 {
		t.Errorf("a tap while the host is stopped: %d %s", a.status, a.body)
	}
	t.Logf("a request learned that its host was stopped after %s", time.Since(began))
	if err := host.cmd.Process.Signal(sigcont); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it goes on", func() bool { return f.tap("SIM2").status == 200 })

	_ = f.serve.cmd.Process.Kill()
	_ = f.serve.cmd.Wait()
	f.serve = f.hub.serve(f.args...)
	began = time.Now()
	eventually(t, "the host rejoined the new hub", func() bool { return f.device("SIM1") == "free" })
	t.Logf("it was there again %s after the hub listened", time.Since(began))
	if a := f.tap("SIM1"); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}

	if out := f.host.taproot("host", "--drain", "--data", filepath.Join(f.host.tmp, "host")); out.code != 0 {
		t.Errorf("%+v", out)
	}
	if ended := host.wait(); ended.code != 0 {
		t.Errorf("a host that drained: %+v", ended)
	}
	if out := f.hub.taproot("admin", "host-revoke", "desk", "--data", "data"); out.code != 0 {
		t.Errorf("%+v", out)
	}
	eventually(t, "its phones are gone", func() bool { return f.device("SIM1") == "" })
	if ended := f.join().wait(); ended.code != 2 ||
		!strings.Contains(ended.stderr, "this host was revoked on its hub, and may not come back: ask there for a new "+
			"token") {
		t.Errorf("a host that was revoked: %+v", ended)
	}
}
