package appium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/watch"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// maxLog caps what is kept of the log for the search for crashes.
const maxLog = 8 << 20

// Log is the system log of a phone. The server keeps it, and returns each line once: it is fetched when an app is
// launched, when something is not found, and at the end, not all the time.
type Log struct {
	*Session

	mu      sync.Mutex
	to      io.Writer // that the log is copied to; nil: nowhere
	cut     error     // why lines are missing
	pkg     string    // of the app that was launched last
	since   strings.Builder
	missing error          // why there is no log
	earlier *drivers.Crash // of an app that was launched again since
}

// fetch takes the lines that have come. The lock is held.
func (l *Log) fetch(ctx context.Context) error {
	if l.missing != nil {
		return l.missing
	}
	var lines []webdriver.LogLine
	err := l.Do(ctx, "read the log", func(ctx context.Context) (err error) {
		lines, err = l.Lease.Log(ctx, "logcat", readLimit)
		return err
	})
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod, webdriver.Unsupported,
		webdriver.InvalidArgument) {
		l.missing = fmt.Errorf("device %s: %w: the server has no log of the phone: %w", l.Device, drivers.ErrUnsupported,
			err)
		return l.missing
	}
	if err != nil {
		if webdriver.MayHaveHappened(err) {
			l.cut = err // the server returns no line twice
		}
		return err
	}
	for _, line := range lines {
		text := strings.TrimRight(line.Message, "\r\n") + "\n"
		if l.pkg != "" && l.since.Len() < maxLog {
			l.since.WriteString(text)
		}
		if l.to != nil {
			if _, err := io.WriteString(l.to, text); err != nil {
				return fmt.Errorf("write the log: %w", err)
			}
		}
	}
	return nil
}

// launched notes that an app is launched now: what comes in the log from here on may be its crash.
func (l *Log) launched(ctx context.Context, pkg string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.fetch(ctx)
	if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
		return err
	}
	if crash := watch.FindCrash(l.since.String(), l.pkg); crash != nil && l.pkg != "" && l.earlier == nil {
		l.earlier = crash
	}
	l.pkg, l.cut = pkg, nil
	l.since.Reset()
	return nil
}

func (l *Log) forget(pkg string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pkg == pkg {
		l.pkg = ""
		l.since.Reset()
	}
}

func (l *Log) app() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pkg
}

// Crashed returns the first crash of the app that was launched last, by the log since then, or one of an app that was
// launched before.
func (l *Log) Crashed(ctx context.Context) (*drivers.Crash, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pkg == "" {
		return l.earlier, nil
	}
	err := l.fetch(ctx)
	if crash := watch.FindCrash(l.since.String(), l.pkg); crash != nil {
		return crash, nil
	}
	if l.earlier != nil {
		return l.earlier, nil
	}
	return nil, errors.Join(err, l.cut)
}

// StartLog copies the log to a writer, from now on, when it is fetched, and once more at the end.
func (l *Log) StartLog(ctx context.Context, to io.Writer) (stop func() error, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fetch(ctx); err != nil { // what is before
		return nil, err
	}
	l.to = to
	return sync.OnceValue(func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		err := l.fetch(l.Life)
		l.to = nil
		return err
	}), nil
}

// LogCut says why lines of the log are missing.
func (l *Log) LogCut() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", drivers.ErrNotReady, l.cut)
}

func (l *Log) read(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fetch(ctx)
}
