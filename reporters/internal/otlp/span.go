// Package otlp sends a run as an OpenTelemetry trace (OTLP over HTTP, JSON): a span for the run, below it one for each
// attempt of each case, below that one for each step. The target is configured with OpenTelemetry's own variables.
package otlp

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// Attribute is a key with its value, as OTLP writes them in JSON.
type Attribute struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// Value is a text or a whole number, which OTLP encodes as a text, too.
type Value struct {
	String *string `json:"stringValue,omitempty"`
	Int    *string `json:"intValue,omitempty"`
}

func text(key, value string) Attribute { return Attribute{key, Value{String: &value}} }

func number(key string, n int) Attribute {
	s := strconv.Itoa(n)
	return Attribute{key, Value{Int: &s}}
}

// span is a span of OTLP.
type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []Attribute `json:"attributes,omitempty"`
	Status     status      `json:"status"`
}

type status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Constants of OTLP.
const (
	internal = 1 // kind of a span
	okay     = 1 // code of a status
	failed   = 2
)

// newID makes a random id of n bytes, in hexadecimal.
func newID(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func newSpan(trace, parent, name string, start time.Time, took time.Duration) span {
	return span{TraceID: trace, SpanID: newID(8), Parent: parent, Name: name, Kind: internal, Start: nanos(start),
		End: nanos(start.Add(max(took, 0)))}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// add adds what is not empty.
func (s *span) add(key, value string) {
	if value != "" {
		s.Attributes = append(s.Attributes, text(key, value))
	}
}

// ended sets the status of a case or a step. A skipped one and a known failure have no status.
func (s *span) ended(v event.Result, p *event.Problem) {
	switch v {
	case event.Pass:
		s.Status.Code = okay
	case event.Fail, event.Error, event.Interrupted:
		s.Status.Code = failed
		if p != nil {
			s.Status.Message = p.Message
			s.add("error.type", cmp.Or(p.Kind, string(v)))
		}
	}
	s.add("taproot.result", string(v))
}

// spans makes a run's spans: first its own, then each case, followed by its steps.
func spans(run *history.Run, parent Parent) []span {
	trace := cmp.Or(parent.Trace, newID(16))
	top := newSpan(trace, parent.Span, "taproot run", run.Started, run.Ended.Sub(run.Started))
	top.add("taproot.run", run.Name)
	if e := run.Env; e != nil {
		top.add("vcs.ref.head.name", e.Branch)
		top.add("vcs.ref.head.revision", e.Commit)
		top.add("cicd.pipeline.run.url.full", e.Job)
	}
	list := []span{top}
	result := event.Pass
	for _, c := range run.Cases {
		for _, t := range append(c.Attempts[:len(c.Attempts):len(c.Attempts)],
			history.Attempt{Pack: c.Pack, CaseResult: c.CaseResult}) {
			if t.CaseResult != nil && !t.CaseResult.Started.IsZero() {
				list = append(list, caseSpans(t, trace, top.SpanID)...)
			}
		}
		if v := c.CaseResult.Result; v == event.Fail || !v.Good() && v != event.Warned &&
			result != event.Fail {
			result = v
		}
	}
	list[0].Attributes = append(list[0].Attributes, number("taproot.cases", len(run.Cases)))
	list[0].ended(result, nil)
	return list
}

// caseSpans makes the spans of one attempt.
func caseSpans(t history.Attempt, trace, parent string) []span {
	r := t.CaseResult
	c := r.Case
	own := newSpan(trace, parent, cmp.Or(c.Name, c.ID), r.Started, r.Duration)
	own.add("test.case.name", c.ID)
	own.add("test.case.result.status", map[event.Result]string{event.Pass: "pass", event.Fail: "fail",
		event.Error: "fail"}[r.Result])
	if c.Fails != nil {
		own.add("taproot.fails", c.Fails.String())
	}
	own.add("taproot.pack", t.Pack)
	own.add("taproot.platform", string(c.Platform))
	own.add("device.id", c.Device)
	own.add("device.model.name", c.Model)
	own.add("os.description", c.OS)
	own.add("code.file.path", c.Place.File)
	own.Attributes = append(own.Attributes, number("code.line.number", c.Place.Line))
	own.add("taproot.tags", strings.Join(c.Tags, ","))
	own.ended(r.Result, r.Problem)
	list := []span{own}
	for _, s := range r.Steps {
		if s.Started.IsZero() {
			continue // it was not reached
		}
		step := newSpan(trace, own.SpanID, cmp.Or(s.Name, s.Action), s.Started, s.Duration)
		step.Attributes = append(step.Attributes, number("taproot.step", s.N))
		step.add("taproot.action", s.Action)
		step.add("taproot.args", s.Args)
		step.add("taproot.in", s.In)
		step.add("code.file.path", s.Place.File)
		step.Attributes = append(step.Attributes, number("code.line.number", s.Place.Line))
		step.ended(s.Result, s.Problem)
		list = append(list, step)
	}
	return list
}
