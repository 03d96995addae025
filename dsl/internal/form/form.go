// Package form checks single texts, such as URLs, keys, page selectors and points, against the format of their field.
package form

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/mailurl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

var (
	IdForm  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	windows = lazyregexp.New(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// Checker checks single texts, and collects what is wrong with them.
type Checker struct {
	expr.Values
	Platform vocabulary.Platform // what the test runs on; "" when that is not known
}

// textForm is what a text must look like; the tag format of a field names it.
type textForm struct {
	Pattern string   // that every such text fits, for the schemas; more may be asked than it says
	Not     any      // a schema that none fits
	Literal bool     // variables have no place in it
	Names   []string // those of such texts that have a name, for editors to propose
	Format  string   // the schema's own word for it
	file    bool     // it names a file, relative to the test's folder; of a page's addresses those that are local do
	Check   func(c *Checker, v source.Value, text string)
}

// TextForms are all forms by their names.
var TextForms = sync.OnceValue(func() map[string]textForm {
	return map[string]textForm{
		"id": {
			Pattern: IdForm.String(),
			Not:     map[string]any{"pattern": `--|\.$`},
			Literal: true,
			Check:   (*Checker).checkID,
		},
		"tag":     {Literal: true, Pattern: tagForm, Check: (*Checker).checkTag},
		"webLink": {Literal: true, Pattern: `^https?://`, Check: (*Checker).webLink},
		"date":    {Literal: true, Pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, Format: "date", Check: (*Checker).date},
		"glob":    {Literal: true, Pattern: `^[^/\\.][^\\]*$|^\.([^.\\][^\\]*)?$`, Check: (*Checker).glob},
		"variable": {Pattern: expr.VarForm.String(), Not: map[string]any{"enum": expr.ReservedNames()}, Literal: true,
			Check: func(c *Checker, v source.Value, text string) { c.VariableName(v, text) }},
		"locale":     {Pattern: localeForm.String(), Check: (*Checker).locale},
		"place":      {Pattern: degreesForm, Check: (*Checker).degrees},
		"link":       {Pattern: schemeForm.String(), Check: (*Checker).link},
		"page":       {file: true, Pattern: pageForm, Format: "uri-reference", Check: (*Checker).page},
		"pageOrBase": {file: true, Pattern: `^/([^/]|$)|` + pageForm, Format: "uri-reference", Check: (*Checker).pageOrBase},
		"pageOrPath": {Pattern: `^/|` + pageForm, Format: "uri-reference", Check: (*Checker).pageOrPath},
		"http":       {Pattern: `^https?://[^/?#]`, Format: "uri", Check: (*Checker).httpAddress},
		"mailServer": {Pattern: mailurl.Form, Format: "uri", Check: (*Checker).mailServer},
		"browser":    {Pattern: `^(https?|wss?)://[^/?#]`, Format: "uri", Check: (*Checker).browserAddress},
		"address":    {Format: "address-pattern", Check: (*Checker).address},
		"selector":   {Format: "page-selector", Check: (*Checker).pageSelector},
		"container":  {Format: "page-selector", Check: (*Checker).pageSelector},
		"xpath":      {Format: "xpath", Check: (*Checker).xpathOnly},
		"file":       {file: true},
		"script":     {Pattern: `^[^/:\\][^:\\]*\.js$`, Check: (*Checker).script},
		"regex":      {Format: "regex", Check: func(c *Checker, v source.Value, text string) { c.Regex(v, text) }},
		"pageSize":   {Pattern: vocabulary.SizeForm.String(), Check: (*Checker).pageSize},
		"fileName":   {Pattern: IdForm.String(), Check: (*Checker).fileName},
		"stepsFile":  {Pattern: `^[^/:\\][^:\\]*\.ya?ml$`, Check: (*Checker).stepsFile},
		"keys": {
			Pattern: keysForm(),
			Names:   slices.Concat(vocabulary.KeyNames(), vocabulary.PhoneKeys()),
			Check:   (*Checker).key,
		},
		"modifier": {Pattern: modifierForm(),
			Names: []string{"Ctrl", "Shift", "Alt", "Meta"},
			Check: (*Checker).modifier},
		"version":     {Pattern: vocabulary.OsForm.String(), Check: (*Checker).version},
		"modelGlob":   {Format: "glob", Check: (*Checker).modelGlob},
		"pool":        {Pattern: vocabulary.PoolForm.String(), Check: (*Checker).pool},
		"deviceLabel": {Pattern: vocabulary.LabelForm.String(), Check: (*Checker).deviceLabel},
		"screenSize":  {Pattern: vocabulary.NeedSize.String(), Check: (*Checker).screenSize},
	}
})

// date wants a day that exists.
func (c *Checker) date(v source.Value, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		c.Wrong(v, fmt.Sprintf("%q is not a date", phrase.LimitRunes(text, 60)),
			"write year, month and day: 2027-01-31")
	}
}

// tagForm is a tag: see checkTag.
const tagForm = `^[^&|!,()/:]*[^&|!,()/:\s][^&|!,()/:]*$`

// checkTag keeps out characters that have a meaning in label filters.
func (c *Checker) checkTag(v source.Value, text string) {
	bad := strings.IndexFunc(text, func(r rune) bool {
		return strings.ContainsRune("&|!,()/:", r) ||
			unicode.IsControl(r)
	})
	switch {
	case strings.TrimSpace(text) == "":
		c.Wrong(v, "an empty tag", "remove it")
	case bad >= 0:
		r := []rune(text[bad:])[0]
		hint := "a tag cannot hold any of & | ! , ( ) / :"
		if r == ',' {
			hint = "write several tags as a list: [smoke, login]"
		}
		c.Wrong(v, fmt.Sprintf("%q in the tag %q", r, phrase.LimitRunes(text, 60)), hint)
	}
}

// checkID wants a name that can be a directory's.
func (c *Checker) checkID(v source.Value, id string) {
	switch {
	case !IdForm.MatchString(id):
		c.Wrong(
			v,
			fmt.Sprintf("the id %q cannot be a directory's name", phrase.LimitRunes(id, 60)),
			"use letters without accents, digits, dots, hyphens and underscores, 128 at most, and start with a letter or a "+
				"digit",
		)
	case strings.Contains(id, "--"):
		c.Wrong(v, `"--" in an id`, "write one hyphen; reports use two for the platform and for repetitions")
	case windows.MatchString(id), strings.HasSuffix(id, "."):
		c.Wrong(v, fmt.Sprintf("the id %q cannot be a directory's name on Windows", id), "choose another one")
	}
}

func (c *Checker) version(v source.Value, text string) {
	if !vocabulary.OsForm.MatchString(text) {
		c.Wrong(v, fmt.Sprintf("%q is not a version", phrase.LimitRunes(text, 60)),
			`write a version, or a comparison in quotes: ">=13"`)
	}
}

func (c *Checker) modelGlob(v source.Value, text string) {
	if _, err := path.Match(text, ""); err != nil {
		c.Wrong(v, fmt.Sprintf("%q is not a pattern", phrase.LimitRunes(text, 60)), "use * for any characters")
	}
}

func (c *Checker) pool(v source.Value, text string) {
	if !vocabulary.IsPool(text) {
		c.Wrong(v, fmt.Sprintf("%q is not the name of a pool", phrase.LimitRunes(text, 60)),
			"use at most 63 letters, digits and . _ -")
	}
}

func (c *Checker) deviceLabel(v source.Value, text string) {
	if !vocabulary.IsDeviceLabel(text) {
		c.Wrong(v, fmt.Sprintf("%q is not the label of a device", phrase.LimitRunes(text, 60)),
			"write NAME=VALUE, of at most 63 letters, digits and . _ - each: [sim=yes, room=3]")
	}
}

func (c *Checker) screenSize(v source.Value, text string) {
	if !vocabulary.NeedSize.MatchString(text) {
		c.Wrong(
			v,
			fmt.Sprintf("%q is not the size of a screen", phrase.LimitRunes(text, 60)),
			`write 1080x2400, or ">=720x1280"`,
		)
	}
}

func (c *Checker) pageSize(v source.Value, text string) {
	if _, _, ok := vocabulary.ParseSize(text); !ok {
		c.Wrong(v, fmt.Sprintf("%q is not the size of a page%s", phrase.LimitRunes(text, 60), source.Origin(v)),
			`write width and height: "1280x720"`)
	}
}

// fileName checks a name that a file gets.
func (c *Checker) fileName(v source.Value, name string) {
	if !IdForm.MatchString(name) {
		c.Wrong(v, fmt.Sprintf("the name %q cannot be a file's name%s", phrase.LimitRunes(name, 60), source.Origin(v)),
			"use letters without accents, digits, dots, hyphens and underscores, and start with a letter or a digit")
	}
}

// script wants the name of a file of JavaScript.
func (c *Checker) script(v source.Value, name string) {
	if !strings.HasSuffix(name, ".js") || strings.HasPrefix(name, "/") || strings.ContainsAny(name, `:\`) {
		c.Wrong(v, fmt.Sprintf("%q is not a script%s", phrase.LimitRunes(name, 60), source.Origin(v)),
			"name a file of JavaScript, relative to this file: check.js")
	}
}
