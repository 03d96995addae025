package webdriver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Mobile runs a command of an Appium driver ("mobile: activateApp" without the prefix) and decodes what it returns.
func (s *Session) Mobile(ctx context.Context, name string, args map[string]any, into any, limit time.Duration) error {
	if args == nil {
		args = map[string]any{}
	}
	return s.do(ctx, http.MethodPost, "/execute/sync", map[string]any{"script": "mobile: " + name, "args": []any{args}},
		into, limit)
}

// Source returns the elements of the screen or the page as a document.
func (s *Session) Source(ctx context.Context, limit time.Duration) (doc string, err error) {
	err = s.get(ctx, "/source", &doc, limit)
	return doc, err
}

// Perform performs the actions of several input devices at the same time.
func (s *Session) Perform(ctx context.Context, devices []any, limit time.Duration) error {
	return s.post(ctx, "/actions", map[string]any{"actions": devices}, limit)
}

// Active returns the element that has the focus.
func (s *Session) Active(ctx context.Context, limit time.Duration) (e Element, err error) {
	if err = s.get(ctx, "/element/active", &e, limit); err == nil && e == "" {
		err = &Error{Code: NoSuchElement, Host: s.client.host, Command: "GET /element/active",
			Message: "no element has the focus"}
	}
	return e, err
}

// Rect returns the place of an element.
func (s *Session) Rect(ctx context.Context, e Element, limit time.Duration) (x, y, width, height int, err error) {
	var r struct{ X, Y, Width, Height float64 }
	err = s.get(ctx, "/element/"+url.PathEscape(string(e))+"/rect", &r, limit)
	return int(r.X), int(r.Y), int(r.Width), int(r.Height), err
}

// Settings changes settings of an Appium driver.
func (s *Session) Settings(ctx context.Context, settings map[string]any) error {
	return s.post(ctx, "/appium/settings", map[string]any{"settings": settings}, 0)
}

// Extensions lists the names of the "mobile:" commands that the driver has; nil: the server does not say.
func (s *Session) Extensions(ctx context.Context) (names map[string]bool, err error) {
	var answer struct {
		Rest struct {
			Driver map[string]json.RawMessage
		}
	}
	err = s.get(ctx, "/appium/extensions", &answer, 0)
	if err != nil || len(answer.Rest.Driver) == 0 {
		return nil, err
	}
	names = map[string]bool{}
	for name := range answer.Rest.Driver {
		names[name] = true
	}
	return names, nil
}

// LogLine is a line of a log.
type LogLine struct {
	Timestamp int64
	Message   string
}

// Log returns the lines of a log that have come since it was fetched last.
func (s *Session) Log(ctx context.Context, kind string, limit time.Duration) (lines []LogLine, err error) {
	err = s.do(ctx, http.MethodPost, "/se/log", map[string]any{"type": kind}, &lines, limit)
	if Is(err, UnknownCommand, UnknownMethod) {
		err = s.do(ctx, http.MethodPost, "/log", map[string]any{"type": kind}, &lines, limit)
	}
	return lines, err
}

// Orientation returns how the screen is held: "PORTRAIT" or "LANDSCAPE".
func (s *Session) Orientation(ctx context.Context) (name string, err error) {
	err = s.get(ctx, "/orientation", &name, 0)
	return name, err
}

// Turn turns the screen: "PORTRAIT" or "LANDSCAPE".
func (s *Session) Turn(ctx context.Context, orientation string) error {
	return s.post(ctx, "/orientation", map[string]any{"orientation": orientation}, 0)
}

// StartRecording starts to record the screen.
func (s *Session) StartRecording(ctx context.Context, options map[string]any, limit time.Duration) error {
	return s.post(ctx, "/appium/start_recording_screen", map[string]any{"options": options}, limit)
}

// StopRecording returns the recording.
func (s *Session) StopRecording(ctx context.Context, limit time.Duration) ([]byte, error) {
	var text string
	if err := s.do(ctx, http.MethodPost, "/appium/stop_recording_screen", nil, &text, limit); err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, errors.New("the recording cannot be decoded")
	}
	return raw, nil
}
