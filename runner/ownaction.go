package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/onsi/ginkgo/v2"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Action defines an action of the suite's own, which its YAML tests write like any other one:
//
//	type PayArgs struct {
//		Amount float64 `required:"true" doc:"in euros"`
//		Card   string  `enum:"visa,amex" default:"visa"`
//	}
//
//	var _ = runner.Action("pay", func(ctx context.Context, d *runner.TestDevice, in PayArgs) error {
//		d.Tap("Pay", runner.Within(time.Minute))
//		return nil
//	})
//
// and in a test: - pay: {amount: 12.50}. The fields are the parameters: texts, numbers, time.Duration, bool,
// dsl.Selector and lists; the tags json, doc, required, default and enum describe them. What the function does with the
// device are steps in the report, as parts of the action; the first that fails ends the action. An error that it
// returns is a failure of the test. Call Action before RunSuites or Describe, best in a variable of the package. Tests
// with such actions run in the suite alone: taproot run does not know the function.
func Action[T any](name string, do func(ctx context.Context, d *TestDevice, in T) error) bool {
	s := theSuite()
	if s.described {
		panic("runner.Action must be called before runner.RunSuites and runner.Describe: " +
			"write var _ = runner.Action(…) at the top of the file")
	}
	var zero T
	if err := (&dsl.Own{}).Add(name, "", zero, do); err != nil {
		s.wrong = errors.Join(s.wrong, err)
	}
	for _, other := range s.actions {
		if other.Name == name {
			s.wrong = errors.Join(s.wrong, fmt.Errorf("two actions are called %q", name))
		}
	}
	s.actions = append(s.actions, plan.GoAction{Name: name, Args: zero,
		Do: goAction(func(ctx context.Context, d *TestDevice, fill func(reflect.Value) error) error {
			var in T
			if err := fill(reflect.ValueOf(&in).Elem()); err != nil {
				return err
			}
			return do(ctx, d, in)
		})})
	return true
}

// goAction is an own action in Go; fill sets its arguments.
type goAction func(ctx context.Context, d *TestDevice, fill func(reflect.Value) error) error

// callAction runs an own action in Go as a part of a case.
func (s *suite) callAction(ctx context.Context, steps *engine.Stepwise, step *dsl.Step, args any) (err error) {
	do, is := step.Def.Own.Go.(goAction)
	if !is {
		return fmt.Errorf("%s is not an action in Go", step.Def.Name)
	}
	defer func() {
		switch thrown := recover(); {
		case thrown == nil:
		case thrown == errActionEnded: // by a step, which has the reason
		default:
			panic(thrown)
		}
	}()
	d := s.shared().Borrow(actionTest{specTest{ctx}}, steps)
	return do(ctx, d, func(dst reflect.Value) error { return step.Def.Own.Fill(dst, args) })
}

// errActionEnded unwinds an own action after a step that failed.
var errActionEnded = errors.New("a step of the action failed")

// actionTest is an own action as the framework of a device.
type actionTest struct{ specTest }

// Fatal ends the action.
func (actionTest) Fatal(string) { panic(errActionEnded) }

// Context returns the context of the action.
func (t actionTest) Context() context.Context { return t.ctx }

// Helper marks its caller as a helper.
func (t actionTest) Helper() { ginkgo.GinkgoHelper(); t.specTest.Helper() }
