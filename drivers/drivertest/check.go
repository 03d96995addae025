package drivertest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Result is what came of one part.
type Result struct {
	Part     string        `json:"part"`
	Failures []string      `json:"failures,omitempty"`
	Lacks    string        `json:"lacks,omitempty"` // why there was nothing to check
	Notes    []string      `json:"notes,omitempty"` // what was found out
	Took     time.Duration `json:"took_ns"`
}

// Check runs the suite outside of go test.
type Check struct {
	ctx   context.Context
	done  func(Result)
	mu    sync.Mutex
	says  Result
	after []func()
}

// NewCheck runs parts and passes their results to done, one after the other. After ctx ended no more parts start.
func NewCheck(ctx context.Context, done func(Result)) *Check { return &Check{ctx: ctx, done: done} }

// Run runs one part; a part that panics has failed.
func (c *Check) Run(name string, part func(*Check)) bool {
	if c.ctx.Err() != nil {
		return false
	}
	ctx, cancel := context.WithCancel(c.ctx)
	child := &Check{ctx: ctx, says: Result{Part: name}}
	began := time.Now()
	ended := make(chan struct{})
	go func() { // of its own, for Fatal ends it
		defer close(ended)
		defer child.clean(cancel)
		defer child.caught()
		part(child)
	}()
	<-ended
	child.says.Took = time.Since(began)
	if len(child.says.Failures) > 0 {
		c.fail("in " + name)
	}
	c.done(child.says)
	return len(child.says.Failures) == 0
}

// caught makes a failure of a panic.
func (c *Check) caught() {
	if p := recover(); p != nil {
		c.fail(fmt.Sprintf("it panicked: %v", p))
	}
}

func (c *Check) clean(cancel func()) {
	defer c.caught()
	cancel()
	for {
		c.mu.Lock()
		n := len(c.after)
		if n == 0 {
			c.mu.Unlock()
			return
		}
		last := c.after[n-1]
		c.after = c.after[:n-1]
		c.mu.Unlock()
		last()
	}
}

func (c *Check) fail(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.says.Failures = append(c.says.Failures, text)
}

// Helper marks nothing: a Check has no lines.
func (c *Check) Helper() {}

// Context ends before what Cleanup was given is called.
func (c *Check) Context() context.Context { return c.ctx }

// Cleanup calls f when the part has ended, the last one first.
func (c *Check) Cleanup(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.after = append(c.after, f)
}

// TempDir is a folder that goes with the part.
func (c *Check) TempDir() string {
	dir, err := os.MkdirTemp("", "taproot-check-")
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Failed reports whether the part has failed so far.
func (c *Check) Failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.says.Failures) > 0
}

// Log says why there is nothing to check.
func (c *Check) Log(args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.says.Lacks = strings.TrimSpace(fmt.Sprintln(args...))
}

// Logf notes what was found out.
func (c *Check) Logf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.says.Notes = append(c.says.Notes, fmt.Sprintf(format, args...))
}

// Error says what is wrong; the part continues.
func (c *Check) Error(args ...any) { c.fail(strings.TrimSpace(fmt.Sprintln(args...))) }

// Errorf is Error with a format.
func (c *Check) Errorf(format string, args ...any) { c.fail(fmt.Sprintf(format, args...)) }

// Fatal says what is wrong and ends the part.
func (c *Check) Fatal(args ...any) {
	c.Error(args...)
	runtime.Goexit()
}

// Fatalf is Fatal with a format.
func (c *Check) Fatalf(format string, args ...any) {
	c.Errorf(format, args...)
	runtime.Goexit()
}

var _ runner[*Check] = (*Check)(nil)
