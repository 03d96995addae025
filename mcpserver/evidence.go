package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/video"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/run"
)

// activeRecording is an active recording.
type activeRecording struct {
	recording drivers.Recording
	device    drivers.Device // as it was open when the recording started
	dir       string
	began     time.Time
}

// maxRecording is how long a device is leased for a recording.
const maxRecording = 30 * time.Minute

// recordArgs are those of the tool record.
type recordArgs struct {
	Action string `json:"action" required:"true" enum:"start,stop" doc:"A browser page is recorded from its opening: start with device web-1, then open_browser."`
}

// recordingResult is the result of record.
type recordingResult struct {
	Device  string `json:"device"`
	State   string `json:"state"`
	Path    string `json:"path,omitempty"`
	Seconds int    `json:"seconds,omitempty"`
	Note    string `json:"note,omitempty"`
}

func recordScreen(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	if c.args.(recordArgs).Action == "stop" {
		return c.stopRecording(ctx)
	}
	device, err := c.AnyDevice(ctx)
	if err != nil {
		return nil, err
	}
	if !c.Mask.Empty() {
		return nil, &client.Refusal{
			What: "no recording is made while secrets are exposed to this session: a video cannot hide them",
			Try:  "screenshot, in which they are painted over"}
	}
	if _, err := c.Live.Hold(ctx, device, c.Who, maxRecording); err != nil {
		return nil, err
	}
	err = c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Performer) error {
		return c.startRecording(ctx, device, s)
	})
	if err != nil {
		_, release := c.Live.Release(context.WithoutCancel(ctx), device, c.Who)
		return nil, errors.Join(err, release)
	}
	return structured(recordingResult{Device: device, State: "recording",
		Note: "record {action: stop} keeps the recording; otherwise it is deleted at the end of this session"})
}

// startRecording starts a recording of the session's device.
func (c *call) startRecording(ctx context.Context, device string, s *action.Performer) error {
	recorder, ok := s.Device.(drivers.Recorder)
	if !ok {
		return client.Unsupported(device, "cannot record its screen")
	}
	c.server.mu.Lock()
	running := c.server.recordings[device]
	c.server.mu.Unlock()
	if running != nil && running.device == s.Device {
		return &client.Refusal{What: device + " is being recorded already", Try: "record {action: stop}",
			Err: drivers.ErrUnsupported}
	}
	dir, err := os.MkdirTemp(c.server.tempDir, "recording-")
	if err != nil {
		return err
	}
	began := time.Now()
	recording, err := recorder.StartRecording(ctx, dir)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	c.server.mu.Lock()
	c.server.recordings[device] = &activeRecording{recording, s.Device, dir, began}
	c.server.mu.Unlock()
	return nil
}

// stopRecording ends the recording and keeps its file in the folder of reports.
func (c *call) stopRecording(ctx context.Context) (*mcp.CallToolResult, error) {
	device, f, err := c.findRecording()
	if err != nil {
		return nil, err
	}
	var clips []drivers.Clip
	err = c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Performer) error {
		c.server.mu.Lock()
		delete(c.server.recordings, device)
		c.server.mu.Unlock()
		if s.Device != f.device {
			return &client.Refusal{
				What: fmt.Sprintf("the recording of %s was lost: the device was closed since", device),
				Try:  "record {action: start} again",
				Err:  drivers.ErrUnsupported,
			}
		}
		var err error
		clips, err = f.recording.Stop(ctx)
		return err
	})
	_, release := c.Live.Release(context.WithoutCancel(ctx), device, c.Who)
	defer os.RemoveAll(f.dir)
	if err = errors.Join(err, release); err != nil {
		return nil, err
	}
	kept := recordingResult{Device: device, State: "stopped", Seconds: int(time.Since(f.began).Seconds())}
	if strings.HasPrefix(device, "web-") {
		c.ForgetDevice(device)
		kept.Note = "the page was closed with its recording; open_browser opens it again"
	}
	if kept.Path, err = c.saveRecording(ctx, device, clips); err != nil {
		return nil, err
	}
	return structured(kept)
}

// findRecording returns the device that is being recorded.
func (c *call) findRecording() (string, *activeRecording, error) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if c.Device == "" && len(c.server.recordings) == 1 {
		for device, f := range c.server.recordings {
			return device, f, nil
		}
	}
	if f := c.server.recordings[c.Device]; f != nil {
		return c.Device, f, nil
	}
	if len(c.server.recordings) > 1 && c.Device == "" {
		return "", nil, &client.Refusal{What: "several devices are being recorded", Try: "name one with device"}
	}
	return "", nil, &client.Refusal{What: "nothing is being recorded", Try: "record {action: start}"}
}

// saveRecording joins the parts into one mp4, below the folder of reports.
func (c *call) saveRecording(ctx context.Context, device string, clips []drivers.Clip) (string, error) {
	if len(clips) == 0 {
		return "", &client.Refusal{What: "the device recorded nothing: the screen did not change during the recording"}
	}
	dir := filepath.Join(c.server.conf.Runner.Reports, "recordings")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("folder for the recording: %w", err)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, device)
	out := filepath.Join(dir, fmt.Sprintf("%s-%s.mp4", time.Now().UTC().Format("2006-01-02T15-04-05.000"), name))
	var parts []video.Clip
	for _, clip := range clips {
		parts = append(parts, video.Clip{Path: clip.Path, Start: clip.Start})
	}
	ffmpeg := run.FindFFmpeg(ctx, c.server.conf.Runner)
	if ffmpeg == "" {
		return "", &client.Refusal{
			What: "the recording cannot be written: ffmpeg is not installed",
			Try:  "`taproot setup`",
		}
	}
	return out, video.Maker{FFmpeg: ffmpeg}.Join(ctx, parts, out)
}

// logTail keeps the newest lines of a device's log.
type logTail struct {
	mu    sync.Mutex
	lines []string
	rest  []byte
	stop  func() error
	err   error
}

const (
	// maxLog is how many lines of a log are kept.
	maxLog = 5000
	// maxLogLine is the length, in bytes, at which a line is cut.
	maxLogLine = 2000
)

// Write appends what the device logs.
func (l *logTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			break
		}
		l.lines = append(l.lines, strings.ToValidUTF8(string(l.rest[:min(i, maxLogLine)]), "\ufffd"))
		l.rest = l.rest[i+1:]
	}
	if len(l.rest) > maxLogLine {
		l.rest = l.rest[:maxLogLine]
	}
	if over := len(l.lines) - maxLog; over > 0 {
		l.lines = append([]string(nil), l.lines[over:]...)
	}
	return len(p), nil
}

// keepLog copies the log of a newly opened device, until the device is closed.
func (s *clientSession) keepLog(session *action.Performer) {
	logger, ok := session.Device.(drivers.Logger)
	if !ok {
		return
	}
	id := session.Device.Info().ID
	s.mu.Lock()
	tail := s.logs[id]
	if tail == nil {
		tail = &logTail{}
		s.logs[id] = tail
	}
	before := tail.stop
	tail.stop = nil
	s.mu.Unlock()
	if before != nil {
		_ = before() // the log of the device's last session, which is closed
	}
	stop, err := logger.StartLog(s.base, tail)
	tail.mu.Lock()
	tail.err = err
	tail.mu.Unlock()
	s.mu.Lock()
	tail.stop = stop
	s.mu.Unlock()
}

// endLogs stops copying, once the devices are closed.
func (s *clientSession) endLogs() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tail := range s.logs {
		if tail.stop != nil {
			_ = tail.stop()
		}
	}
}

// logsArgs are those of the tool logs.
type logsArgs struct {
	Find string `json:"find,omitempty" minLength:"1" doc:"Only lines that contain this."`
	Max  int    `json:"max,omitempty" minimum:"1" maximum:"2000" default:"100" doc:"How many lines, the newest."`
}

func showLogs(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.AnyDevice(ctx)
	if err != nil {
		return nil, err
	}
	var crash *drivers.Crash
	err = c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		if _, ok := s.Device.(drivers.Logger); !ok {
			return client.Unsupported(device, "has no log that can be read")
		}
		if w, ok := s.Device.(drivers.CrashWatcher); ok {
			crash, err = w.Crashed(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.server.mu.Lock()
	tail := c.server.logs[device]
	c.server.mu.Unlock()
	a := c.args.(logsArgs)
	var lines []string
	if tail != nil {
		tail.mu.Lock()
		for _, l := range tail.lines {
			if strings.Contains(strings.ToLower(l), strings.ToLower(a.Find)) {
				lines = append(lines, markdown.Visible(l, maxLogLine))
			}
		}
		err = tail.err
		tail.mu.Unlock()
	}
	if err != nil {
		return nil, fmt.Errorf("the log of %s cannot be read: %w", device, err)
	}
	return text(logText(device, crash, lines, a.Max)), nil
}

// logText returns the newest lines that fit into a response.
func logText(device string, crash *drivers.Crash, lines []string, limit int) string {
	var b strings.Builder
	all := len(lines)
	lines = lines[max(0, all-limit):]
	size := 0
	from := len(lines)
	for from > 0 && size+len(lines[from-1])+1 <= client.MaxText-4000 {
		from--
		size += len(lines[from]) + 1
	}
	fmt.Fprintf(&b, "%s: the newest %d of %d lines since this session started to use the device\n", device,
		len(lines)-from, all)
	if crash != nil {
		fmt.Fprintf(
			&b,
			"%s crashed (%s): %s\n%s\n",
			crash.App,
			crash.Kind,
			crash.Reason,
			phrase.LimitRunes(crash.Report, 3000),
		)
	}
	for _, l := range lines[from:] {
		b.WriteString(l + "\n")
	}
	return b.String()
}
