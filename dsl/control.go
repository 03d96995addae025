package dsl

import (
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// If is the argument of if.
type If struct {
	Cond       *Expr     `json:"cond,omitempty" doc:"An expression, for example visible(\"Accept\") or total > 5."`
	Visible    *Selector `json:"visible,omitempty" doc:"Instead of an expression: true when that element is on the screen within timeoutMs (default 1000), which is the time of the condition then."`
	NotVisible *Selector `json:"notVisible,omitempty" doc:"Instead of an expression: true when that element is gone within timeoutMs (default 1000)."`
	Then       Steps     `json:"then" required:"true" doc:"The steps when it is true."`
	Else       Steps     `json:"else,omitempty" doc:"The steps when it is not."`
}

func (If) rules() []rule { return []rule{exactlyOne("cond visible notVisible")} }

// Repeat is the argument of repeat: so many times, or as long as an expression is true, or both: then whichever ends
// first.
type Repeat struct {
	Times      *int      `json:"times,omitempty" minimum:"0" maximum:"10000" doc:"How often; with while, visible or notVisible: at most so often. Default with them: 100."`
	While      *Expr     `json:"while,omitempty" doc:"An expression that is looked at before each round."`
	Visible    *Selector `json:"visible,omitempty" doc:"As long as that element is on the screen within timeoutMs (default 1000), which is the time of the condition then."`
	NotVisible *Selector `json:"notVisible,omitempty" doc:"As long as that element is gone within timeoutMs (default 1000)."`
	Steps      Steps     `json:"steps" required:"true" doc:"The steps of a round."`
}

// Rounds is how often the steps are run at most.
func (r Repeat) Rounds() int {
	if r.Times == nil {
		return 100
	}
	return *r.Times
}

func (Repeat) rules() []rule {
	return []rule{atLeastOne("times while visible notVisible").says(`"repeat" does not say how often`,
		"give times, or while, or both"),
		cannotStand("visible notVisible", "while").says("",
			"an expression and an element are two conditions: remove one of the two"),
		cannotStand("visible", "notVisible").says("", "remove one of the two")}
}

// Retry is the argument of retry.
type Retry struct {
	Times int   `json:"times,omitempty" minimum:"1" maximum:"100" default:"3" doc:"How often the steps are tried at most."`
	Steps Steps `json:"steps" required:"true" doc:"The steps; they begin anew when one of them fails."`
}

// ForEach is the argument of forEach.
type ForEach struct {
	In    Items  `json:"in" required:"true" doc:"A list, or an expression that gives one."`
	Var   string `json:"var,omitempty" minLength:"1" fixed:"write the name itself" format:"variable" default:"item" doc:"The variable that holds the entry during its round."`
	Steps Steps  `json:"steps" required:"true" doc:"The steps of a round."`
}

// Group is the argument of group.
type Group struct {
	Name  string `json:"name,omitempty" minLength:"1" doc:"What reports call the steps together."`
	Steps Steps  `json:"steps" required:"true" doc:"The steps."`
}

// Try is the argument of try.
type Try struct {
	Steps     Steps `json:"steps" required:"true" doc:"The steps that may fail."`
	OnFailure Steps `json:"onFailure,omitempty" doc:"The steps when one of them failed; the test then goes on behind the try."`
	Always    Steps `json:"always,omitempty" doc:"The steps that end the try, however it went."`
}

func (Try) rules() []rule {
	return []rule{atLeastOne("onFailure always").says(`"try" needs "onFailure" or "always"`,
		"say what to do about a failure; to ignore it, write optional: true on the step")}
}

// Run is the argument of run: the steps of another file, or of a block that the file names. They see the variables of
// the test that runs them; what they save stays theirs, and as: takes it as a map.
type Run struct {
	File  string `json:"file,omitempty" scalar:"true" minLength:"1" fixed:"it has to be known before anything runs; choose with if" format:"stepsFile" doc:"The file, relative to this one: a whole test, or only vars and steps."`
	Block string `json:"block,omitempty" minLength:"1" fixed:"it has to be known before anything runs; choose with if" doc:"The name of one of the blocks that stand under blocks: in that file, or, without file, in this one."`
	With  Names  `json:"with,omitempty" doc:"Values for its vars."`
}

func (Run) rules() []rule { return []rule{atLeastOne("file block")} }

// What names what is run, as reports show it.
func (r Run) What() string {
	switch {
	case r.File == "":
		return r.Block
	case r.Block == "":
		return r.File
	}
	return r.File + " " + r.Block
}

// Set is the argument of set.
type Set struct {
	Vars Names `json:"vars,omitempty" minItems:"1" example:"set: {vars: {count: 3, greeting: Hello}}" doc:"The variables and their values: texts, numbers, true or false, lists, maps. Steps that follow see them."`
	Expr Exprs `json:"expr,omitempty" minItems:"1" example:"set: {expr: {count: count + 1}}" doc:"The variables and expressions over variables that give their values: count + 1. All are computed before any is set."`
}

func (Set) rules() []rule { return []rule{atLeastOne("vars expr")} }

// HTTP is the argument of http. as: saves {status, body, json}.
type HTTP struct {
	URL     string            `json:"url" required:"true" scalar:"true" minLength:"1" format:"http" doc:"The address, beginning with http:// or https://."`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS" default:"GET" doc:"The method."`
	Headers map[string]string `json:"headers,omitempty" doc:"Headers of the request."`
	Body    string            `json:"body,omitempty" doc:"Body of the request."`
	JSON    any               `json:"json,omitempty" doc:"Body of the request, written as JSON."`
	Expect  *Expect           `json:"expect,omitempty" example:"expect: {status: 201}" doc:"What the answer must be. Default: any status below 400."`
}

// Expect is what the answer of an http step must be.
type Expect struct {
	Status   int    `json:"status,omitempty" minimum:"100" maximum:"599" doc:"Its status."`
	Contains string `json:"contains,omitempty" minLength:"1" doc:"A text that its body holds."`
}

func (Expect) rules() []rule {
	return []rule{atLeastOne("").says(`"expect" expects nothing`, "for example: expect: {status: 201}")}
}

func (HTTP) rules() []rule {
	return []rule{
		oneBody(),
		cannotStand("body json", "method=GET method=HEAD").says("a GET or HEAD request has no body",
			"add method: POST, or remove the body"),
	}
}

// httpAddress checks where a request goes to.
func (d *decoding) httpAddress(v source.Value, address string) {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		d.wrong(v, fmt.Sprintf("the address %q does not begin with http:// or https://%s", shorten.Runes(address, 60),
			origin(v)), "write the whole address")
		return
	}
	d.page(v, address)
}

func (a If) cost(c costing, _ *Step, limit time.Duration) Cost {
	then, otherwise := c.steps(a.Then), c.steps(a.Else)
	return Cost{max(then.Time, otherwise.Time), then.AtMin || otherwise.AtMin}
}

func (a Repeat) cost(c costing, _ *Step, _ time.Duration) Cost {
	return c.steps(a.Steps).times(a.Rounds())
}

func (a Retry) cost(c costing, _ *Step, _ time.Duration) Cost { return c.steps(a.Steps).times(a.Times) }

func (a ForEach) cost(c costing, _ *Step, _ time.Duration) Cost {
	if a.In.Expr != nil {
		return c.steps(a.Steps).plus(Cost{AtMin: true})
	}
	return c.steps(a.Steps).times(len(a.In.List))
}

func (a Group) cost(c costing, _ *Step, _ time.Duration) Cost { return c.steps(a.Steps) }

func (a Try) cost(c costing, _ *Step, _ time.Duration) Cost {
	return c.steps(a.Steps).plus(c.steps(a.OnFailure)).plus(c.steps(a.Always))
}

func (a Run) cost(c costing, s *Step, _ time.Duration) Cost { return c.block(s, a) }

func (Set) cost(costing, *Step, time.Duration) Cost { return Cost{} }
