package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/mailurl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Describe sums a case up for the report of a run in which it had no device. Variables without a value stay as they are
// written.
func Describe(c plan.Case) event.Case {
	scope, err := c.Scope()
	if err != nil {
		scope, _ = dsl.NewScope(&dsl.Test{Source: c.Test.Source}, nil, nil) // without vars it cannot fail
	}
	described := describe(c, scope)
	mask := &event.Mask{} // the steps are written before the report pack masks them
	mask.Hide(secretsOf(c.Test, scope)...)
	if masked, err := mask.Event(event.Event{Case: &described}); err == nil {
		return *masked.Case
	}
	described.Steps = nil
	return described
}

// secretsOf are the passwords in the arguments of a test's steps, as far as their variables have values.
func secretsOf(t *dsl.Test, scope *dsl.Scope) (secrets []string) {
	for _, steps := range t.Lists() {
		for step := range steps.All {
			secrets = append(secrets, dsl.Secrets(step, scope)...)
		}
	}
	for _, server := range dsl.MailServers(scope, t.Lists()...) {
		secrets = append(secrets, mailurl.Secrets(server)...)
	}
	return secrets
}

func describe(c plan.Case, scope *dsl.Scope) event.Case {
	t := c.Test
	d := event.Case{ID: t.ID, Pack: c.Pack, Name: t.Name, Platform: c.Platform, Browser: c.Browser, Solver: "dsl",
		Needed: c.Needed, Fails: t.Fails, Tags: t.Tags, Place: t.Pos,
		Hash: hashOf(t), Description: t.Description, Owner: t.Owner, Links: t.Links, Properties: t.Properties}
	for _, e := range c.Devices {
		d.Devices = append(d.Devices, event.CaseDevice{Name: e.Name, Platform: e.Platform, Browser: e.Browser})
	}
	dynamic := isDynamic(t)
	for _, steps := range []dsl.Steps{t.Before, t.Steps, t.After} {
		for s, device := range steps.OnDevices(t.MainDevice()) {
			if s.Def.Control() {
				continue
			}
			info := infoOf(s, scope)
			info.Device = device
			if !dynamic {
				info.N = len(d.Steps) + 1
			}
			d.Steps = append(d.Steps, info)
		}
	}
	return d
}

// hashOf identifies a version of a test.
func hashOf(t *dsl.Test) string {
	if t.Source == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(t.Source.Lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// infoOf shows a step as reports do.
func infoOf(s *dsl.Step, scope *dsl.Scope) event.Step {
	return event.Step{Action: s.Def.Name, Name: s.Options.Name, Args: dsl.Args(s, scope), Place: s.Pos,
		Source: s.Source().Line(s.Pos.Line)}
}

// isDynamic reports whether the order of the steps is decided only while the test runs.
func isDynamic(t *dsl.Test) bool {
	if len(t.Before)+len(t.OnFailure)+len(t.After)+len(t.Devices) > 0 {
		return true
	}
	for s := range t.Steps.All {
		if s.Def.Control() || s.Def.Own != nil || s.Options.When != nil || s.Foreign() != nil {
			return true
		}
	}
	return false
}

// screenshotLabel names a screenshot after the action of the step, never after typed text.
func screenshotLabel(step *dsl.Step, scope *dsl.Scope) string {
	if step.Options.Name != "" {
		return step.Options.Name
	}
	switch step.Def.Name {
	case "input", "webType":
		return step.Def.Name
	}
	text := step.Args.Text
	for _, key := range []string{"label", "text", "id", "package", "selector", "url", "testId", "css"} {
		if f, ok := step.Args.Get(key); ok && text == "" {
			text = f.Value.Text
		}
	}
	if filled, err := scope.Expand(text, step.Pos); err == nil {
		text = filled
	}
	return step.Def.Name + " " + text
}
