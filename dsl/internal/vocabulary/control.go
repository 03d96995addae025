package vocabulary

import (
	"maps"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
)

// If is the argument of if.
type If struct {
	Cond       *expr.Expr `json:"cond,omitempty"`
	Visible    *Selector  `json:"visible,omitempty"`
	NotVisible *Selector  `json:"notVisible,omitempty"`
	Then       Steps      `json:"then" required:"true"`
	Else       Steps      `json:"else,omitempty"`
}

func (If) rules() []Rule { return []Rule{exactlyOne("cond visible notVisible")} }

// Repeat is the argument of repeat: so many times, or as long as an expression is true, or both: then whichever ends
// first.
type Repeat struct {
	Times      *int       `json:"times,omitempty" minimum:"0" maximum:"10000"`
	While      *expr.Expr `json:"while,omitempty"`
	Visible    *Selector  `json:"visible,omitempty"`
	NotVisible *Selector  `json:"notVisible,omitempty"`
	Steps      Steps      `json:"steps" required:"true"`
}

// Rounds is how often the steps are run at most.
func (r Repeat) Rounds() int {
	if r.Times == nil {
		return 100
	}
	return *r.Times
}

func (Repeat) rules() []Rule {
	return []Rule{atLeastOne("times while visible notVisible").says(`"repeat" does not say how often`,
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

func (Try) rules() []Rule {
	return []Rule{atLeastOne("onFailure always").says(`"try" needs "onFailure" or "always"`,
		"say what to do about a failure; to ignore it, write optional: true on the step")}
}

// Run is the argument of run: the steps of another file, or of a block that the file names. They see the variables of
// the test that runs them; what they save stays theirs, and as: takes it as a map.
type Run struct {
	File  string `json:"file,omitempty" scalar:"true" minLength:"1" fixed:"it has to be known before anything runs; choose with if" format:"stepsFile"`
	Block string `json:"block,omitempty" minLength:"1" fixed:"it has to be known before anything runs; choose with if"`
	With  Names  `json:"with,omitempty"`
}

func (Run) rules() []Rule { return []Rule{atLeastOne("file block")} }

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

// Set is the argument of set. Keys that are neither its own nor options of every step are variables.
type Set struct {
	Vars Names `json:"vars,omitempty" minItems:"1"`
	Expr Exprs `json:"expr,omitempty" minItems:"1"`
	More Names `json:"-" keys:"other"`
}

// Values are the variables with the values that they are given as such.
func (a Set) Values() Names {
	all := maps.Clone(a.More)
	if all == nil {
		all = Names{}
	}
	maps.Copy(all, a.Vars)
	return all
}

func (Set) rules() []Rule { return []Rule{atLeastOne("vars expr")} }

// HTTP is the argument of http. as: saves {status, body, json}.
type HTTP struct {
	URL     string            `json:"url" required:"true" scalar:"true" minLength:"1" format:"http"`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS" default:"GET"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	JSON    any               `json:"json,omitempty"`
	Expect  *Expect           `json:"expect,omitempty"`
}

// Exec is the argument of exec. as: saves {exit, stdout, stderr}.
type Exec struct {
	Run []string          `json:"run" required:"true" scalar:"true" minItems:"1"`
	Cwd string            `json:"cwd,omitempty" minLength:"1"`
	Env map[string]string `json:"env,omitempty"`
}

// WaitForMail is the argument of waitForMail. as: saves what extract finds, without it a map of from, to, subject and
// text.
type WaitForMail struct {
	Server  string    `json:"server" required:"true" minLength:"1" format:"mailServer"`
	To      string    `json:"to,omitempty" minLength:"1"`
	Subject string    `json:"subject,omitempty" minLength:"1"`
	Match   MatchMode `json:"match,omitempty" enum:"exact,words,prefix,contains,regex"`
	Extract string    `json:"extract,omitempty" minLength:"1" format:"regex"`
}

// Which names the mail that is waited for, without what is taken from it.
func (a WaitForMail) Which() WaitForMail {
	a.Extract = ""
	return a
}

func (WaitForMail) rules() []Rule {
	return []Rule{
		atLeastOne("to subject").says(`"waitForMail" does not say which mail`,
			"add to, subject or both: other tests may get mail at the same time"),
		belongs("match", "subject").says("", "it says how to compare the subject: add subject, or remove match"),
	}
}

// Expect is what the answer of an http step must be.
type Expect struct {
	Status   int    `json:"status,omitempty" minimum:"100" maximum:"599"`
	Contains string `json:"contains,omitempty" minLength:"1"`
}

func (Expect) rules() []Rule {
	return []Rule{atLeastOne("").says(`"expect" expects nothing`, "for example: expect: {status: 201}")}
}

func (HTTP) rules() []Rule {
	return []Rule{
		oneBody(),
		exclude("body json", "method=GET method=HEAD").says("a GET or HEAD request has no body",
			"add method: POST, or remove the body"),
	}
}

func (a If) cost(inside func(Steps) Cost, limit time.Duration) Cost {
	then, otherwise := inside(a.Then), inside(a.Else)
	return Cost{Time: max(then.Time, otherwise.Time), AtMin: then.AtMin || otherwise.AtMin}
}

func (a Repeat) cost(inside func(Steps) Cost, _ time.Duration) Cost {
	return inside(a.Steps).Times(a.Rounds())
}

func (a Retry) cost(inside func(Steps) Cost, _ time.Duration) Cost {
	return inside(a.Steps).Times(a.Times)
}

func (a ForEach) cost(inside func(Steps) Cost, _ time.Duration) Cost {
	if a.In.Expr != nil {
		return inside(a.Steps).Plus(Cost{AtMin: true})
	}
	return inside(a.Steps).Times(len(a.In.List))
}

func (a Group) cost(inside func(Steps) Cost, _ time.Duration) Cost { return inside(a.Steps) }

func (a Try) cost(inside func(Steps) Cost, _ time.Duration) Cost {
	return inside(a.Steps).Plus(inside(a.OnFailure)).Plus(inside(a.Always))
}

func (Set) cost(func(Steps) Cost, time.Duration) Cost { return Cost{} }

// controlActions returns every action that says how other steps are run, or prepares data.
func controlActions() []Def {
	return []Def{
		{
			Name: "if", Args: If{},
			Doc:       "Runs steps only when an expression is true, and others when it is not.",
			Example:   "if: {cond: visible(\"Accept\"), then: [{tap: Accept}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "repeat", Args: Repeat{},
			Doc:       "Runs steps several times.",
			Example:   "repeat: {times: 3, steps: [{scroll: down}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "retry", Args: Retry{},
			Doc:       "Runs steps again from the first one when one of them fails.",
			Example:   "retry: {times: 3, steps: [{tap: Refresh}, {assert: Online}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "forEach", Args: ForEach{},
			Doc:       "Runs steps once for each entry of a list.",
			Example:   "forEach: {in: [Milk, Bread], var: item, steps: [{tap: \"${item}\"}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "group", Args: Group{},
			Doc:       "Runs steps that belong together under one name.",
			Example:   "group: {name: sign in, steps: [{tap: Sign in}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "try", Args: Try{},
			Doc:       "Runs steps, and handles their failure with other steps.",
			Example:   "try: {steps: [{tap: Later}], onFailure: [{log: no banner}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "run", Args: Run{},
			Doc:       "Runs the steps of another file.",
			Example:   "run: {file: blocks/login.yaml, with: {USER: ada}}",
			Platforms: everywhere, Interfaces: YAML,
			Saves:  "the values that its steps saved, as a map",
			Effect: Acts,
		},
		{
			Name: "on", Args: On{},
			Doc:       "Runs steps on one of the test's devices, or on several at once. It ends when all of them have ended.",
			Example:   "on: {bob: [{tap: Sign in}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Acts,
		},
		{
			Name: "set", Tier: Core, Args: Set{},
			Doc: "Sets variables: every key is one, except vars, expr and the options of every step. Variables with such a " +
				"name are set under vars.",
			Example:   "set: {count: 3, greeting: Hello}",
			Platforms: everywhere, Interfaces: YAML, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "http", Args: HTTP{},
			Doc:       "Sends a request from the machine that runs the test, to prepare or to check data.",
			Example:   "http: {url: \"https://example.com/api/users\", method: POST, json: {name: Ada}, as: user}",
			Platforms: everywhere, Interfaces: YAML,
			Saves:  "a map of status, body and json",
			Effect: Acts | Aside,
		},
		{
			Name: "exec", Args: Exec{},
			Doc:       "Runs a program on the machine that runs the test, where the user allows it.",
			Example:   "exec: {run: [make, seed], timeout: 2m}",
			Platforms: everywhere, Interfaces: YAML,
			Saves:  "a map of exit, stdout and stderr",
			Effect: Acts | Aside,
		},
		{
			Name: "waitForMail", Args: WaitForMail{},
			Doc: "Waits for a mail that arrives after the start of the test, in a mailbox (IMAP) or in Mailpit, and " +
				"takes a code or a link from it.",
			Example: "waitForMail: {server: \"http://localhost:8025\", to: ada@example.com, subject: Your code, " +
				"extract: \"\\\\d{6}\", as: code}",
			Platforms: everywhere, Interfaces: YAML,
			Saves:  "what extract finds, without extract a map of from, to, subject and text",
			Effect: Looks | OpenWorld,
		},
	}
}
