package form

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// modifier wants the name of a key that can be held.
func (c *Checker) modifier(v source.Value, text string) {
	if !slices.Contains(vocabulary.Modifiers(), vocabulary.KeyName(text)) {
		c.Wrong(v, fmt.Sprintf("%q is not a key that can be held%s", phrase.LimitRunes(text, 60), source.Origin(v)),
			"write Ctrl, Shift, Alt or Meta")
	}
}

func (c *Checker) key(item source.Value, text string) {
	pressed, bad := vocabulary.ParseChord(text)
	switch {
	case bad == "" && pressed.Key == "":
		c.Wrong(item, fmt.Sprintf("a key is missing in %q%s", phrase.LimitRunes(item.Text, 60), source.Origin(item)),
			`for example: Ctrl+A; the plus key with one held is "Ctrl++"`)
	case bad != "":
		hint := "one character, or one of " + strings.Join(
			append(vocabulary.KeyNames()[:15], vocabulary.PhoneKeys()...),
			", ",
		) +
			"; held keys go first: Ctrl+A"
		if near := phrase.Nearest(bad, slices.Concat(vocabulary.KeyNames(), vocabulary.PhoneKeys(), vocabulary.Modifiers(),
			slices.Sorted(maps.Keys(vocabulary.OtherNames())))); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		c.Wrong(item, fmt.Sprintf("%q is not a key%s", phrase.LimitRunes(bad, 60), source.Origin(item)), hint)
	case c.Platform.Has(vocabulary.Web) && pressed.Key != "back" && slices.Contains(vocabulary.PhoneKeys(), pressed.Key):
		c.Wrong(
			item,
			fmt.Sprintf("the key %q works on phones only%s", pressed.Key, source.Origin(item)),
			"a browser has no such key",
		)
	}
}

// VisibleForm is a text with a character that is not white space, in every dialect of regular expressions.
const VisibleForm = `[^\s` + "\v\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000" + `]`

// keysForm is the pattern of a key with those that are held: see ParseChord.
func keysForm() string {
	return `^((` + eitherKey(vocabulary.Modifiers()) + `)\+)*(` +
		eitherKey(slices.Concat(vocabulary.KeyNames(), vocabulary.PhoneKeys())) + `|` + VisibleForm + `)$`
}

// modifierForm is the pattern of a key that can be held.
func modifierForm() string { return `^(` + eitherKey(vocabulary.Modifiers()) + `)$` }

// eitherKey is the pattern of some keys, by all their names, in any case. JSON Schema knows no flag for that.
func eitherKey(names []string) string {
	all := slices.Clone(names)
	for _, other := range slices.Sorted(maps.Keys(vocabulary.OtherNames())) {
		if slices.Contains(names, vocabulary.OtherNames()[other]) {
			all = append(all, other)
		}
	}
	for i, name := range all {
		var b strings.Builder
		for _, r := range strings.ToLower(name) {
			if upper := unicode.ToUpper(r); upper != r {
				fmt.Fprintf(&b, "[%c%c]", r, upper)
			} else {
				b.WriteRune(r)
			}
		}
		all[i] = b.String()
	}
	return strings.Join(all, "|")
}
