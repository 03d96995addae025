package dsl

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// textForm is what a text must look like; the tag format of a field names it.
type textForm struct {
	pattern string   // that every such text fits, for the schemas; more may be asked than it says
	not     any      // a schema that none fits
	literal bool     // variables have no place in it
	names   []string // those of such texts that have a name, for editors to propose
	format  string   // the schema's own word for it
	file    bool     // it names a file, relative to the test's folder; of a page's addresses those that are local do
	check   func(d *decoding, v source.Value, text string)
}

// textForms are all forms by their names.
var textForms = sync.OnceValue(func() map[string]textForm {
	return map[string]textForm{
		"id":      {pattern: idForm.String(), not: schema{"pattern": `--|\.$`}, literal: true, check: (*decoding).checkID},
		"tag":     {literal: true, pattern: tagForm, check: (*decoding).checkTag},
		"webLink": {literal: true, pattern: `^https?://`, check: (*decoding).webLink},
		"glob":    {literal: true, pattern: `^[^/\\.][^\\]*$|^\.([^.\\][^\\]*)?$`, check: (*decoding).glob},
		"variable": {pattern: varForm.String(), not: schema{"enum": reservedNames()}, literal: true,
			check: (*decoding).variableName},
		"locale":     {pattern: localeForm.String(), check: (*decoding).locale},
		"place":      {pattern: degreesForm, check: (*decoding).degrees},
		"link":       {pattern: schemeForm.String(), check: (*decoding).link},
		"page":       {file: true, pattern: pageForm, format: "uri-reference", check: (*decoding).page},
		"pageOrPath": {pattern: `^/|` + pageForm, format: "uri-reference", check: (*decoding).pageOrPath},
		"http":       {pattern: `^https?://[^/?#]`, format: "uri", check: (*decoding).httpAddress},
		"browser":    {pattern: `^(https?|wss?)://[^/?#]`, format: "uri", check: (*decoding).browserAddress},
		"address":    {format: "address-pattern", check: (*decoding).address},
		"selector":   {format: "page-selector", check: (*decoding).pageSelector},
		"css":        {format: "css-selector", check: (*decoding).cssOnly},
		"xpath":      {format: "xpath", check: (*decoding).xpathOnly},
		"file":       {file: true},
		"regex":      {format: "regex", check: func(d *decoding, v source.Value, text string) { d.regex(v, text) }},
		"pageSize":   {pattern: sizeForm.String(), check: (*decoding).pageSize},
		"fileName":   {pattern: idForm.String(), check: (*decoding).fileName},
		"stepsFile":  {pattern: `^[^/:\\][^:\\]*\.ya?ml$`, check: (*decoding).stepsFile},
		"keys":       {pattern: keysForm(), names: slices.Concat(KeyNames(), PhoneKeys()), check: (*decoding).key},
		"modifier": {pattern: `^([cC]ontrol|[cC]trl|[sS]hift|[aA]lt|[oO]ption|[mM]eta|[cC]md|[cC]ommand)$`,
			names: []string{"Control", "Shift", "Alt", "Meta"},
			check: (*decoding).modifier},
		"version":     {pattern: osForm.String(), check: (*decoding).version},
		"modelGlob":   {format: "glob", check: (*decoding).modelGlob},
		"pool":        {pattern: poolForm.String(), check: (*decoding).pool},
		"deviceLabel": {pattern: labelForm.String(), check: (*decoding).deviceLabel},
		"screenSize":  {pattern: needSize.String(), check: (*decoding).screenSize},
	}
})

// pageForm is what browsers can open: see page.
const pageForm = `^(https?://[^/?#]|file:|data:|about:|[^:?#]*\.html?([?#]|$))`

// tagForm is a tag: see checkTag.
const tagForm = `^[^&|!,()/:]*[^&|!,()/:\s][^&|!,()/:]*$`

// webLink wants an address that a reader of the report can follow.
func (d *decoding) webLink(v source.Value, text string) {
	if !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
		d.wrong(v, fmt.Sprintf("%q is not a link", shorten.Runes(text, 60)), "a link starts with https:// or http://")
	}
}

// glob wants a pattern of files.
func (d *decoding) glob(v source.Value, text string) {
	switch {
	case !doublestar.ValidatePattern(text):
		d.wrong(v, fmt.Sprintf("%q is not a pattern", shorten.Runes(text, 60)),
			"* matches any characters, ** any folders, {a,b} one of several")
	case strings.ContainsRune(text, '\\'):
		d.wrong(v, "a backslash in a pattern", "write / between folders; it works on every system")
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, ".."):
		d.wrong(v, fmt.Sprintf("the pattern %q leads out of this file's folder", shorten.Runes(text, 60)),
			"patterns are relative to this file")
	}
}

// checkTag keeps out characters that have a meaning in label filters.
func (d *decoding) checkTag(v source.Value, text string) {
	bad := strings.IndexFunc(text, func(r rune) bool {
		return strings.ContainsRune("&|!,()/:", r) ||
			unicode.IsControl(r)
	})
	switch {
	case strings.TrimSpace(text) == "":
		d.wrong(v, "an empty tag", "remove it")
	case bad >= 0:
		r := []rune(text[bad:])[0]
		hint := "a tag cannot hold any of & | ! , ( ) / :"
		if r == ',' {
			hint = "write several tags as a list: [smoke, login]"
		}
		d.wrong(v, fmt.Sprintf("%q in the tag %q", r, shorten.Runes(text, 60)), hint)
	}
}

// checkID wants a name that can be a directory's.
func (d *decoding) checkID(v source.Value, id string) {
	switch {
	case !idForm.MatchString(id):
		d.wrong(v, fmt.Sprintf("the id %q cannot be a directory's name", shorten.Runes(id, 60)),
			"use letters without accents, digits, dots, hyphens and underscores, 128 at most, and start with a letter or a "+
				"digit")
	case strings.Contains(id, "--"):
		d.wrong(v, `"--" in an id`, "write one hyphen; reports use two for the platform and for repetitions")
	case windows.MatchString(id), strings.HasSuffix(id, "."):
		d.wrong(v, fmt.Sprintf("the id %q cannot be a directory's name on Windows", id), "choose another one")
	}
}

func (d *decoding) version(v source.Value, text string) {
	if !osForm.MatchString(text) {
		d.wrong(v, fmt.Sprintf("%q is not a version", shorten.Runes(text, 60)),
			`write a version, or a comparison in quotes: ">=13"`)
	}
}

func (d *decoding) modelGlob(v source.Value, text string) {
	if _, err := path.Match(text, ""); err != nil {
		d.wrong(v, fmt.Sprintf("%q is not a pattern", shorten.Runes(text, 60)), "use * for any characters")
	}
}

func (d *decoding) pool(v source.Value, text string) {
	if !IsPool(text) {
		d.wrong(v, fmt.Sprintf("%q is not the name of a pool", shorten.Runes(text, 60)),
			"use at most 63 letters, digits and . _ -")
	}
}

func (d *decoding) deviceLabel(v source.Value, text string) {
	if !IsDeviceLabel(text) {
		d.wrong(v, fmt.Sprintf("%q is not the label of a device", shorten.Runes(text, 60)),
			"write NAME=VALUE, of at most 63 letters, digits and . _ - each: [sim=yes, room=3]")
	}
}

func (d *decoding) screenSize(v source.Value, text string) {
	if !needSize.MatchString(text) {
		d.wrong(v, fmt.Sprintf("%q is not the size of a screen", shorten.Runes(text, 60)), `write 1080x2400, or ">=720x1280"`)
	}
}

func (d *decoding) pageSize(v source.Value, text string) {
	if _, _, ok := size(text); !ok {
		d.wrong(v, fmt.Sprintf("%q is not the size of a page%s", shorten.Runes(text, 60), origin(v)),
			`write width and height: "1280x720"`)
	}
}

// fileName checks a name that a file gets.
func (d *decoding) fileName(v source.Value, name string) {
	if !idForm.MatchString(name) {
		d.wrong(v, fmt.Sprintf("the name %q cannot be a file's name%s", shorten.Runes(name, 60), origin(v)),
			"use letters without accents, digits, dots, hyphens and underscores, and start with a letter or a digit")
	}
}

// stepsFile checks the path of a file that a run step names.
func (d *decoding) stepsFile(v source.Value, file string) {
	switch {
	case strings.ContainsRune(file, '\\'):
		d.wrong(v, "a backslash in a path", "write / between folders; it works on every system")
	case strings.HasPrefix(file, "/"), strings.Contains(file, ":"):
		d.wrong(v, fmt.Sprintf("the path %q is not relative to this file's folder", shorten.Runes(file, 60)),
			"write it relative to this file: ../blocks/login.yaml")
	case !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, ".yml"):
		hint := "it ends in .yaml or .yml; a block of this file is run: {block: " + shorten.Runes(file, 60) + "}"
		d.wrong(v, fmt.Sprintf("%q is not the name of a YAML file", shorten.Runes(file, 60)), hint)
	}
}

// keysForm is the pattern of a key with those that are held: see chord.
func keysForm() string {
	either := func(names []string, of ...string) string {
		for other, name := range otherNames() {
			if slices.Contains(names, name) {
				of = append(of, other)
			}
		}
		all := slices.Concat(names, slices.Sorted(slices.Values(of)))
		for i, name := range all { // with a capital, too
			all[i] = "[" + name[:1] + strings.ToUpper(name[:1]) + "]" + name[1:]
		}
		return strings.Join(all, "|")
	}
	return `^((` + either(Modifiers()) + `)\+)*(` + either(slices.Concat(KeyNames(), PhoneKeys())) + `|` +
		visibleForm + `)$`
}
