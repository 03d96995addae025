package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// stopped ends the context of a device's steps because those of another one, at the same time, did not pass.
type stopped struct {
	device string
	result event.Result
	step   string          // " in step 3", or ""
	outer  context.Context // of the on step
}

func (s *stopped) Error() string {
	if s.result == event.Error {
		return fmt.Sprintf("stopped: %s had an error%s", s.device, s.step)
	}
	return fmt.Sprintf("stopped: %s failed%s", s.device, s.step)
}

// stoppedBy returns why another device ended the context, nil if none did.
func stoppedBy(ctx context.Context) *stopped {
	var s *stopped
	if ctx.Err() != nil && errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}

// on runs steps on one of the case's devices, or on several at once.
func (b *blocks) on(ctx context.Context, step *dsl.Step, a dsl.On) outcome {
	own := b.lanes[0]
	used := make([]*lane, len(a.Branches))
	for i, branch := range a.Branches {
		if used[i] = b.lanes.of(branch.Device); used[i] == nil || used[i].name == "" {
			return b.steps.leaf(ctx, step, func(context.Context) error {
				return asTestError(fmt.Errorf("the device %q of the test is not open here", branch.Device))
			})
		}
	}
	if !slices.Contains(used, own) {
		own.rest(ctx)
		defer own.await()
	}
	if len(used) > 1 {
		return b.parallel(ctx, used, a)
	}
	if used[0] == own {
		return b.list(ctx, a.Branches[0].Steps)
	}
	used[0].enter(b, b.vars.scope)
	o := used[0].blocks.list(ctx, a.Branches[0].Steps)
	used[0].leave(b)
	used[0].rest(ctx)
	return o
}

// enter makes a lane continue where the steps outside of on are.
func (l *lane) enter(b *blocks, scope *dsl.Scope) {
	l.await()
	l.vars.scope, l.vars.source = scope, b.vars.source
	if l.blocks == b {
		return
	}
	l.steps.in, l.steps.lenient, l.steps.soft = slices.Clone(b.steps.in), b.steps.lenient, nil
}

// leave returns what the steps of a lane have left.
func (l *lane) leave(b *blocks) {
	b.report.takeOver(l.report)
	if l.blocks == b {
		return
	}
	if b.steps.soft == nil {
		b.steps.soft = l.steps.soft
	}
	if l.steps.cause != nil {
		b.steps.cause = l.steps.cause
	}
	if l.steps.acted.After(b.steps.acted) && b.steps.acted.IsZero() {
		b.steps.acted = l.steps.acted
	}
}

// branchEnd is how the steps of one device ended.
type branchEnd struct {
	lane *lane
	outcome
	at time.Time
}

// parallel runs steps on several devices at once, until all have ended. Each sees the variables as they were before,
// and what it saves itself. When one of them does not pass, the waits of the others are cancelled.
func (b *blocks) parallel(ctx context.Context, used []*lane, a dsl.On) outcome {
	branches := a.Branches
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	before := b.vars.scope
	b.lanes.parallel(true)
	ends, scopes := make([]branchEnd, len(used)), make([]*dsl.Scope, len(used))
	for i, l := range used {
		scopes[i] = before.Branch()
		l.enter(b, scopes[i])
		l.steps.begun, l.steps.failedAt = map[source.Pos]bool{}, 0
	}
	var work sync.WaitGroup
	for i, l := range used {
		work.Go(func() {
			o := l.branch(action.WithTouches(limited, ctx), branches[i].Steps)
			if o.result == event.Fail || o.result == event.Error {
				stop(&stopped{device: l.name, result: o.result, step: l.failing(o.problem), outer: ctx})
			}
			ends[i] = branchEnd{lane: l, outcome: o, at: time.Now()}
			l.rest(ctx)
		})
	}
	work.Wait()
	b.lanes.parallel(false)
	for i, l := range used {
		l.await()
		if why := stoppedBy(limited); why != nil && ends[i].result == event.Interrupted && ctx.Err() == nil {
			l.unreached(branches[i].Steps, why.Error())
		}
		l.leave(b)
		before.Merge(scopes[i])
		l.vars.scope = before
	}
	return b.worst(ctx, ends)
}

// parallel says that several lanes run at the same time.
func (ls lanes) parallel(on bool) {
	for _, l := range ls {
		l.steps.parallel = on
	}
}

// branch runs the steps of one device. A panic is an error of it, as it is in the goroutine of the case.
func (l *lane) branch(ctx context.Context, steps dsl.Steps) (o outcome) {
	err := action.Guard(func() error { o = l.blocks.list(ctx, steps); return nil })
	if err != nil {
		o = outcome{event.Error, &event.Problem{Message: l.steps.whose + ": " + err.Error(), Stack: action.StackOf(err)}}
	}
	return o
}

// unreached reports the steps that another device's failure has prevented.
func (l *lane) unreached(steps dsl.Steps, why string) {
	for step := range steps.Leaves {
		if l.steps.begun[step.Pos] {
			continue
		}
		n := l.steps.next()
		info := infoOf(step, l.vars.scope)
		info.N, info.Device = n, l.name
		l.emit(event.Event{Kind: event.StepEnded, Step: n, Info: &info, Result: event.Unreached,
			Problem: &event.Problem{Message: why}})
	}
}

// worst returns the outcome of devices that ran at once: an error before a failure, a failure before an interrupt, and
// of two the first in time.
func (b *blocks) worst(ctx context.Context, ends []branchEnd) outcome {
	var found *branchEnd
	for _, result := range []event.Result{event.Error, event.Fail, event.Interrupted} {
		for i := range ends {
			if ends[i].result == result && (found == nil || found.result == result && ends[i].at.Before(found.at)) {
				found = &ends[i]
			}
		}
	}
	if found == nil {
		for _, e := range ends { // a soft step
			if n := e.lane.steps.failedAt; n > 0 {
				b.lanes.moments(ctx, e.lane.name, n)
			}
		}
		return passed
	}
	if n := found.lane.stepOf[found.problem]; n > 0 && b.steps.lenient == 0 && found.result != event.Interrupted {
		b.lanes.moments(ctx, found.lane.name, n)
	}
	return found.outcome
}
