package maestro

import (
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/dsl/source"
)

// Holds is the argument of a command that holds others.
type Holds struct {
	Steps dsl.Steps `json:"commands"`
}

// Leaf is the argument of a command that holds none.
type Leaf struct{}

// defOf is the word of a command, as reports call it.
func defOf(c *Command) *dsl.Def {
	d := &dsl.Def{Name: c.Name, Args: Leaf{}, Platforms: []dsl.Platform{dsl.Android, dsl.IOS, dsl.Web}}
	switch c.Do.(type) {
	case RunFlow, Repeat, Retry, Entry:
		d.Args = Holds{}
	}
	return d
}

// valueOf shows what a command says, without the commands that it holds.
func valueOf(r source.Raw) source.Value {
	v := source.Value{Pos: r.Pos, Kind: r.Kind, Text: r.Text}
	for _, item := range r.Items {
		v.Items = append(v.Items, valueOf(item))
	}
	for _, f := range r.Fields {
		if f.Key != "commands" {
			v.Fields = append(v.Fields, source.Field{Key: f.Key, Pos: f.Pos, Value: valueOf(f.Value)})
		}
	}
	if r.Kind == source.Map && len(v.Fields) == 0 {
		return source.Value{Pos: r.Pos}
	}
	return v
}

// Step is the one step of a test, or of a block, that runs the flow.
func (f *Flow) Step() *dsl.Step {
	pos := source.Pos{File: f.File, Line: 1, Col: 1}
	if len(f.Steps) > 0 {
		pos = f.Steps[0].Pos
	}
	c := &Command{Name: "flow", Do: Entry{f}}
	step := vocabulary.ForeignStep(defOf(c), pos, f.Source, source.Value{Kind: source.String, Text: f.File, Pos: pos}, c)
	step.Hold("onFlowStart", f.Start)
	step.Hold("commands", f.Steps)
	step.Hold("onFlowComplete", f.Complete)
	return step
}

// Test makes a test of the flow. A flow of an app runs on the platform that is given.
func (f *Flow) Test(id string, platform dsl.Platform) *dsl.Test {
	pos := source.Pos{File: f.File, Line: 1, Col: 1}
	if f.Web {
		platform = dsl.Web
	}
	return &dsl.Test{Pos: pos, ID: id, IDPos: pos, Name: f.Name, Platform: platform, Tags: f.Tags,
		Properties: f.Properties, Source: f.Source,
		Steps: dsl.Steps{f.Step()}, Warnings: f.Warnings}
}

// Block makes what a run step of Taproot runs of the flow.
func (f *Flow) Block() *dsl.Block {
	return &dsl.Block{File: f.File, Pos: source.Pos{File: f.File, Line: 1, Col: 1}, Steps: dsl.Steps{f.Step()},
		Source: f.Source}
}
