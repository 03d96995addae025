package decode

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

func checkLaunch(d *Decoding, l vocabulary.Launch, v source.Value, _ Object) {
	env, _ := v.Get("env")
	for _, f := range env.Value.Fields {
		if f.Key == "" || strings.ContainsAny(f.Key, "=\x00") {
			d.Wrong(f.Value, fmt.Sprintf("%q cannot be the name of an environment variable", phrase.LimitRunes(f.Key, 60)), "")
		}
	}
	arguments, _ := v.Get("arguments")
	for _, f := range arguments.Value.Fields {
		if f.Value.Kind == source.List || f.Value.Kind == source.Map || f.Value.Kind == source.Null {
			d.Wrong(f.Value, fmt.Sprintf("the argument %q must be a text, a number, true or false, not %s",
				phrase.LimitRunes(f.Key, 60), source.Describe(f.Value)), "")
		}
	}
}

// checkExec refuses a whole command line where a list of arguments should be: there is no shell to divide it.
func checkExec(d *Decoding, v source.Value) {
	run, env := v, source.Field{}
	if v.Kind == source.Map {
		f, _ := v.Get("run")
		run = f.Value
		env, _ = v.Get("env")
	}
	if run.Kind == source.List && len(run.Items) == 1 {
		run = run.Items[0]
	}
	if words := strings.Fields(run.Text); run.Kind == source.String && len(words) > 1 && !d.UnknownYet(run) &&
		!strings.ContainsAny(words[0], `/\`) {
		hint := "write run: [" + strings.Join(words, ", ") + "]"
		if strings.ContainsAny(run.Text, "|&;<>$*?`\"'()") { // only a shell understands them
			hint = "name the shell: run: " + source.Flow(source.Value{Kind: source.List, Items: []source.Value{
				{Kind: source.String, Text: "sh"}, {Kind: source.String, Text: "-c"}, run}})
		}
		d.Wrong(run, `"run" is a list of arguments, and there is no shell`, hint)
	}
	for _, f := range env.Value.Fields {
		if f.Key == "" || strings.ContainsAny(f.Key, "=\x00") {
			d.Fail(f.Pos, 1, fmt.Sprintf("%q cannot be the name of an environment variable", phrase.LimitRunes(f.Key, 60)), "")
		}
	}
}

func checkSetPermissions(d *Decoding, s vocabulary.SetPermissions, v source.Value, _ Object) {
	deny, _ := v.Get("deny")
	for _, p := range s.Deny {
		for _, q := range s.Allow {
			if p == q {
				d.Fail(deny.Pos, len("deny"), fmt.Sprintf("%q is both allowed and denied", phrase.LimitRunes(p, 60)),
					"remove one of the two")
			}
		}
	}
}

const expectedTextHint = "text is what the element must show; say which one by label, desc, hint, id, type, testId, " +
	"css, " +
	"xpath, ocr or image"

// check refuses an assertion that names no element; text says what it must show, not which one it is.
func checkAssertElement(d *Decoding, a vocabulary.AssertElement, v source.Value, o Object) {
	rest := v.Without("text")
	if text, given := v.Get("text"); given && !namesElement(rest) {
		d.Fail(o.At, len([]rune(o.Name)), fmt.Sprintf("%q does not say which element", o.Name),
			expectedTextHint+"; to look for the text alone, write assert: "+source.Flow(text.Value))
		return
	}
	if text, given := v.Get("text"); given {
		checkText(d, text.Value, a.Match)
		rest = rest.Without("match") // of the text
	}
	checkSelector(d, a.Selector, rest, o)
}

// checkText checks a text that is compared in a certain way.
func checkText(d *Decoding, text source.Value, match vocabulary.MatchMode) {
	if match == vocabulary.MatchRegex {
		d.Regex(text, text.Text)
	}
}

func checkWebAssert(d *Decoding, a vocabulary.WebAssert, v source.Value, _ Object) {
	if text, given := v.Get("text"); given {
		checkText(d, text.Value, a.Match)
	}
}

// check wants an element unless the whole screen is looked at, and a bracket that the regular expression has.
func checkExtract(d *Decoding, e vocabulary.Extract, v source.Value, o Object) {
	text, byText := v.Get("text")
	if _, byPrompt := v.Get("prompt"); !byText && !byPrompt {
		checkSelector(d, e.Selector, v, o)
	}
	regex, _ := v.Get("regex")
	group, _ := v.Get("group")
	for _, f := range []source.Field{text, regex} {
		if re, err := regexp.Compile(f.Value.Text); err == nil && f.Key != "" && !d.UnknownYet(f.Value) && e.Group != nil &&
			*e.Group > re.NumSubexp() {
			d.Wrong(group.Value, fmt.Sprintf("the regular expression has no bracket %d, only %d", *e.Group, re.NumSubexp()),
				"count its opening brackets")
		}
	}
}

// checkSet wants a variable, and no variable twice. A variable with the name of an option is easily written as one.
func checkSet(d *Decoding, s vocabulary.Set, v source.Value, o Object) {
	vars, _ := v.Get("vars")
	computed, _ := v.Get("expr")
	for _, f := range v.Fields {
		_, inVars := vars.Value.Get(f.Key)
		_, inExpr := computed.Value.Get(f.Key)
		if _, own := s.More[f.Key]; own && (inVars || inExpr) {
			d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q is set twice", f.Key), "remove one of the two")
		}
	}
	if len(s.Vars)+len(s.Expr)+len(s.More) > 0 || o.Options == nil {
		return
	}
	for _, f := range v.Fields {
		if o.Options.Has(f.Key) {
			d.Fail(f.Pos, len([]rune(f.Word())), fmt.Sprintf("%q is an option of every step, and no variable is set", f.Word()),
				underVars(f))
			return
		}
	}
}

// underVars shows how a variable is set that has the name of an option.
func underVars(f source.Field) string {
	return "a variable of this name is set under vars: set: " + source.Flow(source.Value{Kind: source.Map,
		Fields: []source.Field{{Key: "vars", Value: source.Value{Kind: source.Map, Fields: []source.Field{f}}}}})
}

// VariablesNotOptions adds to the errors about the options of a set that they may be meant as variables.
func VariablesNotOptions(errs source.Errors, v source.Value) {
	for _, e := range errs {
		for _, f := range v.Fields {
			if e.Pos == f.Value.Pos {
				e.Hint = underVars(f)
			}
		}
	}
}

// own checks of a filled struct what its tags and rules cannot say.
func (d *Decoding) own(args any, v source.Value, o Object) {
	switch a := args.(type) {
	case vocabulary.Launch:
		checkLaunch(d, a, v, o)
	case vocabulary.Exec:
		checkExec(d, v)
	case vocabulary.SetPermissions:
		checkSetPermissions(d, a, v, o)
	case vocabulary.AssertElement:
		checkAssertElement(d, a, v, o)
	case vocabulary.WebAssert:
		checkWebAssert(d, a, v, o)
	case vocabulary.Extract:
		checkExtract(d, a, v, o)
	case vocabulary.Set:
		checkSet(d, a, v, o)
	case vocabulary.Selector:
		checkSelector(d, a, v, o)
	default:
		if s := vocabulary.ShapeOf(reflect.TypeOf(args)); s.Selects {
			checkSelector(d, reflect.ValueOf(args).FieldByName("Selector").Interface().(vocabulary.Selector), v, o)
		}
		checkSubject(d, args, v)
	}
}

// checkSubject checks the subject of a mail, which is compared as labels are.
func checkSubject(d *Decoding, args any, v source.Value) {
	a, waits := args.(vocabulary.WaitForMail)
	if !waits {
		return
	}
	if subject, given := v.Get("subject"); given {
		checkText(d, subject.Value, a.Match)
	}
}

// check refuses what no screen could answer: a selector that names nothing, or that contradicts itself.
func checkSelector(d *Decoding, s vocabulary.Selector, v source.Value, o Object) {
	if v.Kind == source.Null {
		d.Fail(o.At, len([]rune(o.Name)), fmt.Sprintf("%q does not say which element", o.Name), d.hint(v, o))
		return
	}
	if v.Kind != source.Map {
		return // a label; its text has been looked at
	}
	if !namesElement(v) {
		hint := "give at least one of label, text, desc, hint, id, type, testId, css, xpath, ocr, image or point"
		if o.Name == "assertElement" { // its text is what the element must show
			hint = expectedTextHint
		}
		d.Fail(o.At, len([]rune(o.Name)), fmt.Sprintf("%q does not say which element", o.Name), hint)
	}
	checkPoint(d, s, v, o)
	checkMatch(d, s, v)
	checkEyes(d, s, v, o)
	if f, given := v.Get("css"); given && d.Platform != "" && d.Platform != vocabulary.Web {
		d.Fail(f.Pos, len("css"), fmt.Sprintf("%q works on web only, and this test runs on %s", "css", d.Platform.Words()),
			"use label, id, type, testId or xpath")
	}
}

// namesElement reports whether a selector has a key that says which element it picks.
func namesElement(v source.Value) bool {
	return slices.ContainsFunc(v.Fields, func(f source.Field) bool {
		return !slices.Contains(vocabulary.Supplements(), f.Key) && vocabulary.ShapeOf(vocabulary.SelectorType).Has(f.Key)
	})
}

// checkPoint: a point is a place, not an element. It has no other properties and nothing can be related to it.
func checkPoint(d *Decoding, s vocabulary.Selector, v source.Value, o Object) {
	point, given := v.Get("point")
	if !given {
		return
	}
	if !slices.Contains(o.takes, "point") {
		d.Fail(point.Pos, len("point"), fmt.Sprintf("%q needs an element, not a point", o.Name), "give its label or id")
		return
	}
	for _, f := range v.Fields {
		if f.Key != "point" && vocabulary.ShapeOf(vocabulary.SelectorType).Has(f.Key) {
			d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf(`%q cannot be combined with "point"`, f.Key),
				"a point is a place on the screen, not an element: remove one of the two")
		}
	}
}

// checkEyes refuses properties and relations of an element next to ocr, image and describe, which find pixels and no
// element.
func checkEyes(d *Decoding, s vocabulary.Selector, v source.Value, o Object) {
	anchor := o.Nested && slices.Contains(append(vocabulary.Relations(), "not"), o.Name)
	if f, given := v.Get("describe"); given && !slices.Contains(o.takes, "describe") {
		d.Fail(f.Pos, len("describe"), fmt.Sprintf(`%q cannot find its element by "describe"`, o.Name),
			"it is for tap, doubleTap and longPress; to look at the screen in plain words, use assertVisual")
		return
	}
	fallback, falls := v.Get("fallback")
	if _, labelled := v.Get("label"); falls && !labelled {
		d.Fail(fallback.Pos, len("fallback"), `"fallback" says where else to look for the label, and there is no "label"`,
			"add label, or remove fallback")
	}
	for _, key := range append(vocabulary.Seen(), "fallback") {
		f, given := v.Get(key)
		if !given {
			continue
		}
		if anchor {
			d.Fail(f.Pos, len(key), fmt.Sprintf("%q needs an element of the tree, not %q", o.Name, key), "give its label or id")
			return
		}
		for _, x := range v.Fields {
			beside := vocabulary.ShapeOf(vocabulary.SelectorType).Has(x.Key) &&
				!slices.Contains(append(vocabulary.Relations(), "index", "first", key), x.Key)
			if beside && key != "fallback" {
				d.Fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("%q cannot be combined with %q", x.Key, key),
					"what is seen in pixels has no such property: remove one of the two")
			}
		}
	}
}

func checkMatch(d *Decoding, s vocabulary.Selector, v source.Value) {
	if index, given := v.Get("index"); given && s.First {
		d.Fail(index.Pos, len("index"), `"index" cannot be combined with "first"`,
			"first means index: 0: remove one of the two")
	}
	match, given := v.Get("match")
	if !given {
		return
	}
	compared := false
	for _, key := range append(vocabulary.TextKeys(), "id") {
		f, given := v.Get(key)
		if !given || key == "id" && compared {
			continue
		}
		compared = true
		if text, ok := s.TextOf(key); ok && s.Match == vocabulary.MatchRegex {
			d.Regex(f.Value, text)
		}
	}
	if !compared && s.Match != vocabulary.MatchMaestro {
		d.Fail(match.Pos, len("match"), `"match" says how to compare a text, and there is none`,
			"add label, text, desc, hint or id, or remove match")
	}
}
