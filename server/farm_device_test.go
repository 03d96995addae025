package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server"
)

// TestPagesOfAHost: a page is opened in a browser of the named host, used and closed there, and listed as its device.
// Meanwhile no case gets that browser, and no call gets the browser of a case.
func TestPagesOfAHost(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 0)
	f.works = make(chan *pool.Pool, 1)
	m := f.join("one")
	site := webtest.New(t)
	there := []string{"X-Host", m.id}
	if a := f.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true},
		there...); a.status != 200 || a.json(t)["page"] != "web-1" {
		t.Fatal(a)
	}
	if a := f.ask("POST", "/web/assert", map[string]any{"selector": "h1", "text": "Sign in"}, there...); a.status != 200 ||
		a.json(t)["passed"] != true {
		t.Error(a)
	}
	if a, here := f.ask("GET", "/web", nil, there...), f.ask("GET", "/web", nil); !strings.Contains(string(a.body),
		"web-1") || strings.Contains(string(here.body), "web-1") {
		t.Errorf("the pages there: %s, and here: %s", a, here)
	}
	eventually(t, "it is a device", func() bool {
		var list []server.Device
		return json.Unmarshal(f.ask("GET", "/devices", nil).body, &list) == nil && len(list) == 1 &&
			strings.HasPrefix(list[0].ID, "web-1") && list[0].Host == m.id
	})
	forCases := func() string {
		var list []string
		f.hub.ForCases(false, func(d hub.Device, free bool) { list = append(list, fmt.Sprint(d.ID, " ", free)) })
		return strings.Join(list, ", ")
	}
	eventually(t, "no case begins on it", func() bool { return forCases() == "web-1 false, web-2 true, web-3 true" })
	ofCases := <-f.works
	if l, err := ofCases.Take(t.Context(), "web-1", "a case"); err == nil {
		l.Release()
		t.Error("a case got it")
	}
	ofCase, err := ofCases.Take(t.Context(), "web-2", "a case")
	if err != nil {
		t.Fatal(err)
	}
	defer ofCase.Release()
	if a := f.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true},
		there...); a.status != 200 || a.json(t)["page"] != "web-3" {
		t.Errorf("beside a case: %s", a)
	}
	if a := f.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true},
		there...); a.status != 409 {
		t.Errorf("one too many: %s", a)
	}
	for _, page := range []string{"web-1", "web-3"} {
		if a := f.ask("DELETE", "/web/"+page, nil, there...); a.status != 204 {
			t.Error(a)
		}
	}
	if a := f.ask("GET", "/web", nil, "X-Host", "none"); a.status != 404 || !strings.Contains(string(a.body), "none") {
		t.Errorf("a host that there is not: %s", a)
	}
	if a := newLab(t, 0).ask("GET", "/web", nil, there...); a.status != 404 {
		t.Errorf("no farm: %s", a)
	}
}

// TestHostsClock: reservations of a host's device start and end by the hub's clock, also when the host's clock is an
// hour slow or fast. Before, they started an hour late, or were rejected as past.
func TestHostsClock(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"slow": time.Hour, "fast": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFarmAhead(t, ahead, 0)
			f.join("one", androidsim.Tiny)
			var from, until time.Time
			var a answer
			eventually(t, "it is made before it begins", func() bool {
				from = time.Now().Add(ahead + 500*time.Millisecond).UTC()
				until = from.Add(time.Hour)
				a = f.ask("POST", "/devices/SIM1/lease", map[string]any{"from": from, "until": until})
				return a.status == 200
			})
			var grant server.LeaseGrant
			if err := json.Unmarshal(a.body, &grant); err != nil || !grant.Since.Equal(from) || !grant.Until.Equal(until) {
				t.Errorf("%+v, %v", grant, err)
			}
			tap := `{"point": "50%,50%"}`
			eventually(t, "it has begun, for all others",
				func() bool { return f.ask("POST", "/devices/SIM1/tap", tap).status == 409 })
			if a := f.ask("POST", "/devices/SIM1/tap", tap, "X-Lease", grant.Lease); a.status != 200 {
				t.Errorf("for who has it: %s", a)
			}
			var state server.LeaseState
			if err := json.Unmarshal(f.ask("GET", "/devices/SIM1/lease", nil).body, &state); err != nil || state.Until == nil ||
				state.Until.Sub(until).Abs() > time.Minute {
				t.Errorf("%+v, %v", state, err)
			}
			eventually(t, "it is seen", func() bool {
				var list []server.Device
				err := json.Unmarshal(f.ask("GET", "/devices", nil).body, &list)
				return err == nil && len(list) == 1 && list[0].Use == "leased" && list[0].Since != nil &&
					list[0].Since.Sub(from).Abs() < time.Minute
			})
			lease := f.ask("DELETE", "/devices/SIM1/lease", nil, "X-Lease", grant.Lease)
			if lease.status != 204 {
				t.Error(lease)
			}
		})
	}
}

// adbMessage is a message of adb's protocol.
func adbMessage(command string, arg0, arg1 uint32, data string) []byte {
	out := []byte(command)
	sum := uint32(0)
	for _, b := range []byte(data) {
		sum += uint32(b)
	}
	for _, v := range []uint32{arg0, arg1, uint32(len(data)), sum, binary.LittleEndian.Uint32(out) ^ 0xffffffff} {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return append(out, data...)
}

// readADB returns the command and the data of the next message.
func readADB(r io.Reader) (string, string, error) {
	head := make([]byte, 24)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", "", err
	}
	data := make([]byte, binary.LittleEndian.Uint32(head[12:]))
	_, err := io.ReadFull(r, data)
	return string(head[:4]), string(data), err
}

// TestADBOnARemoteDevice: adb works with a phone of a host for the holder of the lease, while it lasts, and for no
// other client.
func TestADBOnARemoteDevice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 1)
	f.join("one", androidsim.Tiny, androidsim.Tiny)
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "adb"}
	eventually(t, "this machine has a SIM1 as well, and allows no shells",
		func() bool { return f.ask("GET", "/devices/SIM1/adb", nil, upgrade...).status == 403 })
	if a := f.ask("GET", "/devices/SIM2/adb", nil, upgrade...); a.status != 409 {
		t.Errorf("without a lease: %s", a)
	}
	lease, _ := f.ask("POST", "/devices/SIM2/lease", `{"ttlSeconds": 100}`).json(t)["lease"].(string)
	if a := f.ask("GET", "/devices/SIM2/adb", nil, upgrade...); a.status != 409 {
		t.Errorf("under another one's lease: %s", a)
	}
	if a := f.ask("GET", "/devices/SIM2/adb", nil, "X-Lease", lease); a.status != 426 {
		t.Errorf("without an upgrade: %s", a)
	}
	res, err := f.client.Do(f.request("GET", "/devices/SIM2/adb", nil, append(upgrade, "X-Lease", lease)...))
	if err != nil || res.StatusCode != 101 {
		t.Fatal(res, err)
	}
	conn := res.Body.(io.ReadWriteCloser)
	defer conn.Close()
	say := func(m []byte) {
		if _, err := conn.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	say(adbMessage("CNXN", 0x01000000, 4096, "host::\x00"))
	if command, text, err := readADB(conn); command != "CNXN" || !strings.HasPrefix(text, "device::ro.product.name=") {
		t.Fatal(command, text, err)
	}
	say(adbMessage("OPEN", 1, 0, "exec:echo hello\x00"))
	for said := ""; !strings.Contains(said, "hello"); {
		command, text, err := readADB(conn)
		if err != nil || command == "CLSE" {
			t.Fatalf("%s after %q: %v", command, said, err)
		}
		said += text
	}
	if a := f.ask("DELETE", "/devices/SIM2/lease", nil, "X-Lease", lease); a.status != 204 {
		t.Error(a)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	_ = conn.Close()
	eventually(t, "the audit log has it", func() bool {
		return strings.Contains(f.log.String(), `action="GET /devices/{id}/adb" target=/devices/SIM2/adb status=101`)
	})
}

// TestADBStandsInTheAuditLog: the audit log contains a connection of adb with its status after it has ended, also on
// the machine of the phone.
func TestADBStandsInTheAuditLog(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withShell)
	lease, _ := l.ask("POST", "/devices/SIM1/lease", `{"ttlSeconds": 100}`).json(t)["lease"].(string)
	res, err := l.client.Do(l.request("GET", "/devices/SIM1/adb", nil, "Connection", "Upgrade", "Upgrade", "adb",
		"X-Lease", lease))
	if err != nil || res.StatusCode != 101 || res.Header.Get("Upgrade") != "adb" {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	eventually(t, "it is noted", func() bool {
		return strings.Contains(l.log.String(), `action="GET /devices/{id}/adb" target=/devices/SIM1/adb status=101`)
	})
}

// TestStreamsOfARemoteDevice: recordings, WebSockets, uploads, downloads and logs pass through the hub completely, a
// lost client frees the device, and open streams end with their host.
func TestStreamsOfARemoteDevice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 0)
	m := f.join("one", androidsim.Tiny)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := f.watch(ctx, "SIM1")
	if img, _ := next(); img.Bounds().Dx() < 100 {
		t.Error(img.Bounds())
	}
	conn, lease := f.socket("SIM1")
	if a := f.sendMessage(conn, `{"id": 1, "do": {"tap": {"point": "50%,30%"}}}`); !strings.Contains(fmt.Sprint(a),
		"passed:true") || len(m.phones[0].Taps()) != 1 {
		t.Error(a)
	}
	if a := f.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`); a.status != 409 {
		t.Errorf("while a connection holds it: %s", a)
	}
	if a := f.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`, "X-Lease", lease); a.status != 200 {
		t.Error(a)
	}
	_ = conn.CloseNow()
	eventually(t, "the device is free when the client is gone",
		func() bool { return f.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`).status == 200 })
	if a := f.sendApp("SIM1", "app.apk", "PK\x03\x04\npackage=com.example.sent\n"+
		strings.Repeat("x", 3<<20)); a.status != 200 {
		t.Error(a)
	}
	if a := f.ask("GET", "/devices/SIM1/apps", nil); !strings.Contains(string(a.body), "com.example.sent") {
		t.Error(a)
	}
	content := bytes.Repeat([]byte("0123456789\x00\xff\r\n"), 100_000)
	if err := m.phones[0].WriteFile("/sdcard/Download/a ü.pdf", content); err != nil {
		t.Fatal(err)
	}
	if a := f.ask("GET", "/devices/SIM1/file?path=/sdcard/Download/a%20%C3%BC.pdf", nil); a.status != 200 ||
		!bytes.Equal(a.body, content) {
		t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
	next()
	m.stop()
	res, err := f.client.Do(f.request("GET", "/devices/SIM1/live", nil))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 502 {
		t.Errorf("a film of a host that has gone: %d", res.StatusCode)
	}
}

// TestTapThroughTheHub compares the duration of a tap through the hub with one on this machine, alternately.
func TestTapThroughTheHub(t *testing.T) {
	f := newFarm(t, 1, quiet)
	f.join("one", androidsim.Tiny, androidsim.Tiny)
	eventually(t, "it is there", func() bool { return f.ask("GET", "/devices/SIM2", nil).status == 200 })
	n := 20
	if !testing.Short() {
		n = 200
	}
	took := map[string]time.Duration{}
	for i := range n {
		for _, id := range []string{"SIM1", "SIM2"} {
			began := time.Now()
			if a := f.ask("POST", "/devices/"+id+"/tap", fmt.Sprintf(`{"point": "%d%%,50%%"}`, 10+i%80)); a.status != 200 {
				t.Fatal(a)
			}
			took[id] += time.Since(began)
		}
	}
	near, far := took["SIM1"]/time.Duration(n), took["SIM2"]/time.Duration(n)
	t.Logf("a tap takes %s here and %s through the hub: %.2f times", near, far, float64(far)/float64(near))
}
