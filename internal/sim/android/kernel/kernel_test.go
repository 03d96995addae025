package kernel

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestFiles: the names of the shared storage lead to one folder, and the shell writes only where it may.
func TestFiles(t *testing.T) {
	t.Parallel()
	files := New().Files
	for name, want := range map[string]string{
		"/storage/emulated/0/Download/a": "/sdcard/Download/a", "/mnt/sdcard": "/sdcard", "../x": "/x", "b": "/data/b",
	} {
		if got := Resolve("/data", name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	if err := files.Write("/sdcard/a", []byte("one"), 0o660); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		do   func() error
		want error
	}{
		{func() error { return files.Write("/system/a", nil, 0o660) }, errReadOnly},
		{func() error { return files.Write("/data/a", nil, 0o660) }, fs.ErrPermission},
		{func() error { return files.Write("/sdcard/a/b", nil, 0o660) }, ErrNotDir},
		{func() error { return files.Mkdir("/sdcard/x/y", false) }, fs.ErrNotExist},
		{func() error { return files.Mkdir("/sdcard/x/y", true) }, nil},
		{func() error { return files.Remove("/sdcard/x", false) }, errIsDir},
		{func() error { return files.Remove("/sdcard/x", true) }, nil},
		{func() error { _, err := files.Read("/sdcard/x/y"); return err }, fs.ErrNotExist},
		{func() error { files.Fill(true); return files.Write("/sdcard/a", []byte("two"), 0o660) }, errFull},
	} {
		if err := c.do(); !errors.Is(err, c.want) {
			t.Errorf("%v, not %v", err, c.want)
		}
	}
	if data, err := files.Read("/sdcard/a"); err != nil || len(data) > 0 {
		t.Errorf("a full storage keeps %q, %v", data, err)
	}
}

// TestProcesses: a signal for a background job that has not started yet reaches it when it does.
func TestProcesses(t *testing.T) {
	t.Parallel()
	procs := New().Procs
	pid := procs.PID()
	procs.Fork(strconv.Itoa(pid), 1)
	if p, ok := procs.Get(pid); !ok || p.Name != "sh" {
		t.Fatalf("%+v %v", p, ok)
	} else {
		p.Kill(SigTERM)
	}
	got := 0
	procs.Add(&Process{PID: pid, Name: "sleep", Kill: func(sig int) { got = sig }})
	if got != SigTERM {
		t.Errorf("it got signal %d", got)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(Killed(SigHUP))
	if s := SignalOf(ctx); s != SigHUP {
		t.Errorf("signal %d", s)
	}
}

// TestLog: a reader continues where it has stopped, also when lines have been cleared meanwhile.
func TestLog(t *testing.T) {
	t.Parallel()
	k := New()
	_, place, changed := k.Log.From(0)
	k.Logf('W', "Shop", "two\nlines")
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Fatal("a reader is not woken")
	}
	lines, next, _ := k.Log.From(place)
	if len(lines) != 2 || lines[1].Text != "lines" || next != place+2 {
		t.Errorf("%+v", lines)
	}
	if text := k.Log.Text(); !strings.Contains(text, " W Shop    : two\n") {
		t.Errorf("%s", text)
	}
	k.Log.Clear()
	k.Logf('I', "Shop", "three")
	if lines, _, _ := k.Log.From(place); len(lines) != 1 || lines[0].Text != "three" {
		t.Errorf("after clear: %+v", lines)
	}
}

// TestCable: what is attached drops with the state, and watchers get a notice.
func TestCable(t *testing.T) {
	t.Parallel()
	c := NewCable(StateDevice)
	changed, stop := c.Watch()
	defer stop()
	a, b := net.Pipe()
	defer b.Close()
	_, state, detach := c.Attach(a)
	defer detach()
	if state != StateDevice {
		t.Errorf("attached while %s", state)
	}
	c.Disconnect()
	if _, err := b.Read(make([]byte, 1)); err == nil || c.State() != StateAbsent {
		t.Errorf("%v, %s", err, c.State())
	}
	<-changed
	c.Reconnect()
	if c.State() != StateDevice {
		t.Errorf("plugged in, it is %s", c.State())
	}
}
