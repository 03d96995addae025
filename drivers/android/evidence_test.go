package android

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/capture"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/watch"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

func TestRecording(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Small)
	r, err := d.StartRecording(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Tree(t.Context()); err != nil { // other calls continue at the same time
		t.Fatal(err)
	}
	clips, err := r.Stop(t.Context())
	if err != nil || len(clips) != 1 {
		t.Fatalf("clips %v, %v", clips, err)
	}
	record, err := os.ReadFile(clips[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(record, []byte("moov")) || clips[0].Start.IsZero() {
		t.Errorf("a film of %d bytes without an index, begun at %v", len(record), clips[0].Start)
	}
	again, err := r.Stop(t.Context())
	if err != nil || len(again) != 1 {
		t.Errorf("stopping twice: %v, %v", again, err)
	}
	noLeftovers(t, d)
}

// TestRecordingInSegments: the phone's screenrecord ends by itself, and the recording continues in the next file.
func TestRecordingInSegments(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Small)
	d.Segment = 1
	r, err := d.StartRecording(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for p.Count("screenrecord") < 3 {
		if err := drivers.Pause(t.Context(), input.KeyboardPoll); err != nil {
			t.Fatal(err)
		}
	}
	clips, err := r.Stop(t.Context())
	if err != nil || len(clips) < 3 || len(clips) != p.Count("screenrecord") {
		t.Fatalf("clips %v of %d, %v", clips, p.Count("screenrecord"), err)
	}
	for i, c := range clips {
		if info, err := os.Stat(c.Path); err != nil || info.Size() == 0 || i > 0 && !c.Start.After(clips[i-1].Start) {
			t.Errorf("clip %v: %v, %v", c, info, err)
		}
	}
	noLeftovers(t, d)
}

// TestRecorderThatIsGone: when the phone knows no such process, nothing is waited for but the end of the connection.
func TestRecorderThatIsGone(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"under its number": false, "under its file, too": true} {
		d, p := openPhone(t, androidsim.Small)
		r, err := d.StartRecording(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p.Fail(androidsim.Fault{Match: "kill -2 ", Nth: 1, Kind: androidsim.Error,
			Output: "/system/bin/sh: kill: 4321: No such process\n", Code: 1})
		if lost {
			p.Fail(androidsim.Fault{Match: "pkill", Kind: androidsim.Error, Code: 1})
		}
		ended := make(chan error, 1)
		go func() {
			_, err := r.Stop(t.Context())
			ended <- err
		}()
		wait, cancel := context.WithTimeout(t.Context(), capture.RecordingEndLimit/2)
		defer cancel()
		select {
		case err = <-ended:
		case <-wait.Done():
			t.Fatalf("%s: it is waited for", name)
		}
		if (err != nil) != lost {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRecordingWithoutAnEncoder(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{NoEncoder: true})
	d.Probe = time.Minute
	_, err := d.StartRecording(t.Context(), t.TempDir())
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "screenrecord: ") {
		t.Errorf("error %v", err)
	}
	if n := p.Count("screenrecord"); n != 2 {
		t.Errorf("%d tries", n)
	}
	noLeftovers(t, d)
}

func TestRecordingAtASmallerSize(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	d.Probe = 5 * time.Second
	p.Fail(androidsim.Fault{Match: "screenrecord", Nth: 1, Kind: androidsim.Error,
		Output: "ERROR: unable to configure codec (err=-38)\n", Code: 1})
	r, err := d.StartRecording(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if clips, err := r.Stop(t.Context()); err != nil || len(clips) != 1 {
		t.Errorf("clips %v, %v", clips, err)
	}
}

func TestCloseEndsARecording(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Small)
	r, err := d.StartRecording(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	noLeftovers(t, d)
	if clips, err := r.Stop(t.Context()); err == nil {
		t.Errorf("a recording that Close ended gave %v", clips)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	p.Log('I', "Before", "not ours")
	if err := drivers.Pause(t.Context(), 5*time.Millisecond); err != nil { // logcat's clock counts milliseconds
		t.Fatal(err)
	}
	var out bytes.Buffer
	stop, err := d.StartLog(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		p.Log('W', "During", "line %d", i)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
	p.Log('I', "After", "not ours")
	for i := range 200 {
		if want := fmt.Sprintf("line %d\n", i); !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(out.String(), "not ours") || strings.Contains(out.String(), "end-of-test") {
		t.Errorf("foreign lines in\n%s", out.String())
	}
}

// TestLastLinesOfALogThatComeLate: after two seconds they were dropped without a warning.
func TestLastLinesOfALogThatComeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		marked := make(chan string, 1)
		driver := scriptedDriver(scripted{
			answer: func(_, service string) (string, bool) {
				mark, stops := strings.CutPrefix(service, "log -p i -t "+watch.LogTag+" ")
				if stops {
					time.Sleep(3 * time.Second)
					marked <- mark
				}
				if strings.HasPrefix(service, "logcat") {
					return "", false
				}
				return says("01-02 03:04:05.678\n"), false
			},
			then: func(service string) string {
				if !strings.HasPrefix(service, "logcat") {
					return ""
				}
				mark := <-marked
				time.Sleep(3 * time.Second)
				return says("01-02 03:04:06.678  1  1 E Shop: why\n01-02 03:04:07.678  1  1 I " + watch.LogTag + ": " + mark + "\n")
			},
		})
		dev, err := driver.Open(t.Context(), "BUSY")
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		stop, err := dev.(*Device).StartLog(t.Context(), &log)
		if err != nil {
			t.Fatal(err)
		}
		if err := stop(); err != nil || !strings.HasSuffix(log.String(), "Shop: why\n") {
			t.Errorf("%q, %v", &log, err)
		}
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // the phone's goroutines end
	})
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestLogSaysWhyItEnded(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	stop, err := d.StartLog(t.Context(), brokenWriter{})
	if err != nil {
		t.Fatal(err)
	}
	p.Log('I', "X", "line")
	if err := stop(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v", err)
	}
}

// logged is a writer that signals when something was written.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
	any chan struct{}
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buf.Len() == 0 {
		close(l.any)
	}
	return l.buf.Write(p)
}

func TestLogOfALostPhone(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	w := &logged{any: make(chan struct{})}
	stop, err := d.StartLog(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	p.Log('I', "X", "line")
	<-w.any
	if d.LogCut() != nil || d.CrashSuspected() {
		t.Error("cut before it was")
	}
	p.Disconnect()
	if err := eventually(t, func() error {
		if cut := d.LogCut(); !errors.Is(cut, drivers.ErrNotReady) || !d.CrashSuspected() {
			return fmt.Errorf("the log is cut, and nobody knows: %v", cut)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := stop(); !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), p.Serial()) {
		t.Errorf("error %v", err)
	}
}

// TestLogGoesOn: where the connection broke and where logcat ended, the log continues, with what was logged meanwhile,
// and each line once.
func TestLogGoesOn(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(d *Device, p *androidsim.Phone){
		"a loose cable": func(_ *Device, p *androidsim.Phone) {
			p.Disconnect()
			p.Log('I', "X", "meanwhile")
			p.Reconnect()
		},
		"logcat was killed": func(d *Device, p *androidsim.Phone) {
			if _, code, err := d.Shell(t.Context(), "pkill -9 logcat"); err != nil || code != 0 {
				t.Errorf("kill: %d, %v", code, err)
			}
			p.Log('I', "X", "meanwhile")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{})
			w := &logged{any: make(chan struct{})}
			stop, err := d.StartLog(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			p.Log('I', "X", "before")
			<-w.any
			cut(d, p)
			if err := eventually(t, func() error { return w.has("meanwhile") }); err != nil {
				t.Error(err)
			}
			p.Log('I', "X", "after")
			if err := stop(); err != nil {
				t.Error(err)
			}
			for _, line := range []string{"before", "meanwhile", "after"} {
				if n := strings.Count(w.buf.String(), line); n != 1 {
					t.Errorf("%q is there %d times", line, n)
				}
			}
		})
	}
}

func (l *logged) has(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(l.buf.String(), text) {
		return fmt.Errorf("no %q in the log", text)
	}
	return nil
}

// frames takes what a cast shows; one that is not taken is replaced by the next.
func frames(t *testing.T, d *Device) chan drivers.Frame {
	t.Helper()
	shown := make(chan drivers.Frame, 1)
	stop, err := d.Screencast(t.Context(), func(f drivers.Frame) {
		select {
		case <-shown:
		default:
		}
		shown <- f
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return shown
}

// TestImagesOfTheAgent: while the agent sends images, screencap takes only the first screenshot, which shows the
// shape of the screen; once the agent is gone they are, and so when the screen has another shape.
func TestImagesOfTheAgent(t *testing.T) {
	t.Parallel()
	d, p := openAgent(t, small())
	shown := frames(t, d)
	f := <-shown
	config, err := jpeg.DecodeConfig(bytes.NewReader(f.JPEG))
	if err != nil || f.Size != image.Pt(540, 1200) || config.Width != 270 || config.Height != 600 {
		t.Errorf("%v, %+v, %v", f.Size, config, err)
	}
	taken := p.Count("screencap")
	launch(t, d, androidsim.ListPackage)
	<-shown
	<-shown // of a screen that comes in
	if n := p.Count("screencap"); n != taken {
		t.Errorf("%d pictures were taken", n-taken)
	}
	p.KillAgent()
	for f = range shown { // what it sent last may still come
		if config, err = jpeg.DecodeConfig(bytes.NewReader(f.JPEG)); err != nil || config.Width == 540 {
			break
		}
	}
	if err != nil || f.Size != image.Pt(540, 1200) || p.Count("screencap") == taken {
		t.Errorf("%v, %+v, %v", f.Size, config, err)
	}
}
