package androidsim

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"image"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// until polls a condition; a test that waits in vain fails with what it waited for.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-end:
			t.Fatalf("still waiting: %s", what)
		case <-tick.C:
		}
	}
}

// wireText is a request to an adb server: its length in four hexadecimal digits, then itself.
func wireText(s string) string { return fmt.Sprintf("%04x%s", len(s), s) }

// readWireText reads a text that an adb server sends.
func readWireText(r io.Reader) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil {
		return "", err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return string(body), err
}

// The packets of the shell protocol.
const (
	packetStdout     = 1
	packetStderr     = 2
	packetExit       = 3
	packetCloseStdin = 4
)

// center finds the middle of the node with a text in a dump.
func center(t *testing.T, dump, text string) (x, y string) {
	t.Helper()
	m := regexp.MustCompile(`text="` + regexp.QuoteMeta(text) +
		`"[^>]*bounds="\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]"`).FindStringSubmatch(dump)
	if m == nil {
		t.Fatalf("no node %q in %s", text, dump)
	}
	var n [4]int
	for i := range n {
		if _, err := fmt.Sscan(m[i+1], &n[i]); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprint((n[0] + n[2]) / 2), fmt.Sprint((n[1] + n[3]) / 2)
}

// bench is a phone behind the server of this package.
type bench struct {
	t      *testing.T
	phone  *Phone
	server *Server
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	p := NewPhone(o)
	t.Cleanup(p.Close)
	s, err := NewServer(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &bench{t: t, phone: p, server: s}
}

// ask sends one host request and returns the connection and FAIL's message, if any.
func ask(t *testing.T, s *Server, requests ...string) (net.Conn, string) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, req := range requests {
		fmt.Fprint(conn, wireText(req))
		var status [4]byte
		if _, err := io.ReadFull(conn, status[:]); err != nil {
			return conn, "closed: " + err.Error()
		}
		if string(status[:]) == "FAIL" {
			text, _ := readWireText(conn)
			return conn, text
		}
		if strings.HasPrefix(req, "host:tport:") {
			if _, err := io.ReadFull(conn, make([]byte, 8)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return conn, ""
}

func (b *bench) open(service string) net.Conn {
	b.t.Helper()
	conn, problem := ask(b.t, b.server, "host:tport:serial:"+b.phone.Serial(), service)
	if problem != "" {
		b.t.Fatalf("%s: %s", service, problem)
	}
	return conn
}

type result struct {
	out, err string
	code     int // -1: no exit packet came
}

// sh runs a script through shell v2.
func (b *bench) sh(script string) result {
	b.t.Helper()
	conn := b.open("shell,v2,raw:" + script)
	if _, err := conn.Write([]byte{packetCloseStdin, 0, 0, 0, 0}); err != nil {
		b.t.Fatal(err)
	}
	return readV2(conn)
}

func readV2(r io.Reader) result {
	res := result{code: -1}
	for {
		var head [5]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return res
		}
		body := make([]byte, min(binary.LittleEndian.Uint32(head[1:]), 1<<20))
		if _, err := io.ReadFull(r, body); err != nil {
			return res
		}
		switch head[0] {
		case packetStdout:
			res.out += string(body)
		case packetStderr:
			res.err += string(body)
		case packetExit:
			res.code = int(body[0])
		}
	}
}

// exec runs a script through exec: and returns all that came.
func (b *bench) exec(script string) []byte {
	b.t.Helper()
	data, _ := io.ReadAll(b.open("exec:" + script))
	return data
}

// node is a node of a dump.
type node struct {
	Class  string `xml:"class,attr"`
	Text   string `xml:"text,attr"`
	ID     string `xml:"resource-id,attr"`
	Desc   string `xml:"content-desc,attr"`
	Bounds string `xml:"bounds,attr"`
	Nodes  []node `xml:"node"`
}

func parseDump(t *testing.T, text string) []node {
	t.Helper()
	var h struct {
		Nodes []node `xml:"node"`
	}
	if err := xml.Unmarshal([]byte(text), &h); err != nil {
		t.Fatalf("dump is no XML: %v\n%s", err, text)
	}
	var all []node
	var walk func([]node)
	walk = func(list []node) {
		for _, n := range list {
			all = append(all, n)
			walk(n.Nodes)
		}
	}
	walk(h.Nodes)
	return all
}

// texts are the texts on the screen.
func (b *bench) texts() []string {
	var out []string
	for _, n := range parseDump(b.t, b.phone.Tree()) {
		if n.Text != "" {
			out = append(out, n.Text)
		}
	}
	return out
}

// tap taps the nth node with a text.
func (b *bench) tap(text string, nth int) {
	b.t.Helper()
	for _, n := range parseDump(b.t, b.phone.Tree()) {
		if n.Text != text && n.Desc != text {
			continue
		}
		if nth > 0 {
			nth--
			continue
		}
		r := rectOf(b.t, n.Bounds)
		at := r.Min.Add(r.Size().Div(2))
		if res := b.sh(fmt.Sprintf("input tap %d %d", at.X, at.Y)); res.code != 0 {
			b.t.Fatalf("tap %s: %+v", text, res)
		}
		return
	}
	b.t.Fatalf("no %q among %q", text, b.texts())
}

func rectOf(t *testing.T, s string) image.Rectangle {
	t.Helper()
	var r image.Rectangle
	if _, err := fmt.Sscanf(s, "[%d,%d][%d,%d]", &r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y); err != nil {
		t.Fatalf("bounds %q: %v", s, err)
	}
	return r
}

func (b *bench) sees(text string) bool {
	for _, s := range b.texts() {
		if s == text {
			return true
		}
	}
	return false
}

func (b *bench) wait(text string) {
	b.t.Helper()
	until(b.t, text, func() bool { return b.sees(text) })
}

func (b *bench) start(component string) {
	b.t.Helper()
	if res := b.sh("am start -n " + component); res.code != 0 || res.err != "" {
		b.t.Fatalf("am start %s: %+v", component, res)
	}
}

func isPNG(data []byte) bool { return bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) }

// chromium shows the pages of this package's WebViews.
var chromium chromiumtest.DevTools

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(testutil.CheckLeaks(code))
}
