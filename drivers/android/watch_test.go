package android

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// states writes a list in one line.
func states(infos []drivers.Info) string {
	var b strings.Builder
	for _, i := range infos {
		fmt.Fprintf(&b, "%s=%s ", i.ID, i.State)
	}
	return strings.TrimSpace(b.String())
}

// watching starts a watch and returns what it sees.
func watching(t *testing.T, driver *Driver) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	lists, done := make(chan string, 100), make(chan error, 1)
	go func() { done <- driver.Watch(ctx, func(infos []drivers.Info) { lists <- states(infos) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watch: %v", err)
		}
	})
	return lists
}

// sees waits until a watch has seen a list; lists on the way to it do not count.
func sees(t *testing.T, lists <-chan string, want string) {
	t.Helper()
	limit := time.After(time.Minute)
	last := "nothing"
	for {
		select {
		case last = <-lists:
			if last == want {
				return
			}
		case <-limit:
			t.Fatalf("last seen: %s; never: %s", last, want)
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{Serial: "A"}, androidsim.Options{Serial: "B"})
	phones[1].Disconnect()
	lists := watching(t, driver)
	sees(t, lists, "A=device")
	phones[1].Reconnect()
	sees(t, lists, "A=device B=device")
	phones[0].SetState(androidsim.StateUnauthorized)
	sees(t, lists, "A=unauthorized B=device")
	phones[1].Disconnect()
	sees(t, lists, "A=unauthorized")
}

// TestWatchThroughRealADB: also when the adb server itself is killed, which brings the phones back in the end.
func TestWatchThroughRealADB(t *testing.T) {
	t.Parallel()
	adb := androidsim.StartADB(t)
	driver := New(Options{Getenv: portEnv(adb.Port), FindADB: serverAt("").FindADB, NotesDir: t.TempDir()})
	t.Cleanup(func() { _ = driver.Close() })
	lists := watching(t, driver)
	sees(t, lists, "")
	phone := androidsim.NewPhone(androidsim.Options{})
	t.Cleanup(phone.Close)
	serial := adb.Connect(t, phone)
	sees(t, lists, serial+"=device")
	phone.Close()
	if said, err := adb.Command(t.Context(), "disconnect", serial).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	sees(t, lists, "")
}

func TestWatchWithoutADB(t *testing.T) {
	t.Parallel()
	driver := New(serverAt(closedAddress))
	if err := driver.Watch(t.Context(), func([]drivers.Info) { t.Error("a list") }); err == nil {
		t.Error("no error")
	}
}
