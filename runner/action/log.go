package action

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// assertLog looks at the log since the test started, and continues until the line is there.
func assertLog(ctx context.Context, s *Session, a dsl.AssertLog) error {
	fits, err := lineMatcher(a)
	if err != nil {
		return err
	}
	var line, value string
	lines := 0
	look := func() error {
		data, err := s.host().Log()
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

func startRecording(_ context.Context, s *Session, a dsl.StartRecording) error {
	return s.record(a.Name)
}

func stopRecording(_ context.Context, s *Session, _ dsl.StopRecording) error { return s.record("") }

// record starts or ends a clip. A run that records nothing is not the app's fault, and what was requested is missing
// all the same.
func (s *Session) record(name string) error {
	err := s.host().Recording(name)
	if errors.Is(err, ErrNoRecording) {
		s.warn("nothing is recorded in this run, so there will be no recording")
		return nil
	}
	return err
}
