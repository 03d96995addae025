package remote

import (
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// A session that is wanted waits for a place. When none becomes free, the error names the processes that have them.
func TestNoFreeSession(t *testing.T) {
	t.Parallel()
	for name, frees := range map[string]bool{"one becomes free": true, "none becomes free": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				server := Server{Name: "grid", URL: "http://127.0.0.1:1", Sessions: 1, Folder: folder}
				other, err := takeSlot(server, 0)
				if err != nil || other == nil {
					t.Fatal(other, err)
				}
				since := time.Now()
				err = other.write(record{URL: server.URL, Remote: "grid", Session: "s1", Since: since.UTC(), Process: 4711})
				if err != nil {
					t.Fatal(err)
				}
				free := func() {
					other.forget()
					other.release()
				}
				s, err := New(server)
				if err != nil {
					t.Fatal(err)
				}
				if frees {
					time.AfterFunc(lendLimit/2, free)
				} else {
					defer free()
				}
				place, err := s.acquire(t.Context())
				waited := time.Since(since)
				if frees {
					if err != nil || waited < lendLimit/2 || waited > lendLimit/2+lendEvery {
						t.Fatalf("after %s: %v", waited, err)
					}
					place.release()
					return
				}
				want := "the remote grid has 1 session from this machine already, in use by process 4711 since " +
					since.Local().Format(time.TimeOnly) + " (sessions under remotes)"
				if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), want) || waited != lendLimit {
					t.Errorf("after %s: %v", waited, err)
				}
			})
		})
	}
}

// A hub that is restarted knows no session of before. While it is away, the error names it; afterwards the session is
// reported as lost, its record goes, and the next session is a new one.
func TestHubIsRestarted(t *testing.T) {
	t.Parallel()
	h, folder := newHub(t), t.TempDir()
	s := h.sessions(t, folder, 1)
	lease := take(t, s)
	address := h.Listener.Addr().String()
	h.Close()
	err := s.Explain(lease.KeepAlive(t.Context()))
	if !webdriver.Lost(err) || !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "the remote grid") || !strings.Contains(err.Error(), address) {
		t.Errorf("away: %v", err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	again := httptest.NewUnstartedServer(h)
	_ = again.Listener.Close()
	again.Listener = listener
	h.set(func() { h.open = map[string]bool{} })
	again.Start()
	t.Cleanup(again.Close)
	err = s.Explain(lease.KeepAlive(t.Context()))
	if !errors.Is(err, drivers.ErrDeviceLost) || webdriver.Lost(err) ||
		!strings.Contains(err.Error(), "the remote grid has ended the session, or has lost it") {
		t.Errorf("restarted: %v", err)
	}
	if err := lease.End(); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(files) != 0 {
		text, _ := os.ReadFile(files[0])
		t.Errorf("a record is left: %s", text)
	}
	if next := take(t, s); next.ID == lease.ID || h.left() != 1 {
		t.Errorf("%s after %s, %d open", next.ID, lease.ID, h.left())
	} else if err := next.End(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil || h.left() != 0 {
		t.Errorf("%v, %d open", err, h.left())
	}
}
