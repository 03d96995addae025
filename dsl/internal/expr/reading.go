package expr

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Values reads values that may hold variables, and collects what is wrong with them.
type Values struct {
	source.Report
	Variables Variables // what ${…} in a text means
}

type Variables int

const (
	Literal  Variables = iota // nothing: the text is final
	Deferred                  // the value is not known yet and may be of any type
	Refused                   // a mistake: variables do not work here
)

// NameOf reports whether a key can be the name of a variable.
func (c *Values) NameOf(f source.Field) bool {
	if VarForm.MatchString(f.Key) && !Reserved(f.Key) {
		return true
	}
	c.badName(f.Pos, len([]rune(f.Key)), f.Key)
	return false
}

// VariableName checks a value that names a variable.
func (c *Values) VariableName(v source.Value, text string) {
	if !VarForm.MatchString(text) || Reserved(text) {
		c.badName(v.Pos, len([]rune(v.Text)), v.Text)
	}
}

func (c *Values) badName(pos source.Pos, width int, name string) {
	if Reserved(name) {
		c.Fail(pos, width, fmt.Sprintf("the variable %q has a meaning of its own in expressions", name),
			"choose another name")
		return
	}
	c.Fail(pos, width, fmt.Sprintf("%q cannot be the name of a variable", phrase.LimitRunes(name, 60)),
		"use letters without accents, digits and underscores, and start with a letter")
}

// Read returns a value of any type; its texts may hold variables.
func (c *Values) Read(v source.Value) any {
	c.texts(v)
	return v.Go()
}

// texts checks the variables in all texts of a value.
func (c *Values) texts(v source.Value) {
	switch {
	case v.Open:
	case v.Kind == source.String && strings.Contains(v.Text, "${") && c.Variables == Deferred:
		c.References(v)
	case v.Kind == source.String && strings.Contains(v.Text, "${") && c.Variables == Refused:
		c.Wrong(v, "a variable does not work here", "variables work in vars and in steps")
	}
	for _, item := range v.Items {
		c.texts(item)
	}
	for _, f := range v.Fields {
		c.texts(f.Value)
	}
}

// UnknownYet reports whether a value depends on variables that have none yet.
func (c *Values) UnknownYet(v source.Value) bool {
	return v.Open || c.Variables == Deferred && v.Kind == source.String && strings.Contains(v.Text, "${")
}

// References notes what is wrong with the variables of a text, their values aside.
func (c *Values) References(v source.Value) {
	if _, bad, msg, hint := Pieces(v.Text); msg != "" {
		c.Fail(source.Locate(c.Source, v.Pos, phrase.FirstLine(bad)), len([]rune(phrase.FirstLine(bad))), msg, hint)
	}
}
