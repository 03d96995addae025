package lint

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

var (
	patternLook  = lazyregexp.New(`\.[*+]|\\[dws]|\[[0-9A-Za-z]-[0-9A-Za-z]\]|^\^.*\$$`)
	slashed      = lazyregexp.New(`^/(.*[.*+\\\[|^$].*)/i?$`)
	starred      = lazyregexp.New(`^\*+([^*]+)\*+$`)
	percentLook  = lazyregexp.New(`^[0-9.]+ ?% *, *[0-9.]+ ?%$`)
	resourceLook = lazyregexp.New(`^[A-Za-z][\w.]*:id/\w+$`)
	snakeLook    = lazyregexp.New(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)
	activityLook = lazyregexp.New(`^[A-Za-z]\w*(\.\w+)+/[.\w$]+$`)
	quotedLook   = lazyregexp.New(`^(?:“([^“”]+)”|„([^„“]+)“|‘([^‘’]+)’|«([^«»]+)»|"([^"]+)"|'([^']+)')$`)
	negatedLook  = lazyregexp.New(`^!\s*(\pL.*)$`)
)

// labelMeant warns of a label that was hardly meant as the whole text that it is: a pattern, a place, an id. An
// assertNot of one passes whatever the screen shows.
func (l *linter) labelMeant(step *vocabulary.Step) {
	sh := vocabulary.ShapeOf(reflect.TypeOf(step.Def.Args))
	v := step.Args
	if v.Kind == source.Map {
		if _, given := v.Get("match"); given {
			return
		}
		f, _ := v.Get("label")
		v = f.Value
	}
	if !sh.Selects || v.Kind != source.String || strings.Contains(v.Text, "${") {
		return
	}
	what, key, text, more := "a label here: a text that is shown on the screen", "id", v.Text, ""
	m, star := slashed.FindStringSubmatch(text), starred.FindStringSubmatch(text)
	switch {
	case m != nil:
		what, key, text, more = "a whole text here, no pattern", "label", m[1], ", match: regex"
	case star != nil:
		what, key, text, more = "a whole text here, no pattern", "label", strings.TrimSpace(star[1]), ", match: contains"
	case patternLook.MatchString(text):
		what, key, more = "a whole text here, no pattern", "label", ", match: regex"
	case percentLook.MatchString(text) && slices.Contains(sh.Takes, "point"):
		key = "point"
	case resourceLook.MatchString(text), snakeLook.MatchString(text):
	case quotedLook.MatchString(text):
		what, key, text = "a label with its quotes: they are looked for, too", "label",
			strings.Join(quotedLook.FindStringSubmatch(text)[1:], "")
	case step.Def.Name == "assert" && negatedLook.MatchString(text):
		l.warn(v.Pos, step.File, len([]rune(v.Text)), fmt.Sprintf("%q is a whole text here: the ! is looked for, too",
			phrase.LimitRunes(v.Text, 60)),
			fmt.Sprintf("did you mean assertNot: %s?", source.Quote(negatedLook.FindStringSubmatch(text)[1])))
		return
	default:
		return
	}
	l.warn(v.Pos, step.File, len([]rune(v.Text)), fmt.Sprintf("%q is %s", phrase.LimitRunes(v.Text, 60), what),
		fmt.Sprintf("did you mean %s: {%s: %s%s}?", step.Def.Name, key, source.Quote(text), more))
}

// appNamed warns of an app that is called by its name, or by the file that it is installed from.
func (l *linter) appNamed(step *vocabulary.Step) {
	sh := vocabulary.ShapeOf(reflect.TypeOf(step.Def.Args))
	if !slices.Contains(sh.Keys(), "package") {
		return
	}
	v := step.Args
	if v.Kind == source.Map {
		f, _ := v.Get("package")
		v = f.Value
	} else if sh.Scalar < 0 || sh.Fields[sh.Scalar].Name != "package" {
		return
	}
	if v.Kind != source.String || strings.Contains(v.Text, "${") {
		return
	}
	width := len([]rune(v.Text))
	switch {
	case activityLook.MatchString(v.Text) && step.Def.Name == "launch": // it starts that activity
	case activityLook.MatchString(v.Text):
		app, _, _ := strings.Cut(v.Text, "/")
		l.warn(v.Pos, step.File, width, fmt.Sprintf("%q names an activity of an app", phrase.LimitRunes(v.Text, 60)),
			fmt.Sprintf("did you mean the app, %q? %s is for an app as a whole", app, step.Def.Name))
	case strings.HasSuffix(v.Text, ".apk"), strings.HasSuffix(v.Text, ".ipa"), strings.ContainsAny(v.Text, `/\`):
		l.warn(v.Pos, step.File, width, fmt.Sprintf("%q is a file, no app's identifier", phrase.LimitRunes(v.Text, 60)),
			"install: takes a file; an app goes by its package, such as com.example.shop")
	case !strings.Contains(v.Text, "."):
		l.warn(v.Pos, step.File, width, fmt.Sprintf("%q is not the identifier of an app, which has dots",
			phrase.LimitRunes(v.Text, 60)),
			"write the Android package or the iOS bundle id, such as com.example.shop")
	}
}

// packageKind warns of app bundles, which the step install cannot install as they are.
func (l *linter) packageKind(step *vocabulary.Step) {
	if _, install := step.Def.Args.(vocabulary.Install); !install {
		return
	}
	v := step.Args
	if v.Kind == source.Map {
		f, _ := v.Get("path")
		v = f.Value
	}
	if v.Kind == source.String && strings.EqualFold(path.Ext(v.Text), ".aab") {
		l.warn(v.Pos, step.File, len([]rune(v.Text)), fmt.Sprintf("%q is an app bundle, which no phone installs",
			phrase.LimitRunes(v.Text, 60)),
			"build APKs: bundletool build-apks --mode=universal --bundle=app.aab --output=app.apks, and install app.apks")
	}
}

// wordsOnly is a selector that could as well be a text on the screen.
var wordsOnly = lazyregexp.New(`^[A-Za-z][A-Za-z0-9]*( +[A-Za-z][A-Za-z0-9]*)*$`)

// tagsOfPages are the elements of HTML, and those of drawings that tests name; what has a hyphen is a page's own.
var tagsOfPages = strings.Fields(
	`a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code
col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form ` +
		`frame frameset h1 h2 h3 h4 h5
h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee math menu meta ` +
		`meter nav noscript object ol
optgroup option output p param picture pre progress q rp rt ruby s samp script search section select slot small ` +
		`source span strike strong style sub
summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr
svg g path circle ellipse line polygon polyline rect text tspan use symbol image defs foreignobject lineargradient ` +
		`radialgradient clippath mask filter`)

// textAsCSS warns of a selector of a page with words that are not elements: "Sign in" is CSS for <in> within <sign>.
func (l *linter) textAsCSS(step *vocabulary.Step) {
	sh := vocabulary.ShapeOf(reflect.TypeOf(step.Def.Args))
	if step.Args.Kind == source.String {
		if sh.HasShort() && sh.Fields[sh.Scalar].Name == "selector" {
			l.textSelector(step, "selector", step.Args)
		}
		return
	}
	for _, key := range []string{"selector", "to", "css"} {
		if f, given := step.Args.Get(key); given && f.Value.Kind == source.String {
			if key == "css" || slices.ContainsFunc(sh.Fields, func(f vocabulary.Key) bool {
				return f.Name == key &&
					f.Format == "selector"
			}) {
				l.textSelector(step, key, f.Value)
			}
		}
	}
}

func (l *linter) textSelector(step *vocabulary.Step, key string, v source.Value) {
	if !wordsOnly.MatchString(v.Text) {
		return
	}
	for word := range strings.FieldsSeq(v.Text) {
		if !slices.Contains(tagsOfPages, strings.ToLower(word)) {
			meant := source.Quote("text=" + v.Text)
			if key == "css" {
				meant = "label: " + source.Quote(v.Text)
			}
			l.warn(v.Pos, step.File, len([]rune(v.Text)), fmt.Sprintf("this is CSS, and pages have no element <%s>",
				phrase.LimitRunes(word, 40)),
				fmt.Sprintf("did you mean %s? In CSS an id is written #%s, a class .%[2]s", meant, strings.ToLower(word)))
			return
		}
	}
}
