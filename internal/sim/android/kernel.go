package androidsim

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// kernel is what a phone has below Android: its processes, files, log, and the goroutines that work for it.
type kernel struct {
	ctx    context.Context // ends when the phone is closed
	cancel context.CancelFunc
	boot   time.Time

	work  workers
	files *fileSystem
	log   *logRing
	procs *processTable
	busy  busyTime
}

func newKernel() *kernel {
	k := &kernel{boot: time.Now(), files: newFileSystem(), procs: newProcessTable()}
	k.log = newLogRing(k.boot)
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

// logf writes a line to the log, as an app would.
func (k *kernel) logf(priority byte, tag, format string, args ...any) {
	k.log.write(logLine{pid: 1000, tid: 1000, pri: priority, tag: tag, text: fmt.Sprintf(format, args...)})
}

// uptime is how long the phone has run, in milliseconds.
func (k *kernel) uptime() int64 { return time.Since(k.boot).Milliseconds() + 600000 }

// workers counts goroutines and commands; after end nothing new starts.
type workers struct {
	mu    sync.Mutex
	ended bool
	group sync.WaitGroup
}

// enter reports whether one more may run; if so, done must be called after it.
func (w *workers) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return false
	}
	w.group.Add(1)
	return true
}

func (w *workers) done() { w.group.Done() }

// run reports whether it has started.
func (w *workers) run(f func()) bool {
	if !w.enter() {
		return false
	}
	go func() {
		defer w.done()
		f()
	}()
	return true
}

func (w *workers) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.group.Wait()
}

// pause waits unless the time is zero; it reports whether the wait was whole.
func pause(ctx context.Context, d time.Duration) bool {
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

// work counts one thing that the phone does, until the function that it returns is called.
func (b *busyTime) work() (done func()) {
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

// sum is the time so far.
func (b *busyTime) sum() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.services > 0 {
		return b.total + time.Since(b.since)
	}
	return b.total
}
