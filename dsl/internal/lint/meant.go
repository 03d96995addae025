package lint

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// noPage warns of a test for browsers that opens no page.
func (l *linter) noPage() {
	t := l.test
	if t.Platform != vocabulary.Web {
		return
	}
	var first *vocabulary.Step
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps} {
		opens, wants := pageOpened(steps)
		if opens {
			return
		}
		if first == nil {
			first = wants
		}
	}
	if first != nil {
		l.warn(first.Pos, first.File, len(first.Def.Name), "no step before this one opens a page",
			`start with "- openBrowser: https://…", or the path of an HTML file`)
	}
}

// pageOpened looks for a step that opens a page, and for the first one that wants one. A file that is not linked may
// open it.
func pageOpened(steps vocabulary.Steps) (opens bool, wants *vocabulary.Step) {
	for step := range steps.All {
		if own := step.Def.Own; own != nil && (own.Go != nil || own.HasSteps() && step.Block == nil) {
			return true, nil
		}
		switch step.Def.Args.(type) {
		case vocabulary.OpenBrowser:
			return true, nil
		case vocabulary.Run:
			if step.Block == nil {
				return true, nil
			}
			inner, first := pageOpened(step.Block.Steps)
			if inner {
				return true, nil
			}
			if wants == nil {
				wants = first
			}
			continue
		}
		if wants == nil && !step.Def.Control() && step.Def.Effect&vocabulary.Apart == 0 {
			wants = step
		}
	}
	return false, wants
}

var (
	percented  = lazyregexp.New(`%([A-Za-z_][A-Za-z0-9_]*)%`)
	angled     = lazyregexp.New(`<([A-Za-z_][A-Za-z0-9_]*)>`)
	mustache   = lazyregexp.New(`\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}`)
	shellStyle = lazyregexp.New(`(^|[^$\w])\$([A-Za-z_][A-Za-z0-9_]*)`)
	constant   = lazyregexp.New(`^[A-Z][A-Z0-9]*_?[A-Z0-9_]{2,}$`)
)

// otherTools warns of {{name}}, $NAME, %NAME%, <NAME>, {NAME} and #{NAME}, which are variables elsewhere and plain text
// here. Scripts and shells have their own.
func (l *linter) otherTools(step *vocabulary.Step) {
	switch step.Def.Args.(type) {
	case vocabulary.WebEval, vocabulary.Shell, vocabulary.HTTP, vocabulary.WebRoute:
		return
	}
	eachText(step.Args, func(v source.Value) {
		if m := mustache.FindStringSubmatch(v.Text); m != nil {
			l.warn(v.Pos, step.File, len([]rune(phrase.FirstLine(v.Text))),
				fmt.Sprintf("%s is a plain text here, no variable", m[0]), "write ${"+m[1]+"} if it is meant as one")
			return
		}
		for _, m := range shellStyle.FindAllStringSubmatch(v.Text, -1) {
			if l.variable(m[2]) || constant.MatchString(m[2]) {
				l.warn(v.Pos, step.File, len([]rune(phrase.FirstLine(v.Text))),
					fmt.Sprintf("$%s is a plain text here, no variable", m[2]), "write ${"+m[2]+"} if it is meant as one")
				return
			}
		}
		m := percented.FindStringSubmatch(v.Text)
		if m == nil || !l.variable(m[1]) && !constant.MatchString(m[1]) {
			m = angled.FindStringSubmatch(v.Text)
			// <DIV> is not a variable
			if m == nil || !l.variable(m[1]) && !(constant.MatchString(m[1]) && strings.Contains(m[1], "_")) {
				l.bracedVariable(step, v)
				return
			}
		}
		l.warn(v.Pos, step.File, len([]rune(phrase.FirstLine(v.Text))), fmt.Sprintf("%s is a plain text here, no variable",
			m[0]), "write ${"+m[1]+"} if it is meant as one")
	})
}

// variable reports whether the test sets a variable of that name.
func (l *linter) variable(name string) bool {
	return slices.ContainsFunc(l.test.Vars, func(x expr.Var) bool { return x.Name == name })
}

// eachText visits the texts of a step's arguments, those of inner steps not.
func eachText(v source.Value, visit func(source.Value)) {
	if v.Kind == source.String {
		visit(v)
	}
	for _, item := range v.Items {
		if item.Kind == source.Map && len(item.Fields) == 1 {
			if _, step := vocabulary.Lookup(item.Fields[0].Key); step {
				continue
			}
		}
		eachText(item, visit)
	}
	for _, f := range v.Fields {
		eachText(f.Value, visit)
	}
}

// braced is a name in braces, as other tools write a variable; the character before it distinguishes ${NAME} from it.
var braced = lazyregexp.New(`(^|[^$])(#?\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// bracedVariable warns of {NAME} and #{NAME} where the test has a variable of that name; braces alone are text.
func (l *linter) bracedVariable(step *vocabulary.Step, v source.Value) {
	for _, m := range braced.FindAllStringSubmatch(v.Text, -1) {
		if l.variable(m[3]) {
			l.warn(v.Pos, step.File, len([]rune(phrase.FirstLine(v.Text))), m[2]+" is a plain text here, not a variable",
				"write ${"+m[3]+"} if it is meant as one")
			return
		}
	}
}

// cssPath is a CSS selector of several parts, of which one at least has an id, a class or an attribute, or which names
// a child by ">".
var cssPath = lazyregexp.New(`^` + cssPart + `(\s*[>+~]\s*` + cssPart + `|\s+` + cssPart + `)+$`)

const cssPart = `((a|button|div|form|h[1-6]|img|input|label|li|p|section|select|span|table|td|textarea|tr|ul)` +
	`([.#][A-Za-z][\w-]*|\[[^\]]+\])*|([.#][A-Za-z][\w-]*|\[[^\]]+\])+)`

// looksLikeCSS reports whether a label is what people write for a selector of a page.
func looksLikeCSS(text string) bool {
	return cssLook.MatchString(text) || strings.ContainsAny(text, ".#[>") && cssPath.MatchString(text)
}

// cssLook matches what people write as a CSS selector and what is hardly a text of a screen.
var cssLook = lazyregexp.New(
	`^(#[A-Za-z][\w-]*|\.[a-z][\w-]*|(a|button|div|form|h[1-6]|img|input|label|li|p|section|select|span|table|td|textarea|tr|ul)(\.[a-z][\w-]*|#[a-z][\w-]*|\[[^\]]+\])+|\[[a-z-]+(=[^\]]*)?\]|(css|id|xpath|role|text|testId|data-testid)=.+|//[a-z*][\w*]*.*)$`,
)

// cssAsLabel warns of a label that looks like a selector of a page.
func (l *linter) cssAsLabel(step *vocabulary.Step) {
	sh := vocabulary.ShapeOf(reflect.TypeOf(step.Def.Args))
	v := step.Args
	if v.Kind == source.Map {
		l.cssInside(step, sh, v)
		f, _ := v.Get("label")
		v = f.Value
	}
	if sh.Selects || v.Kind == source.String && sh.Scalar >= 0 && sh.Fields[sh.Scalar].Typ == vocabulary.SelectorType {
		l.cssLabel(step, step.Def.Name, v)
	}
}

// cssInside looks at the elements that an argument names: into, below, visible.
func (l *linter) cssInside(step *vocabulary.Step, sh *vocabulary.Shape, v source.Value) {
	for _, f := range v.Fields {
		i, known := sh.ByKey[f.Key]
		if !known || sh.Fields[i].Typ != vocabulary.SelectorType {
			continue
		}
		if f.Value.Kind == source.Map {
			l.cssInside(step, vocabulary.ShapeOf(vocabulary.SelectorType), f.Value)
			label, _ := f.Value.Get("label")
			l.cssLabel(step, f.Key, label.Value)
			continue
		}
		l.cssLabel(step, f.Key, f.Value)
	}
}

// cssLabel warns of one label; name is of the action or the key that takes it.
func (l *linter) cssLabel(step *vocabulary.Step, name string, v source.Value) {
	if v.Kind != source.String || !looksLikeCSS(v.Text) {
		return
	}
	key, text := "css", v.Text
	engine, rest, given := strings.Cut(text, "=")
	switch {
	case strings.HasPrefix(text, "//"):
		key = "xpath"
	case given && slices.Contains([]string{"css", "id", "xpath", "text", "testId"}, engine):
		key, text = engine, rest
	case given && engine == "data-testid":
		key, text = "testId", rest
	case given && engine == "role":
		key, text = "type", rest
	case l.test.Platform != vocabulary.Web && strings.HasPrefix(text, "#"):
		key, text = "id", text[1:]
	case l.test.Platform != vocabulary.Web:
		return
	}
	l.warn(v.Pos, step.File, len([]rune(v.Text)), fmt.Sprintf("%q is a label here: a text that is shown on the screen",
		phrase.LimitRunes(v.Text, 60)),
		fmt.Sprintf("did you mean %s: {%s: %s}?", name, key, source.Quote(text)))
}
