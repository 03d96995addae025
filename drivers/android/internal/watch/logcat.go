package watch

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	logFlush = 10 * time.Second // for the last lines to arrive
	logQuiet = 200 * time.Millisecond
	logAgain = 5 // times that a log which was cut is started again
	LogTag   = "Taproot"
	lineMax  = 64 << 10
)

// DeviceDate returns the phone's own time in the form that logcat's -T takes.
const DeviceDate = "date '+%m-%d %H:%M:%S.%N'"

var deviceTime = lazyregexp.New(`^(\d\d-\d\d \d\d:\d\d:\d\d)\.(\d{3})?`)

// StartLog copies logcat, all lines from now on by the phone's own clock. It continues until stop is called or the
// device is closed, whatever becomes of ctx. stop writes a line of its own into the phone's log and waits until that
// comes back, so that everything before it is there; the line itself is left out.
func (w *Watcher) StartLog(ctx context.Context, to io.Writer) (stop func() error, err error) {
	o, err := w.Phone.Run(ctx, adb.Command{Name: "date", ReadOnly: true, Line: DeviceDate})
	if err != nil {
		return nil, err
	}
	since := logStart(string(o.Out))
	p, err := w.logcat(ctx, since)
	if err != nil {
		return nil, err
	}
	l := &logStream{
		watcher: w, p: p, w: to, mark: "end-of-test-" + rand.Text()[:12], errs: adb.Capped{Max: adb.StderrLimit, Quiet: true},
		moved: make(chan struct{}, 1), done: make(chan struct{}),
		last: recent{since: launchTime.FindString(strings.Trim(since, "'"))},
	}
	l.wanted, l.end = context.WithCancel(w.Phone.Life)
	if err := w.Phone.Life.Go(func() {
		defer close(l.done)
		l.follow()
	}); err != nil {
		l.end()
		p.Close()
		return nil, fmt.Errorf("device %s: logcat: %w", w.Phone.Link.Serial, err)
	}
	w.mu.Lock()
	w.logged = l
	w.mu.Unlock()
	return sync.OnceValue(l.stop), nil
}

// logcat starts to copy what was logged since.
func (w *Watcher) logcat(ctx context.Context, since string) (*adb.Process, error) {
	return w.Phone.Stream(ctx, adb.Command{Name: "logcat", Line: "logcat -v threadtime -T " + since})
}

// logStart turns the phone's date into the argument of -T. One that cannot be read means: from the last line on.
func logStart(date string) string {
	m := deviceTime.FindStringSubmatch(strings.TrimSpace(date))
	if m == nil {
		return "1"
	}
	if m[2] == "" {
		m[2] = "000" // a date without %N
	}
	return "'" + m[1] + "." + m[2] + "'"
}

// logStream is a log being copied.
type logStream struct {
	watcher *Watcher
	w       io.Writer
	mark    string
	errs    adb.Capped
	moved   chan struct{} // something arrived
	done    chan struct{} // the log has ended

	wanted context.Context // ends when the log is not needed any more
	end    context.CancelFunc

	last recent // the lines that a new logcat would give again

	mu    sync.Mutex
	p     *adb.Process
	rest  []byte // of a line that is not whole yet
	ended bool   // the mark came by: what follows is not ours
	asked bool   // to stop
	err   error
}

// Write takes what logcat says and passes whole lines on.
func (l *logStream) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.moved <- struct{}{}:
	default:
	}
	l.rest = append(l.rest, p...)
	for !l.ended {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 && len(l.rest) < lineMax {
			break
		}
		if i < 0 {
			i = len(l.rest) - 1
		}
		if err := l.pass(l.rest[:i+1]); err != nil {
			return 0, err
		}
		l.rest = l.rest[i+1:]
	}
	if l.ended {
		l.rest = nil
	}
	return len(p), nil
}

// pass writes one line, unless it is the mark. The lock is held.
func (l *logStream) pass(line []byte) error {
	if bytes.Contains(line, []byte(l.mark)) {
		l.ended = true
		return nil
	}
	if l.last.again(string(line)) {
		return nil
	}
	l.watcher.App.hear(line)
	if _, err := l.w.Write(line); err != nil {
		l.ended = true
		l.err = fmt.Errorf("write the log: %w", err)
		return l.err
	}
	return nil
}

// follow copies until the log ends for good. A connection that broke, and a logcat that ended, are replaced: the
// phone keeps what was logged meanwhile.
func (l *logStream) follow() {
	for again := 0; ; again++ {
		l.finish(l.p.Wait(l, &l.errs))
		if again == logAgain || !l.resume() {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended && len(l.rest) > 0 {
		_ = l.pass(l.rest)
	}
}

// resume starts again where the log was cut.
func (l *logStream) resume() bool {
	l.mu.Lock()
	cut, over, since := l.err, l.asked || l.ended, l.last.since
	l.mu.Unlock()
	if cut == nil || over || since == "" || adb.Dropped(cut) && !l.watcher.Phone.Link.Returns(l.wanted) ||
		drivers.Pause(l.wanted, logQuiet) != nil {
		return false
	}
	p, err := l.watcher.logcat(l.wanted, "'"+since+"'")
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked {
		p.Close()
		return false
	}
	l.p, l.rest, l.err = p, nil, nil
	l.last.replay()
	l.watcher.Phone.Log.Info("the log was cut and continues", "since", since, "error", cut)
	return true
}

// LogCut says that lines may be missing now.
func (w *Watcher) LogCut() error {
	w.mu.Lock()
	l := w.logged
	w.mu.Unlock()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return nil
	}
	return fmt.Errorf("%w: its log is cut: %w", drivers.ErrNotReady, l.err)
}

// recent are the lines of a log's last moment.
type recent struct {
	since string         // that moment
	lines map[string]int // in it, and how often
	known map[string]int // those that are to come again
}

// again notes a line, and reports whether it was copied before.
func (r *recent) again(line string) bool {
	m := launchTime.FindString(line)
	if m == "" {
		return false
	}
	if m != r.since || r.lines == nil {
		r.since, r.lines = m, map[string]int{}
	}
	if r.known[line] > 0 {
		r.known[line]--
		return true
	}
	r.lines[line]++
	return false
}

// replay says that the lines of the last moment are coming again.
func (r *recent) replay() { r.known = maps.Clone(r.lines) }

// finish notes why logcat ended, if it was not stopped on purpose.
func (l *logStream) finish(code int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked || l.err != nil || l.watcher.Phone.Life.Err() != nil {
		return
	}
	if err != nil {
		l.err = l.watcher.Phone.Link.Fault(l.watcher.Phone.Life, "logcat", err)
	} else if !l.ended {
		l.err = fmt.Errorf("device %s: logcat ended by itself: %s", l.watcher.Phone.Link.Serial,
			adb.Output{Errs: l.errs.Bytes(), Code: code}.Reason())
	}
}

func (l *logStream) stop() error {
	ctx, cancel := context.WithTimeout(l.watcher.Phone.Life, logFlush)
	defer cancel()
	l.flush(ctx)
	l.mu.Lock()
	l.asked = true
	p := l.p
	l.mu.Unlock()
	l.end()
	p.Close()
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// flush waits until the mark came back, or, on phones where that cannot be written, until the log is quiet.
func (l *logStream) flush(ctx context.Context) {
	o, err := l.watcher.Phone.Link.Run(ctx, adb.Command{Name: "log", Line: "log -p i -t " + LogTag + " " + l.mark,
		Limit: logFlush})
	marked := err == nil && o.Code == 0
	if errors.Is(err, drivers.ErrDeviceLost) {
		// A stream that ends of it says so itself, if it is let.
		wait, cancel := context.WithTimeout(ctx, logQuiet)
		defer cancel()
		select {
		case <-l.done:
		case <-wait.Done():
		}
		return
	}
	for !l.complete() {
		quiet := time.NewTimer(logQuiet)
		select {
		case <-l.moved:
		case <-quiet.C:
			if !marked {
				return
			}
		case <-l.done:
		case <-ctx.Done():
		}
		quiet.Stop()
		if ctx.Err() != nil {
			return
		}
		select {
		case <-l.done:
			return
		default:
		}
	}
}

func (l *logStream) complete() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}
