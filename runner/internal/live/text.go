package live

import (
	"encoding/json"
	"fmt"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// texts fills in the variables of a caller's texts, and masks their values in responses.
type texts struct {
	scope *dsl.Scope
	mask  *event.Mask
}

// decode checks the arguments of an action and fills in the variables. Passwords in them are masked from then on, also
// in the error.
func (t texts) decode(def *dsl.Def, v source.Value) (any, dsl.StepOptions, error) {
	v, err := dsl.Fill(v, t.scope)
	if err != nil {
		return nil, dsl.StepOptions{}, t.maskError(err)
	}
	t.mask.Hide(dsl.SecretsIn(v)...)
	args, opts, err := dsl.DecodeStep(def, v)
	if err != nil {
		return nil, dsl.StepOptions{}, t.maskError(err)
	}
	return args, opts, nil
}

// masked masks secrets in an answer.
func (t texts) masked(a Answer) (Answer, error) {
	if t.mask.Empty() {
		return a, nil
	}
	for _, part := range []any{&a.Detail, &a.Problem, &a.Value} {
		data, err := json.Marshal(part)
		if err == nil {
			err = json.Unmarshal([]byte(t.mask.Text(string(data))), part)
		}
		if err != nil {
			return Answer{}, fmt.Errorf("mask the answer: %w", err)
		}
	}
	return a, nil
}

// maskError masks secrets in an error's text; the error in the chain stays.
func (t texts) maskError(err error) error {
	if text := t.mask.Text(err.Error()); text != err.Error() {
		return &hiddenError{text, err}
	}
	return err
}

type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }
