package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// waitingBuffer lets a test wait for what a command writes.
type waitingBuffer struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	more chan struct{}
}

func newWaitingBuffer() *waitingBuffer { return &waitingBuffer{more: make(chan struct{}, 1)} }

func (b *waitingBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.more <- struct{}{}:
	default:
	}
	return b.buf.Write(p)
}

func (b *waitingBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *waitingBuffer) wait(t *testing.T, want string) {
	t.Helper()
	over := time.After(limit)
	for {
		text := b.text()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-b.more:
		case <-over:
			t.Fatalf("never written: %s\n%s", want, text)
		}
	}
}

// TestDevicesWatch checks that added and removed devices are printed until the command is stopped, and exits with 0.
func TestDevicesWatch(t *testing.T) {
	t.Parallel()
	server, phones := androidsim.Start(t, slices.Repeat([]androidsim.Options{androidsim.Tiny}, 2)...)
	phones[1].Disconnect()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := newWaitingBuffer()
	env := &process.Env{Args: []string{"devices", "--watch", "--json"}, Stdin: strings.NewReader(""), Stdout: out,
		Stderr: io.Discard, Dir: t.TempDir(),
		Getenv: func(string) string { return "" }, Environ: []string{"ADB_SERVER_SOCKET=tcp:" + server.Addr()}}
	code := make(chan int, 1)
	go func() { code <- cli.Run(ctx, env) }()
	for _, step := range []struct {
		want string
		then func()
	}{
		{`{"event":"added","device":{"id":"SIM1"`, phones[1].Reconnect},
		{`{"event":"added","device":{"id":"SIM2"`, func() { phones[0].SetState(androidsim.StateUnauthorized) }},
		{`{"event":"changed","device":{"id":"SIM1","platform":"android","state":"unauthorized"`, phones[1].Disconnect},
		{`{"event":"removed","device":{"id":"SIM2"`, cancel},
	} {
		out.wait(t, step.want)
		step.then()
	}
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestDevicesWatchOnAMacWithoutADB checks that an error of one platform is printed, and the others are still watched.
func TestDevicesWatchOnAMacWithoutADB(t *testing.T) {
	const list = `{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-26-0":[{"udid":"5A1F3D0E","state":"Booting",` +
		`"isAvailable":true,"name":"iPhone 17"}]}}`
	bin := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in\n*simctl*list*) echo '" + list +
		"' ;;\n*) echo 'xcrun: error: unable to find utility \"devicectl\"' >&2; exit 72 ;;\nesac\n"
	if err := os.WriteFile(filepath.Join(bin, "xcrun"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	// parallel only from here on: a program that is written while another test starts a process may be held open by that
	// process, and then it cannot be started
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errs := newWaitingBuffer(), newWaitingBuffer()
	env := &process.Env{Args: []string{"devices", "--watch"}, Stdin: strings.NewReader(""), Stdout: out, Stderr: errs,
		Dir:    t.TempDir(),
		Getenv: func(string) string { return "" }, Environ: []string{"PATH=" + bin, "HOME=" + bin,
			"ADB_SERVER_SOCKET=tcp:127.0.0.1:1"}}
	code := make(chan int, 1)
	go func() { code <- cli.Run(ctx, env) }()
	out.wait(t, "added    5A1F3D0E  booting")
	errs.wait(t, "android: ")
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
}
