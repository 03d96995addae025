package runpage

import (
	"os"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// caseView is the details of a case for the page.
type caseView struct {
	Key     string       `json:"key"`
	Run     string       `json:"run"`
	Pack    string       `json:"pack"`
	ID      string       `json:"id"`
	Name    string       `json:"name,omitempty"`
	Result  event.Result `json:"result"`
	Live    bool         `json:"live"`
	TookMS  int64        `json:"ms"`
	Message string       `json:"message,omitempty"`
	Device  string       `json:"device,omitempty"`
	Place   string       `json:"place,omitempty"`
	Problem *problemView `json:"problem,omitempty"` // of the case, if it is of no step
	At      int          `json:"at,omitempty"`      // the step that did not pass
	Steps   []stepView   `json:"steps"`
	Notes   []string     `json:"notes,omitempty"`
	Report  bool         `json:"report"` // there is a report
	Base    string       `json:"base"`   // URL of the pack, with a slash at its end
}

// stepView is a step of a case.
type stepView struct {
	N       int          `json:"n"`
	Action  string       `json:"action"`
	Name    string       `json:"name,omitempty"`
	Args    string       `json:"args,omitempty"`
	In      string       `json:"in,omitempty"`
	Place   string       `json:"place,omitempty"`
	Line    int          `json:"line,omitempty"`
	Col     int          `json:"col,omitempty"`
	Source  string       `json:"source,omitempty"`
	Result  event.Result `json:"result"`
	TookMS  int64        `json:"ms"`
	Problem *problemView `json:"problem,omitempty"`
	Matched string       `json:"matched,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	Bounds  *[4]int      `json:"bounds,omitempty"`
	Point   *[2]int      `json:"point,omitempty"`
	Shots   []string     `json:"shots,omitempty"` // paths in the pack
}

type problemView struct {
	Message    string   `json:"message"`
	Expected   string   `json:"expected,omitempty"`
	Actual     string   `json:"actual,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
}

// maxShown limits a text of the page, in runes.
const maxShown = 4000

func shown(s string) string { return phrase.LimitRunes(s, maxShown) }

func viewOf(p *event.Problem) *problemView {
	if p == nil {
		return nil
	}
	return &problemView{Message: shown(p.Message), Expected: shown(p.Expected), Actual: shown(p.Actual),
		Candidates: p.Candidates[:min(len(p.Candidates), 8)]}
}

// take takes over a result.
func (v *caseView) take(res *event.CaseResult) {
	c := res.Case
	v.ID, v.Name, v.Place, v.Notes = c.ID, shown(c.Name), c.Place.String(), res.Notes
	v.Device = strings.Join(strings.Fields(c.Model+" "+c.Device+" "+c.Browser), " ")
	if v.At = res.ProblemStep; v.At == 0 && res.Result != event.Pass {
		v.Problem = viewOf(res.Problem)
	}
	v.Steps = make([]stepView, 0, len(res.Steps))
	for i := range res.Steps {
		s := &res.Steps[i]
		view := stepView{N: s.N, Action: s.Action, Name: shown(s.Name), Args: shown(s.Args), In: shown(s.In),
			Result: s.Result, TookMS: s.Duration.Milliseconds(), Problem: viewOf(s.Problem), Notes: s.Notes}
		if s.Place.Line > 0 {
			view.Place, view.Line, view.Col = s.Place.String(), s.Place.Line, s.Place.Col
			view.Source = shown(strings.TrimRight(s.Source, "\r\n"))
		}
		if d := s.Detail; d != nil {
			view.Matched, view.Bounds, view.Point = shown(d.Matched), d.Bounds, d.Point
			view.Notes = append(append(append(view.Notes, d.Notes...), d.Warnings...), d.Troubles...)
		}
		for _, a := range s.Attachments {
			if a.Kind == event.KindScreenshot || a.Kind == event.KindFailure {
				view.Shots = append(view.Shots, a.Path)
			}
		}
		v.Steps = append(v.Steps, view)
	}
}

// read takes over the result of a pack.
func (v *caseView) read(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // nothing was written
	res, err := pack.FoldFile(root, event.Case{Pack: v.Pack})
	if err != nil {
		return err
	}
	v.take(res)
	return nil
}
