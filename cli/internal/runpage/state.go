package runpage

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/html"
)

// Results of cases in addition to those of events.
const (
	waiting event.Result = "waiting" // in the current run
	running event.Result = "running"
)

// caseState is the last result of a case.
type caseState struct {
	Key     string       `json:"key"` // its pack, without the numbers of attempt and repetition
	Result  event.Result `json:"result"`
	TookMS  int64        `json:"ms,omitempty"`
	Message string       `json:"message,omitempty"`
	Step    int          `json:"step,omitempty"`
	Steps   int          `json:"steps,omitempty"`
	Run     string       `json:"run,omitempty"`
	Pack    string       `json:"pack,omitempty"`

	events []event.Event // of a case of this page's runs
	before *caseState    // what it was before it was planned
}

func bad(r event.Result) bool { return r == event.Fail || r == event.Error || r == event.Interrupted }

// runState is the current run, or the last one.
type runState struct {
	State   string `json:"state"` // "", running, stopping
	Name    string `json:"name,omitempty"`
	Total   int    `json:"total"`
	Done    int    `json:"done"`
	Failed  int    `json:"failed"`
	TookMS  int64  `json:"ms"`
	Message string `json:"message,omitempty"`

	began time.Time
	dir   string
}

// state is what every open page shows. Safe for concurrent use.
type state struct {
	o Options

	mu      sync.Mutex
	tests   []Test
	broken  []Broken
	cases   map[string]*caseState
	run     runState
	watch   bool
	problem string // of the page itself
	streams map[chan []byte]bool
}

func newState(o Options) *state {
	s := &state{o: o, cases: map[string]*caseState{}, watch: o.Watch, streams: map[chan []byte]bool{}}
	last, err := history.LastResults(o.Reports)
	if err != nil {
		s.problem = "the results of earlier runs cannot be read: " + err.Error()
	}
	for key, e := range last {
		s.cases[key] = &caseState{Key: key, Result: e.Result, TookMS: e.DurationMS, Run: e.Run, Pack: e.Pack}
	}
	return s
}

// maxBehind is how many changes a stream may be behind.
const maxBehind = 4096

// subscribe returns the whole state, and a stream of its changes, which is closed when its reader is too slow.
func (s *state) subscribe(reports string) ([]byte, chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream := make(chan []byte, maxBehind)
	s.streams[stream] = true
	return encode("state", map[string]any{"title": s.o.Title, "reports": reports, "tests": s.tests, "broken": s.broken,
		"cases": s.cases, "run": s.current(), "watch": s.watch, "problem": s.problem}), stream
}

func (s *state) unsubscribe(stream chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, stream)
}

func encode(kind string, value any) []byte {
	data, err := json.Marshal(map[string]any{"kind": kind, "value": value})
	if err != nil {
		panic(err) // no value of this package fails
	}
	return data
}

// publish sends a change to all pages. It needs s.mu.
func (s *state) publish(kind string, value any) {
	data := encode(kind, value)
	for stream := range s.streams {
		select {
		case stream <- data:
		default:
			delete(s.streams, stream)
			close(stream)
		}
	}
}

// current needs s.mu.
func (s *state) current() runState {
	r := s.run
	if r.State != "" {
		r.TookMS = time.Since(r.began).Milliseconds()
	}
	return r
}

func (s *state) setTests(tests []Test, broken []Broken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tests, s.broken = tests, broken
	s.publish("tests", map[string]any{"tests": tests, "broken": broken})
}

func (s *state) setWatch(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = on
	s.publish("watch", on)
}

func (s *state) watches() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watch
}

// failed reports a problem of the page itself.
func (s *state) failed(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problem = text
	s.publish("problem", text)
}

// started notes the start of a run of cases.
func (s *state) started(cases []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = runState{State: "running", Total: len(cases), began: time.Now()}
	for _, key := range cases {
		s.plan(key)
	}
	s.publish("run", s.current())
}

// plan marks a case as one of the current run. It needs s.mu.
func (s *state) plan(key string) {
	old := s.cases[key]
	if old != nil && old.Result == waiting {
		return
	}
	s.cases[key] = &caseState{Key: key, Result: waiting, before: old}
	s.publish("case", s.cases[key])
}

func (s *state) stopping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run.State == "running" {
		s.run.State = "stopping"
		s.publish("run", s.current())
	}
}

// over ends the run. Cases that did not start keep the result that they had before.
func (s *state) over(printed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.TookMS, s.run.State, s.run.Message = time.Since(s.run.began).Milliseconds(), "", printed
	for key, c := range maps.Clone(s.cases) {
		switch c.Result {
		case waiting:
			if s.cases[key] = c.before; c.before == nil {
				delete(s.cases, key)
				s.cases[key] = &caseState{Key: key}
			}
		case running: // its report could not be written
			c.Result, c.Message = event.Error, cmp.Or(c.Message, "the case has no result: see the messages of the run")
		default:
			c.before = nil
			continue
		}
		s.publish("case", s.cases[key])
	}
	s.publish("run", s.current())
}

// Planned implements Observer.
func (s *state) Planned(runDir string, cases []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.dir, s.run.Name, s.run.Total = runDir, filepath.Base(runDir), len(cases)
	for _, pack := range cases {
		s.plan(history.PlannedKey(pack))
	}
	s.publish("run", s.current())
}

// Event implements Observer.
func (s *state) Event(of event.Case, e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := history.PlannedKey(of.Pack)
	c := s.cases[key]
	if c == nil {
		c = &caseState{Key: key}
		s.cases[key] = c
	}
	if c.Pack != of.Pack || c.Run != s.run.Name {
		if c.Run == s.run.Name && bad(c.Result) && history.CaseKey(c.Pack) != history.CaseKey(of.Pack) {
			s.count(e)
			return // another repetition has failed, and stays
		}
		before := c.before
		*c = caseState{Key: key, Result: running, Run: s.run.Name, Pack: of.Pack, before: before}
	}
	c.events = append(c.events, e)
	if s.apply(c, e) {
		s.publish("case", c)
	}
	s.count(e)
	s.publish("moved", key)
}

// apply takes over an event, and reports whether the row of the case changes. It needs s.mu.
func (s *state) apply(c *caseState, e event.Event) bool {
	switch e.Kind {
	case event.CaseStarted:
		c.Result = running
		if e.Case != nil {
			c.Steps = len(e.Case.Steps)
		}
	case event.StepStarted:
		c.Step = e.Step
		c.Steps = max(c.Steps, c.Step)
	case event.CaseEnded:
		c.Result, c.TookMS, c.Message = e.Result, e.DurationMS, ""
		if e.Problem != nil && e.Result != event.Pass {
			c.Message = phrase.LimitRunes(phrase.FirstLine(e.Problem.Message), 300)
		}
	default:
		return false
	}
	return true
}

// count needs s.mu.
func (s *state) count(e event.Event) {
	if e.Kind != event.CaseEnded {
		return
	}
	s.run.Done++
	if bad(e.Result) {
		s.run.Failed++
	}
	s.publish("run", s.current())
}

// showCase responds with the steps of a case.
func (p *Page) showCase(w http.ResponseWriter, r *http.Request) {
	shown, ok := p.state.details(r.URL.Query().Get("key"))
	if !ok {
		http.Error(w, "this test has no result", http.StatusNotFound)
		return
	}
	if shown.Pack != "" {
		shown.Base = p.reports() + shown.Run + "/" + shown.Pack + "/"
	}
	answer(w, shown)
}

// details returns what is known of a case: from its events, or, of an earlier run, from its pack.
func (s *state) details(key string) (caseView, bool) {
	s.mu.Lock()
	c := s.cases[key]
	if c == nil || c.Pack == "" {
		s.mu.Unlock()
		return caseView{}, false
	}
	known, events := *c, c.events
	dir := filepath.Join(s.o.Reports, known.Run)
	if known.Run == s.run.Name && s.run.dir != "" {
		dir = s.run.dir
	}
	s.mu.Unlock()
	v := caseView{Key: known.Key, Pack: known.Pack, Run: known.Run, Result: known.Result, TookMS: known.TookMS,
		Message: known.Message}
	dir = filepath.Join(dir, known.Pack)
	if len(events) > 0 {
		v.take(event.Fold(events))
	} else if err := v.read(dir); err != nil {
		v.Message = cmp.Or(v.Message, "its report is no longer there: "+phrase.FirstLine(err.Error()))
	}
	if info, err := os.Stat(filepath.Join(dir, html.PackFile)); err == nil && info.Mode().IsRegular() {
		v.Report = true
	}
	v.Live = known.Result == running
	for i := range v.Steps {
		if v.Live && v.Steps[i].Result == event.Interrupted {
			v.Steps[i].Result = running
		}
	}
	v.Message = strings.ToValidUTF8(v.Message, "�")
	return v, true
}
