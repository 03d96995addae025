package check

import (
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// narrow returns those of several platforms on which a condition may have a value. A condition that names no platform
// leaves all of them, and so does one that holds on none: such steps are never run, wherever the test is.
func narrow(p vocabulary.Platform, cond source.Value, holds bool) vocabulary.Platform {
	each := p.Each()
	if len(each) < 2 || cond.Kind == source.Null || cond.Kind >= source.List {
		return p
	}
	var left []vocabulary.Platform
	for _, one := range each {
		is, constant := expr.ConstantOf(expr.Expr{Text: cond.Text, Pos: cond.Pos}, map[string]any{"platform": string(one)})
		if !constant || is == holds {
			left = append(left, one)
		}
	}
	if len(left) == 0 {
		return p
	}
	return event.PlatformOf(left)
}

// steppedOn returns the platforms on which a step may be run: its when decides.
func (d *reader) steppedOn(args source.Value) vocabulary.Platform {
	when, _ := args.Get("when")
	return narrow(d.Platform, when.Value, true)
}

// branch reads the steps of a branch of an if. Its condition may leave fewer platforms.
func (d *reader) branch(f source.Field) vocabulary.Steps {
	if d.splits {
		return d.branchOn(f)
	}
	cond := d.cond
	d.cond = source.Value{}
	before := d.Platform
	switch f.Key {
	case "then":
		d.Platform = narrow(d.Platform, cond, true)
	case "else":
		d.Platform = narrow(d.Platform, cond, false)
	}
	steps := d.steps(f)
	d.Platform, d.cond = before, cond
	return steps
}
