package truth_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

// cable is on the way to an adb server. Of the connections through it, some end early.
type cable struct {
	net.Listener
	target string
	rate   float64

	mu  sync.Mutex
	r   *rand.Rand
	cut []string
}

func newCable(t *testing.T, target string, seed uint64, rate float64) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, target: target, r: rand.New(rand.NewPCG(seed, 66)), rate: rate}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.carry(conn)
		}
	}()
	return c
}

// carry copies a connection both ways, up to a number of bytes from one of its ends where it is one to be cut.
func (c *cable) carry(client net.Conn) {
	defer client.Close()
	up, down := int64(1)<<60, int64(1)<<60
	c.mu.Lock()
	if c.r.Float64() < c.rate {
		end := &down
		if c.r.IntN(3) == 0 {
			end = &up
		}
		*end = []int64{0, 1, 4, 9, 60, 500, 4000, 60000}[c.r.IntN(8)]
		c.cut = append(c.cut, fmt.Sprintf("up to %d, down to %d bytes", up, down))
	}
	c.mu.Unlock()
	server, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer server.Close()
	done := make(chan struct{}, 2)
	carry := func(to, from net.Conn, limit int64) {
		_, _ = io.CopyN(to, from, limit)
		if tcp, is := to.(*net.TCPConn); is && limit == 1<<60 {
			_ = tcp.CloseWrite()
		} else {
			_ = to.Close()
		}
		done <- struct{}{}
	}
	go carry(server, client, up)
	go carry(client, server, down)
	<-done
	<-done
}

func (c *cable) faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.cut)
}

func (c *cable) left() []string { return nil }

// cartOn installs the app with the cart on a phone.
func cartOn(phone *androidsim.Phone, c *cart) {
	s, name := &stage{phone: phone}, androidsim.NewEntry("", false)
	press := func(label string, n int, do func()) part {
		p := s.press(label, at(n))
		p.Tapped = func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			do()
		}
		return p
	}
	phone.InstallScene(scenePackage, "Cart", func(androidsim.Moment) androidsim.Shown {
		c.mu.Lock()
		defer c.mu.Unlock()
		all := []part{label(fmt.Sprintf("Items: %d", c.items), at(0)), press("Add", 1, c.add),
			{Class: "android.widget.EditText", ID: scenePackage + ":id/name", Hint: "Name", Entry: name, Clickable: true,
				Bounds: at(2)},
			press("Save", 3, func() { c.save(name.Text()) })}
		if c.saved != "" {
			all = append(all, label("Saved "+c.saved, at(4)))
		}
		return page(all...)
	})
	phone.Unlock()
}

func cartPhone(seed uint64) *androidsim.Phone {
	return androidsim.NewPhone(androidsim.Options{Serial: fmt.Sprintf("FAULT%d", seed), API: 34, Width: trapSize,
		Height: 2 * trapSize, Density: 160})
}

const launchCart = "launch: {package: " + scenePackage + ", force: true}"

// adbWithFaults runs the test on an Android phone by adb, over connections of which some end early.
func adbWithFaults(t *testing.T, agent bool, seed uint64) event.Result {
	phone := cartPhone(seed)
	defer phone.Close()
	server, err := androidsim.NewServer(phone)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	way := newCable(t, server.Addr(), seed, rateOf(seed))
	f := newFaulty(seed, way)
	cartOn(phone, f.subject)
	e := example{agent: agent}
	environ := e.environ(t, server)
	driver := android.New(android.Options{NotesDir: t.TempDir(), FindADB: androidsim.NoADB,
		Getenv: func(name string) string {
			if name == "ADB_SERVER_SOCKET" {
				return "tcp:" + way.Addr().String()
			}
			return environ(name)
		}})
	return f.run(t, dsl.Android, launchCart, fmt.Sprintf("FAULT%d", seed), driver)
}

// appiumWithFaults runs the test on an Android phone behind the Appium server of its makers.
func appiumWithFaults(t *testing.T, lab *appiumLab, server http.Handler, seed uint64) event.Result {
	phone := cartPhone(seed)
	defer phone.Close()
	way := newSpoiler(server, seed, rateOf(seed))
	f := newFaulty(seed, way)
	hub := httptest.NewServer(way)
	defer hub.Close()
	cartOn(phone, f.subject)
	driver, id, err := (&appiumLab{Server: &appiumtest.Server{URL: hub.URL}, adb: lab.adb}).driver(t, phone)
	if err != nil {
		t.Fatal(err)
	}
	return f.run(t, dsl.Android, launchCart, id, driver)
}
