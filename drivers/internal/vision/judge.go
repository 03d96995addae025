package vision

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// maxKnown bounds what one process remembers, in questions.
const maxKnown = 1000

// recall returns what is known of a question; nothing, unless that is allowed.
func (e *Models) recall(q *question) ([]drivers.Reply, error) {
	if _, err := e.mode(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	known := slices.Clone(e.known[q.asked.Key])
	e.mu.Unlock()
	if e.o.Recall != nil {
		known = append(known, e.o.Recall(q.asked.Key)...)
	}
	return known, nil
}

// remember keeps a good answer.
func (e *Models) remember(q *question, r drivers.Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) < maxKnown && !r.Replayed {
		e.known[q.asked.Key] = append(e.known[q.asked.Key], r)
	}
}

// Judge queries until more than half of the votes agree; a vote that cannot be read makes the judgement an error.
func (e *Models) Judge(ctx context.Context, img image.Image, prompt string, votes int) (drivers.Judgement, error) {
	var j drivers.Judgement
	q, err := e.newQuestion(judgeKind(), img, prompt)
	if err != nil {
		return j, err
	}
	j.Call = q.asked
	known, err := e.recall(q)
	if err != nil {
		return j, err
	}
	votes = max(votes, 1)
	for seed := 1; seed <= votes && 2*j.For <= votes && 2*j.Against <= votes; seed++ {
		if err := e.vote(ctx, q, &j, seed, known); err != nil {
			q.asked.Problem = err.Error()
			return j, err
		}
	}
	if j.For == j.Against {
		err := fmt.Errorf(
			"the model returned %d votes for it and %d against it: request an odd number of votes, or in other "+
				"words", j.For, j.Against)
		q.asked.Problem = err.Error()
		return j, err
	}
	return j, nil
}

// vote adds one answer. The reason and the evidence are those of the majority so far.
func (e *Models) vote(ctx context.Context, q *question, j *drivers.Judgement, seed int, known []drivers.Reply) error {
	r, err := e.ask(ctx, q, seed, known)
	if err != nil {
		return err
	}
	var a struct {
		Passed   *bool    `json:"passed"`
		Reason   *string  `json:"reason"`
		Evidence *[]cited `json:"evidence"`
	}
	object, err := parseObject(r, &a)
	if err != nil {
		return err
	}
	if a.Passed == nil || a.Reason == nil || a.Evidence == nil || strings.TrimSpace(*a.Reason) == "" {
		return lacks(r, "passed, reason or evidence is missing")
	}
	evidence, err := q.evidence(r, *a.Evidence)
	if err != nil {
		return err
	}
	if why := contradiction(object, *a.Passed); why != "" {
		return lacks(r, why)
	}
	if *a.Passed && len(evidence) == 0 {
		return lacks(r, "it says yes without any evidence")
	}
	e.remember(q, r)
	if *a.Passed {
		j.For++
	} else {
		j.Against++
	}
	if passed := j.For > j.Against; passed == *a.Passed {
		j.Passed, j.Reason, j.Evidence = passed, strings.TrimSpace(*a.Reason), evidence
	}
	return nil
}

// ExtractText requests a value.
func (e *Models) ExtractText(ctx context.Context, img image.Image, prompt string) (drivers.Extraction, error) {
	var a struct {
		Found    *bool    `json:"found"`
		Value    *string  `json:"value"`
		Evidence *[]cited `json:"evidence"`
	}
	q, r, err := e.single(ctx, extractKind(), img, prompt, &a)
	x := drivers.Extraction{}
	if q != nil {
		x.Call = q.asked
	}
	if err == nil && (a.Found == nil || a.Value == nil || a.Evidence == nil || *a.Found == (*a.Value == "")) {
		err = lacks(r, "found, value or evidence is missing, or they contradict each other")
	}
	if err == nil {
		x.Evidence, err = q.evidence(r, *a.Evidence)
	}
	if err == nil && !*a.Found {
		return x, fmt.Errorf("%w: the screen does not show %s", screen.ErrNotFound, screen.Quote(prompt))
	}
	if err != nil {
		return x, q.failed(err)
	}
	e.remember(q, r)
	x.Text = *a.Value
	return x, nil
}

// Locate requests a place.
func (e *Models) Locate(ctx context.Context, img image.Image, description string) (drivers.Located, error) {
	var a struct {
		Found  *bool      `json:"found"`
		Box    *[]float64 `json:"box"`
		Reason *string    `json:"reason"`
	}
	q, r, err := e.single(ctx, locateKind(), img, description, &a)
	s := drivers.Located{}
	if q != nil {
		s.Call = q.asked
	}
	if err == nil && (a.Found == nil || a.Box == nil || a.Reason == nil) {
		err = lacks(r, "found, box or reason is missing")
	}
	if err != nil {
		return s, q.failed(err)
	}
	s.Reason = strings.TrimSpace(*a.Reason)
	if !*a.Found {
		return s, fmt.Errorf("%w: the model sees no single %s: %s", screen.ErrNotFound, screen.Quote(description), s.Reason)
	}
	if s.Bounds, err = q.box(*a.Box); err != nil {
		return s, q.failed(lacks(r, err.Error()))
	}
	e.remember(q, r)
	return s, nil
}

// single queries once.
func (e *Models) single(ctx context.Context, k kind, img image.Image, prompt string, into any) (*question,
	drivers.Reply, error) {
	q, err := e.newQuestion(k, img, prompt)
	if err != nil {
		return nil, drivers.Reply{}, err
	}
	known, err := e.recall(q)
	if err != nil {
		return q, drivers.Reply{}, err
	}
	r, err := e.ask(ctx, q, 1, known)
	if err == nil {
		err = parse(r, into)
	}
	return q, r, err
}

// failed notes why there is no answer.
func (q *question) failed(err error) error {
	if q != nil {
		q.asked.Problem = err.Error()
	}
	return err
}
