package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// maxAnswer bounds the body that an http step reads.
const maxAnswer = 8 << 20

// call makes a request from this machine and saves {status, body, json}.
func call(ctx context.Context, s *Performer, a dsl.HTTP) error {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	request, err := newRequest(ctx, a)
	if err != nil {
		return err
	}
	answer, err := s.Client().Do(request)
	if err != nil {
		return &Failure{problem("%s %s: %v", request.Method, request.URL.Redacted(), err)}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &Failure{problem("%s %s: the answer broke off: %v", request.Method, request.URL.Redacted(), err)}
	case len(body) > maxAnswer:
		return &Failure{problem("%s %s: the answer is larger than %d bytes", request.Method, request.URL.Redacted(),
			maxAnswer)}
	}
	value := map[string]any{"status": answer.StatusCode, "body": string(body)}
	if parsed, err := source.ParseJSON(body); err == nil {
		value["json"] = parsed
	}
	s.Value = value
	s.note("%s %s: status %d, %d bytes", request.Method, request.URL.Redacted(), answer.StatusCode, len(body))
	return expected(a, answer.StatusCode, string(body))
}

// Client makes the connections that the session may make, for http steps and scripts. One that is its own goes
// through no proxy: what is dialed is what is asked for.
func (s *Performer) Client() *http.Client {
	if s.Access.Dial == nil {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{DialContext: s.Access.Dial, DisableKeepAlives: true}}
}

func newRequest(ctx context.Context, a dsl.HTTP) (*http.Request, error) {
	var body io.Reader = strings.NewReader(a.Body)
	if a.JSON != nil {
		data, err := json.Marshal(a.JSON)
		if err != nil {
			return nil, &Failure{problem("the body cannot be written as JSON: %v", err)}
		}
		body = bytes.NewReader(data)
	}
	method := a.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, a.URL, body)
	if err != nil {
		return nil, &Failure{problem("%v", err)}
	}
	if a.JSON != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range a.Headers {
		request.Header.Set(name, value)
	}
	return request, nil
}

func expected(a dsl.HTTP, status int, body string) error {
	p := problem("")
	switch {
	case a.Expect != nil && a.Expect.Status != 0 && status != a.Expect.Status:
		p.Expected = fmt.Sprintf("status %d", a.Expect.Status)
	case (a.Expect == nil || a.Expect.Status == 0) && status >= 400:
		p.Expected = "a status below 400"
	case a.Expect != nil && a.Expect.Contains != "" && !strings.Contains(body, a.Expect.Contains):
		p.Expected = "an answer that contains " + screen.Quote(a.Expect.Contains)
	default:
		return nil
	}
	p.Actual = fmt.Sprintf("status %d, %s", status, screen.Quote(body))
	p.Message = fmt.Sprintf("expected %s; got %s", p.Expected, p.Actual)
	return &Failure{p}
}

// setLocation puts the device at one place, or lets it travel.
func setLocation(ctx context.Context, s *Performer, a dsl.SetLocation) error {
	d, err := capability[drivers.LocationSetter](s)
	if err != nil {
		return err
	}
	if len(a.Route) > 0 {
		return followRoute(ctx, s, d, a)
	}
	return d.SetLocation(ctx, placeOf(a.At, a.Accuracy))
}

// followRoute sets the location once a second until the last one is reached.
func followRoute(ctx context.Context, s *Performer, d drivers.LocationSetter, a dsl.SetLocation) error {
	speed := a.SpeedKmh
	if speed == 0 {
		speed = 50
	}
	at, all := placeOf(a.Route[0], a.Accuracy), 0.0
	if err := d.SetLocation(ctx, at); err != nil {
		return err
	}
	for _, next := range a.Route[1:] {
		to := placeOf(next, a.Accuracy)
		way := metres(at, to)
		all += way
		step := speed / 3.6 * travelPace.Seconds()
		for done := step; done < way; done += step {
			if err := drivers.Pause(ctx, travelPace); err != nil {
				return err
			}
			if err := d.SetLocation(ctx, between(at, to, done/way)); err != nil {
				return err
			}
		}
		if err := drivers.Pause(ctx, time.Duration(math.Mod(way, step)/step*float64(travelPace))); err != nil {
			return err
		}
		if err := d.SetLocation(ctx, to); err != nil {
			return err
		}
		at = to
	}
	s.note("travelled %.0f m at %g km/h", all, speed)
	return nil
}

func placeOf(text string, accuracy float64) drivers.Coordinates {
	latitude, longitude := dsl.Degrees(text)
	return drivers.Coordinates{Latitude: latitude, Longitude: longitude, Accuracy: accuracy}
}

// metres is the distance on a sphere of the earth's size.
func metres(a, b drivers.Coordinates) float64 {
	const radius, degree = 6371008.8, math.Pi / 180
	north, east := (b.Latitude-a.Latitude)*degree/2, (b.Longitude-a.Longitude)*degree/2
	h := math.Sin(north)*math.Sin(north) + math.Cos(a.Latitude*degree)*math.Cos(b.Latitude*degree)*math.Sin(
		east)*math.Sin(east)
	return 2 * radius * math.Asin(math.Min(1, math.Sqrt(h)))
}

// between is the place at a part of the way, the short way around the earth.
func between(a, b drivers.Coordinates, part float64) drivers.Coordinates {
	east := b.Longitude - a.Longitude
	if math.Abs(east) > 180 {
		east -= math.Copysign(360, east)
	}
	longitude := a.Longitude + east*part
	if math.Abs(longitude) > 180 {
		longitude -= math.Copysign(360, longitude)
	}
	return drivers.Coordinates{Latitude: a.Latitude + (b.Latitude-a.Latitude)*part, Longitude: longitude,
		Accuracy: a.Accuracy}
}

// logSettler is a device of which the log comes on another way than all else.
type logSettler interface {
	// SettleLog returns when all that was written to the log until now is in it.
	SettleLog(ctx context.Context) error
}

// assertLog looks at the log since the test started, and continues until the line is there.
func assertLog(ctx context.Context, s *Performer, a dsl.AssertLog) error {
	if d, ok := s.Device.(drivers.BrowserChooser); ok { // a log without the console would prove nothing
		name, _ := d.PageBrowser()
		if why := dsl.Refusal(name, "assertLog"); why != "" {
			return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
		}
	}
	fits, err := lineMatcher(a)
	if err != nil {
		return err
	}
	var line, value string
	lines := 0
	look := func() error {
		if d, ok := s.Device.(logSettler); ok {
			if err := d.SettleLog(ctx); err != nil {
				return err
			}
		}
		data, err := s.Support.log()
		if err != nil {
			return err
		}
		all := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		lines = len(all)
		for _, line = range all {
			var ok bool
			if value, ok = fits(strings.TrimSuffix(line, "\r")); ok {
				return nil
			}
		}
		return errWait
	}
	what := screen.Quote(a.Text)
	if a.Regex != "" {
		what = "a line that fits " + a.Regex
	}
	if a.Absent {
		watched := time.Duration(a.ForMs) * time.Millisecond
		// the step says itself how long it watches
		err = poll(drivers.WithStepDeadline(ctx, time.Now().Add(watched)), watched, look)
		if err == nil {
			return &Failure{event.Problem{Assertion: true, Expected: "no " + what + " in the log", Actual: screen.Quote(line),
				Message: fmt.Sprintf("the log holds %s: %s", what, screen.Quote(line))}}
		}
		if !errors.Is(err, errWait) {
			return err
		}
		s.note("%d lines, and none that came within %s, hold it", lines, watched)
		return nil
	}
	err = poll(ctx, s.Timeout, look)
	switch {
	case errors.Is(err, errWait):
		return &Failure{event.Problem{Assertion: true, Expected: what + " in the log",
			Actual: fmt.Sprintf("%d lines without it", lines),
			Message: fmt.Sprintf("the log does not hold %s after %s; it has %d lines since the test started", what, s.Timeout,
				lines)}}
	case err == nil:
		s.Value = value
		s.note("the log says %s", screen.Quote(line))
	}
	return err
}

// lineMatcher returns a function that reports whether a line holds what is required, and what as: saves of it.
func lineMatcher(a dsl.AssertLog) (func(line string) (string, bool), error) {
	if a.Regex == "" {
		return func(line string) (string, bool) { return line, strings.Contains(line, a.Text) }, nil
	}
	re, err := regexp.Compile(a.Regex)
	if err != nil {
		return nil, &Failure{problem("regular expression %q: %v", a.Regex, err)}
	}
	return func(line string) (string, bool) {
		m := re.FindStringSubmatch(line)
		if m == nil {
			return "", false
		}
		return m[min(1, len(m)-1)], true
	}, nil
}

func startRecording(_ context.Context, s *Performer, a dsl.StartRecording) error {
	return s.record(a.Name)
}

func stopRecording(_ context.Context, s *Performer, _ dsl.StopRecording) error { return s.record("") }

// record starts or ends a clip. A run that records nothing is not the app's fault, and what was requested is missing
// all the same.
func (s *Performer) record(name string) error {
	err := s.Support.recording(name)
	if errors.Is(err, ErrNoRecording) {
		s.warn("nothing is recorded in this run, so there will be no recording")
		return nil
	}
	return err
}

// runProgram runs a program on this machine; the user has to allow it, and no caller from elsewhere can.
func runProgram(ctx context.Context, s *Performer, a dsl.Exec) error {
	if s.Exec == nil {
		return &Failure{event.Problem{Kind: event.Refused, Message: "exec steps are not allowed here: start the run with " +
			"--allow-exec, with TAPROOT_ALLOW_EXEC=true, or write allowExec: true to your own configuration file (taproot " +
			"docs exec); servers, assistants and hosts of a farm run none"}}
	}
	if strings.TrimSpace(a.Run[0]) == "" {
		return &Failure{problem("the name of the program is empty")}
	}
	c := start.Command{Run: a.Run, Dir: s.Dir}
	if a.Cwd != "" {
		c.Dir = filepath.FromSlash(a.Cwd)
		if !filepath.IsAbs(c.Dir) {
			c.Dir = filepath.Join(s.Dir, c.Dir)
		}
	}
	for name, value := range a.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	slices.Sort(c.Env)
	limit := fmt.Errorf("%s did not end within %s, and was ended with its process group", a.Run[0],
		phrase.Duration(s.Timeout))
	limited, cancel := context.WithTimeoutCause(ctx, s.Timeout, limit)
	defer cancel()
	ended, err := start.Exec(limited, c, *s.Exec)
	s.Printed = ended.Output
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		if text := lastLine(ended); text != "" {
			return fmt.Errorf("%w; it printed last: %s", err, screen.Quote(s.masked(text)))
		}
		return err
	}
	s.Value = map[string]any{"exit": ended.Exit, "stdout": trimmed(ended.Stdout), "stderr": trimmed(ended.Stderr)}
	if ended.Exit == 0 {
		return nil
	}
	how := fmt.Sprintf("exit code %d", ended.Exit)
	if ended.Signal != "" {
		how = "a signal (" + ended.Signal + ")"
	}
	p := problem("%s ended with %s", a.Run[0], how)
	if text := lastLine(ended); text != "" {
		p.Message += ": " + screen.Quote(s.masked(text))
	}
	p.Expected, p.Actual = "exit code 0", how
	return &Failure{p}
}

func trimmed(text string) string { return strings.TrimRight(text, "\r\n") }

// lastLine is the last line that a program printed, on stderr if it printed anything there.
func lastLine(e start.Ended) string {
	for _, text := range []string{e.Stderr, e.Stdout} {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return last
		}
	}
	return ""
}
