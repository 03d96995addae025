// Package kernel is what a simulated phone has below Android: files, processes, the log, and the cable to adb.
package kernel

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Kernel is what a phone has below Android: its processes, files, log, and the goroutines that work for it.
type Kernel struct {
	Ctx    context.Context // ends when the phone is closed
	Cancel context.CancelFunc
	boot   time.Time

	Work  workers
	Files *fileSystem
	Log   *logRing
	Procs *processTable
	Busy  busyTime
}

// New returns a kernel that has just booted.
func New() *Kernel {
	k := &Kernel{boot: time.Now(), Files: newFileSystem(), Procs: newProcessTable()}
	k.Log = newLogRing(k.boot)
	k.Ctx, k.Cancel = context.WithCancel(context.Background())
	return k
}

// Logf writes a line to the log, as an app would.
func (k *Kernel) Logf(priority byte, tag, format string, args ...any) {
	k.Log.Write(LogLine{PID: 1000, Tid: 1000, Pri: priority, Tag: tag, Text: fmt.Sprintf(format, args...)})
}

// Uptime is how long the phone has run, in milliseconds.
func (k *Kernel) Uptime() int64 { return time.Since(k.boot).Milliseconds() + 600000 }

// workers counts goroutines and commands; after end nothing new starts.
type workers struct {
	mu    sync.Mutex
	ended bool
	group sync.WaitGroup
}

// Enter reports whether one more may run; if so, done must be called after it.
func (w *workers) Enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return false
	}
	w.group.Add(1)
	return true
}

func (w *workers) Done() { w.group.Done() }

// Run reports whether it has started.
func (w *workers) Run(f func()) bool {
	if !w.Enter() {
		return false
	}
	go func() {
		defer w.Done()
		f()
	}()
	return true
}

func (w *workers) End() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.group.Wait()
}

// Pause waits unless the time is zero; it reports whether the wait was whole.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// busyTime adds up the times in which at least one service is at work.
type busyTime struct {
	mu       sync.Mutex
	services int
	since    time.Time
	total    time.Duration
}

// Work counts one thing that the phone does, until the function that it returns is called.
func (b *busyTime) Work() (done func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.services++; b.services == 1 {
		b.since = time.Now()
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.services--; b.services == 0 {
			b.total += time.Since(b.since)
		}
	}
}

// Sum is the time so far.
func (b *busyTime) Sum() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.services > 0 {
		return b.total + time.Since(b.since)
	}
	return b.total
}
