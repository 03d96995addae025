package drivertest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
)

// recordings: a recording has at least one part, in the folder that was given, with something in it.
func (s Subject[T]) recordings(t T) {
	dev := s.device(t)
	recorder, ok := dev.(drivers.Recorder)
	if !ok {
		t.Log("the device does not claim to record")
		return
	}
	dir := t.TempDir()
	film, err := recorder.StartRecording(t.Context(), dir)
	if errors.Is(err, drivers.ErrUnsupported) {
		t.Log("this one of the driver's devices cannot be recorded")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Login(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	s.wait(t, dev, "Sign in", true)
	clips, err := film.Stop(t.Context())
	if err != nil || len(clips) == 0 {
		t.Fatalf("%d clips, %v", len(clips), err)
	}
	for _, c := range clips {
		info, err := os.Stat(c.Path)
		if err != nil || info.Size() == 0 {
			t.Errorf("clip %s: %v, %v", c.Path, info, err)
		}
		if rel, err := filepath.Rel(dir, c.Path); err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("clip %s is not in %s", c.Path, dir)
		}
		if c.Start.IsZero() {
			t.Errorf("clip %s does not say when it started", c.Path)
		}
	}
}

// logs: the log starts, ends, and writes nothing once it has ended.
func (s Subject[T]) logs(t T) {
	dev := s.device(t)
	logger, ok := dev.(drivers.Logger)
	if !ok {
		t.Log("the device does not claim to have a log")
		return
	}
	var w guarded
	stop, err := logger.StartLog(t.Context(), &w)
	if errors.Is(err, drivers.ErrUnsupported) {
		t.Log("this one of the driver's devices has none")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Login(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	s.wait(t, dev, "Sign in", true)
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	size := w.len()
	if err := dev.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if w.len() != size {
		t.Error("the log continued after it was stopped")
	}
}

// guarded is a buffer that is written and read at once.
type guarded struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (g *guarded) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.buf.Write(p)
}

func (g *guarded) len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.buf.Len()
}

func (s Subject[T]) noApp(t T) {
	dev := s.device(t)
	var err error
	switch d := dev.(type) {
	case drivers.Apps:
		err = d.Launch(t.Context(), "com.example.nosuchapp", false)
	case drivers.Browser:
		err = d.OpenPage(t.Context(), "http://127.0.0.1:9/", drivers.PageOptions{Timeout: s.Patience})
	default:
		t.Fatal("the device has neither apps nor pages")
	}
	if err == nil || !drivers.AppIsWrong(err) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v does not blame the app", err)
	}
}
