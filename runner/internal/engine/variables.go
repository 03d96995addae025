package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// variables are the variables of a case, and evaluate its expressions and conditions.
type variables struct {
	*report
	c       plan.Case
	dev     drivers.Device
	session *action.Performer
	scope   *dsl.Scope
	source  *source.Source // the file of the current step
}

// hide masks the current values of variables in the report.
func (v *variables) hide(names ...string) {
	for _, name := range names {
		if value, ok := v.scope.Value(name); ok {
			v.sink.Mask().Hide(dsl.Show(value))
		}
	}
}

// set sets variables. All values are computed before the first one is set.
func (v *variables) set(a dsl.Set) error {
	computed := dsl.Names{}
	for _, name := range slices.Sorted(maps.Keys(a.Expr)) { // of several wrong ones, always the same is reported
		value, err := v.eval(a.Expr[name])
		if err != nil {
			return err
		}
		computed[name] = value
	}
	for _, values := range []dsl.Names{a.Values(), computed} {
		for name, value := range values {
			v.save(name, value)
		}
	}
	return nil
}

// save saves a value under a name; a secret value is masked from now on.
func (v *variables) save(name string, value any) {
	v.scope.Set(name, value)
	if slices.Contains(v.c.Test.Secrets, name) {
		v.hide(name)
	}
}

// truth evaluates a condition; a value other than true or false is an error in the test.
func (v *variables) truth(ctx context.Context, e dsl.Expr) (bool, error) {
	known := v.expressionNames()
	var broken error // an error of the device, not of the test
	known["visible"] = func(label string) (bool, error) {
		on, err := action.Visible(ctx, v.session, label)
		if err != nil && broken == nil {
			broken = err
		}
		return on, err
	}
	var value any
	err := action.Guard(func() (err error) {
		value, err = v.scope.EvalExpr(e, v.source, known)
		return err
	})
	if broken != nil {
		return false, broken
	}
	if err != nil {
		return false, action.WrongExpression(err)
	}
	on, ok := value.(bool)
	if !ok {
		p := event.Problem{Message: fmt.Sprintf("%s is %s, neither true nor false", e.Text, dsl.Show(value))}
		if value == nil {
			return false, &action.Failure{Problem: p}
		}
		return false, &action.Mistake{Problem: p}
	}
	return on, nil
}

// elementTime is how long a condition waits for its element by default.
const elementTime = time.Second

// conditionHolds evaluates a condition: an expression, an element that must be on the screen, or one that must not.
func (v *variables) conditionHolds(ctx context.Context, cond *dsl.Expr, visible, gone *dsl.Selector,
	wait time.Duration) (on bool, err error) {
	if cond != nil {
		return v.truth(ctx, *cond)
	}
	err = action.Guard(func() (err error) {
		on, err = action.Holds(ctx, v.session, visible, gone, wait)
		return err
	})
	return on, err
}

// eval evaluates an expression of a step; its errors are errors in the test.
func (v *variables) eval(e dsl.Expr) (any, error) {
	value, err := v.scope.EvalExpr(e, v.source, v.expressionNames())
	if err != nil {
		return nil, action.WrongExpression(err)
	}
	return value, nil
}

// expressionNames are the names in expressions in addition to the variables.
func (v *variables) expressionNames() map[string]any {
	info := v.dev.Info()
	return map[string]any{"platform": string(v.c.Platform),
		"device": map[string]any{"id": info.ID, "model": info.Model, "os": info.OSVersion}}
}

// asTestError turns an error that is found only when a step's variables are known into a failure of the test, not of
// the device.
func asTestError(err error) error {
	var place *source.Error
	if errors.As(err, &place) {
		return &action.Failure{Problem: event.Problem{Message: place.Msg + hint(place)}}
	}
	return &action.Failure{Problem: event.Problem{Message: err.Error()}}
}

func hint(e *source.Error) string {
	if e.Hint == "" {
		return ""
	}
	return "; " + e.Hint
}
