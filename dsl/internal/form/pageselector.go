package form

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/antchfx/xpath"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// engineForm is the beginning of a part of a page's selector that names its engine: text=, role=, label= and others of
// Playwright.
var engineForm = lazyregexp.New(`^\s*\*?([A-Za-z_][\w:-]*)=`)

// pageSelector checks a selector of the web actions as far as it is known what Playwright makes of it; what may be
// right is let through.
func (c *Checker) pageSelector(v source.Value, text string) {
	if strings.Contains(text, "${") {
		return
	}
	for _, part := range chained(text) {
		msg, hint := "", ""
		engine := engineForm.FindStringSubmatch(part)
		switch trimmed := strings.TrimSpace(part); {
		case trimmed == "":
			msg, hint = "is empty next to >>", "write a selector before and behind >>"
		case engine != nil && engine[1] == "css":
			msg, hint = badCSS(part[len(engine[0]):])
		case engine != nil && engine[1] == "role":
			msg, hint = badRole(part[len(engine[0]):])
		case engine != nil && engine[1] == "xpath":
			msg, hint = unbalanced(part[len(engine[0]):])
		case engine != nil, trimmed[0] == '"', trimmed[0] == '\'':
		case strings.HasPrefix(trimmed, "//"), strings.HasPrefix(trimmed, ".."):
			msg, hint = unbalanced(trimmed)
		default:
			msg, hint = badCSS(part)
		}
		if msg != "" {
			c.Wrong(v, fmt.Sprintf("the selector %q %s%s", phrase.LimitRunes(text, 60), msg, source.Origin(v)), hint)
			return
		}
	}
}

// chained parts a selector at >>, which in quotes is a text.
func chained(text string) []string {
	var parts []string
	quote, from := rune(0), 0
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case (r == '"' || r == '\'') && strings.ContainsRune(text[i+1:], r): // an apostrophe in text=… ends nowhere
			quote = r
		case strings.HasPrefix(text[i:], ">>"):
			parts = append(parts, text[from:i])
			from = i + 2
		}
	}
	return append(parts, text[from:])
}

// xpathOnly checks an XPath. On phones Taproot itself evaluates it; a browser knows more than our library does.
func (c *Checker) xpathOnly(v source.Value, text string) {
	if strings.Contains(text, "${") {
		return
	}
	msg, hint := unbalanced(text)
	if _, err := xpath.Compile(text); err != nil && msg == "" && c.Platform != vocabulary.Web && c.Platform != "" {
		msg, hint = "is not XPath: "+err.Error(), "for example: //android.widget.Button[@text='OK']"
	}
	if msg != "" {
		c.Wrong(v, fmt.Sprintf("the XPath %q %s%s", phrase.LimitRunes(text, 60), msg, source.Origin(v)), hint)
	}
}

// unbalanced finds what no language of selectors lets pass: quotes and brackets that do not close.
func unbalanced(text string) (msg, hint string) {
	var open []rune
	quote, escaped := rune(0), false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '[' || r == '(':
			open = append(open, r)
		case r == ']' || r == ')':
			want := map[rune]rune{']': '[', ')': '('}[r]
			if len(open) == 0 || open[len(open)-1] != want {
				return fmt.Sprintf("closes a %q that is not open", string(r)), fmt.Sprintf("remove it, or write %q before it",
					string(want))
			}
			open = open[:len(open)-1]
		}
	}
	switch {
	case quote != 0:
		return fmt.Sprintf("has a quote %c that is not closed", quote), fmt.Sprintf("add %c where the text ends", quote)
	case len(open) > 0:
		closing := map[rune]string{'[': "]", '(': ")"}[open[len(open)-1]]
		return fmt.Sprintf("has a %q that is not closed", string(open[len(open)-1])), fmt.Sprintf("add %q where it ends",
			closing)
	}
	return "", ""
}

// badCSS finds what is not a CSS selector, also with what Playwright adds to CSS (:has-text, :visible, a combinator at
// the beginning).
func badCSS(text string) (msg, hint string) {
	if msg, hint = unbalanced(text); msg != "" {
		return msg, hint
	}
	outer, empty := outside(text)
	trimmed := strings.TrimSpace(outer)
	switch {
	case empty:
		return "has an empty []", "write the attribute: [name], or [name=value]"
	case trimmed == "":
		return "is empty", "for example: #email, or button.primary"
	case strings.Contains(outer, ":containsa"): // the a replaces its brackets
		return "has :contains(), which is jQuery's", `write :has-text("…")`
	case strings.HasSuffix(trimmed, ",") || strings.HasPrefix(trimmed, ",") ||
		strings.Contains(strings.ReplaceAll(trimmed, " ", ""), ",,"):
		return "has a comma with nothing next to it", "remove the comma"
	case strings.ContainsRune(">+~", rune(trimmed[len(trimmed)-1])):
		return fmt.Sprintf("ends with %q", trimmed[len(trimmed)-1:]), "write what comes behind it"
	}
	runes := []rune(outer)
	for i, r := range runes {
		next := ' '
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		begins := next == '_' || next == '-' || next == '\\' || next > unicode.MaxASCII || unicode.IsLetter(next)
		switch {
		case i > 0 && runes[i-1] == '\\':
		case strings.ContainsRune("#.", r) && unicode.IsDigit(next):
			return fmt.Sprintf("has a name that starts with a digit after %q", string(r)),
				fmt.Sprintf(`write [id="%s"], or [class~="%[1]s"]`, name(runes[i+1:]))
		case strings.ContainsRune("#.:", r) && !begins && !(r == ':' && next == ':'):
			return fmt.Sprintf("has a %q without a name behind it", string(r)), "for example: #email, or button.primary"
		case r == '/':
			return "is not CSS", "an XPath starts with // or xpath="
		case strings.ContainsRune("{};!@$%?<=`\"'", r):
			return fmt.Sprintf("is not CSS: %q", string(r)), "a text is looked for by text=…, an attribute by [name=value]"
		}
	}
	return "", ""
}

func name(runes []rune) string {
	i := slices.IndexFunc(runes, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' &&
			r != '_'
	})
	if i < 0 {
		i = len(runes)
	}
	return string(runes[:i])
}

// outside is a selector with an "a" for each pair of brackets and their content, which is balanced. empty: there
// is a pair of square ones with nothing in it.
func outside(text string) (outer string, empty bool) {
	var b strings.Builder
	depth, quote, last := 0, rune(0), ' '
	for _, r := range text {
		escaped := last == '\\'
		switch {
		case escaped:
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case depth > 0 && (r == '"' || r == '\''):
			quote = r
		case r == '[' || r == '(':
			depth++
		case r == ']' || r == ')':
			empty = empty || r == ']' && last == '['
			if depth--; depth == 0 {
				b.WriteByte('a')
			}
			last = r
			continue
		}
		if last = r; escaped {
			last = ' '
		}
		if depth == 0 {
			b.WriteRune(r)
		}
	}
	return b.String(), empty
}

var (
	roleValue     = lazyregexp.New(`"[^"]*"|'[^']*'|/[^/]*/`)
	roleAttribute = lazyregexp.New(`\[\s*([A-Za-z-]*)`)
)

// roleAttributes are what Playwright's role= takes in brackets.
var roleAttributes = []string{"checked", "disabled", "expanded", "include-hidden", "level", "name", "pressed",
	"selected", "description"}

// ariaRoles are those of WAI-ARIA 1.2.
var ariaRoles = strings.Fields(
	`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
	complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid ` +
		`gridcell group heading img
	insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio ` +
		`meter navigation none note
	option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox ` +
		`separator slider
	spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar ` +
		`tooltip tree treegrid treeitem`)

// badRole finds what role= does not take.
func badRole(text string) (msg, hint string) {
	if msg, hint = unbalanced(text); msg != "" {
		return msg, hint
	}
	if _, empty := outside(text); empty {
		return "has an empty []", `for example: role=button[name="Save"]`
	}
	role, _, _ := strings.Cut(text, "[")
	role = strings.TrimSpace(role)
	switch near := phrase.Nearest(role, ariaRoles); {
	case !regexp.MustCompile(`^[A-Za-z]+$`).MatchString(role):
		return "names no role", `for example: role=button[name="Save"]`
	case !slices.Contains(ariaRoles, strings.ToLower(role)) && near != "":
		return fmt.Sprintf("names the role %q, which there is not", role), fmt.Sprintf("did you mean %q?", near)
	case !slices.Contains(ariaRoles, strings.ToLower(role)):
		return fmt.Sprintf("names the role %q, which there is not", role),
			`for example: role=button[name="Save"], role=textbox, role=link`
	}
	for _, a := range roleAttribute.FindAllStringSubmatch(roleValue.ReplaceAllString(text, ""), -1) {
		if !slices.Contains(roleAttributes, a[1]) {
			return fmt.Sprintf(
					"has the role attribute %q, which does not exist",
					a[1],
				), "a role has " + phrase.Or(
					roleAttributes,
				)
		}
	}
	return "", ""
}

// Regex checks a regular expression and counts its brackets; ok: there is one, and it is right.
func (c *Checker) Regex(v source.Value, text string) (groups int, ok bool) {
	if text == "" || c.UnknownYet(v) {
		return 0, false
	}
	re, err := regexp.Compile(text)
	if err == nil {
		return re.NumSubexp(), true
	}
	e := &source.Error{Pos: v.Pos, Source: c.Source, Msg: "this is not a regular expression: " + err.Error()}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		e.Pos, e.Width = source.Locate(c.Source, v.Pos, bad.Expr), len([]rune(bad.Expr))
		e.Msg = fmt.Sprintf("this is not a regular expression: %s in %q", bad.Code, phrase.LimitRunes(bad.Expr, 60))
		e.Hint = `escape special characters with a backslash, for example \( for a bracket`
		if bad.Code == syntax.ErrInvalidPerlOp {
			e.Hint = "it cannot look ahead or behind (RE2): https://github.com/google/re2/wiki/Syntax has what it can"
		}
	}
	c.Errs = append(c.Errs, e)
	return 0, false
}
