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
	Cond       *Expr     `json:"cond,omitempty"`
	Visible    *Selector `json:"visible,omitempty"`
	NotVisible *Selector `json:"notVisible,omitempty"`
	Then       Steps     `json:"then" required:"true"`
	Else       Steps     `json:"else,omitempty"`
}

func (If) rules() []rule { return []rule{exactlyOne("cond visible notVisible")} }

// Repeat is the argument of repeat: so many times, or as long as an expression is true, or both: then whichever ends
// first.
type Repeat struct {
	Times      *int      `json:"times,omitempty" minimum:"0" maximum:"10000"`
	While      *Expr     `json:"while,omitempty"`
	Visible    *Selector `json:"visible,omitempty"`
	NotVisible *Selector `json:"notVisible,omitempty"`
	Steps      Steps     `json:"steps" required:"true"`
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
		exclude("visible notVisible", "while").says("",
			"an expression and an element are two conditions: remove one of the two"),
		exclude("visible", "notVisible").says("", "remove one of the two")}
}

// Retry is the argument of retry.
type Retry struct {
	Times int   `json:"times,omitempty" minimum:"1" maximum:"100" default:"3"`
	Steps Steps `json:"steps" required:"true"`
}

// ForEach is the argument of forEach.
type ForEach struct {
	In    Items  `json:"in" required:"true"`
	Var   string `json:"var,omitempty" minLength:"1" fixed:"write the name itself" format:"variable" default:"item"`
	Steps Steps  `json:"steps" required:"true"`
}

// Group is the argument of group.
type Group struct {
	Name  string `json:"name,omitempty" minLength:"1"`
	Steps Steps  `json:"steps" required:"true"`
}

// Try is the argument of try.
type Try struct {
	Steps     Steps `json:"steps" required:"true"`
	OnFailure Steps `json:"onFailure,omitempty"`
	Always    Steps `json:"always,omitempty"`
}

func (Try) rules() []rule {
	return []rule{atLeastOne("onFailure always").says(`"try" needs "onFailure" or "always"`,
		"say what to do about a failure; to ignore it, write optional: true on the step")}
}

// Run is the argument of run: the steps of another file, or of a block that the file names. They see the variables of
// the test that runs them; what they save stays theirs, and as: takes it as a map.
type Run struct {
	File  string `json:"file,omitempty" scalar:"true" minLength:"1" fixed:"it has to be known before anything runs; choose with if" format:"stepsFile"`
	Block string `json:"block,omitempty" minLength:"1" fixed:"it has to be known before anything runs; choose with if"`
	With  Names  `json:"with,omitempty"`
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
	Vars Names `json:"vars,omitempty" minItems:"1"`
	Expr Exprs `json:"expr,omitempty" minItems:"1"`
}

func (Set) rules() []rule { return []rule{atLeastOne("vars expr")} }

// HTTP is the argument of http. as: saves {status, body, json}.
type HTTP struct {
	URL     string            `json:"url" required:"true" scalar:"true" minLength:"1" format:"http"`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS" default:"GET"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	JSON    any               `json:"json,omitempty"`
	Expect  *Expect           `json:"expect,omitempty"`
}

// Expect is what the answer of an http step must be.
type Expect struct {
	Status   int    `json:"status,omitempty" minimum:"100" maximum:"599"`
	Contains string `json:"contains,omitempty" minLength:"1"`
}

func (Expect) rules() []rule {
	return []rule{atLeastOne("").says(`"expect" expects nothing`, "for example: expect: {status: 201}")}
}

func (HTTP) rules() []rule {
	return []rule{
		oneBody(),
		exclude("body json", "method=GET method=HEAD").says("a GET or HEAD request has no body",
			"add method: POST, or remove the body"),
	}
}

// httpAddress checks where a request goes to.
func (d *decoding) httpAddress(v source.Value, address string) {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		d.wrong(v, fmt.Sprintf("the URL %q does not start with http:// or https://%s", shorten.Runes(address, 60),
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
