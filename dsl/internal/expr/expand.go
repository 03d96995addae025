package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// piece is a part of a text: literal text, or a variable.
type piece struct {
	text     string // literal text; "" for a variable
	Name     string
	raw      string // the variable as written: ${NAME:-default}
	fallback *string
}

// Pieces splits a text at its variables. "$${" is a literal "${". The mistake, if any, is about the text bad.
func Pieces(text string) (all []piece, bad, msg, hint string) {
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			all = append(all, piece{text: plain.String()})
			plain.Reset()
		}
	}
	for text != "" {
		i := strings.Index(text, "${")
		if i < 0 {
			plain.WriteString(text)
			break
		}
		if i > 0 && text[i-1] == '$' {
			plain.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		plain.WriteString(text[:i])
		text = text[i:]
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return nil, "${", "this ${ is not closed", `add "}" after the name, or write $${ for the characters themselves`
		}
		p := piece{raw: text[:end+1]}
		name, fallback, given := strings.Cut(text[2:end], ":-")
		if p.Name = name; given {
			p.fallback = &fallback
		}
		if strings.Contains(fallback, "${") {
			return nil, p.raw, "a default cannot hold another variable", "give the variable a value under vars instead"
		}
		if !pathForm.MatchString(name) {
			return nil, p.raw, fmt.Sprintf("%q cannot be the name of a variable", phrase.LimitRunes(name, 60)),
				"write ${NAME} or ${NAME:-default}, with letters, digits and underscores; $${ is the text ${"
		}
		flush()
		all = append(all, p)
		text = text[end+1:]
	}
	flush()
	return all, "", "", ""
}

// Fill fills in the variables of all texts in a value that did not come from a file. The error is an *Error.
func Fill(v source.Value, s *Scope) (source.Value, error) {
	var err error
	switch v.Kind {
	case source.String:
		v.Text, err = s.Expand(v.Text, v.Pos)
		return v, err
	case source.List:
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			if v.Items[i], err = Fill(v.Items[i], s); err != nil {
				return v, err
			}
		}
	case source.Map:
		v.Fields = slices.Clone(v.Fields)
		for i := range v.Fields {
			if v.Fields[i].Value, err = Fill(v.Fields[i].Value, s); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

var (
	VarForm  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	pathForm = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$`)
)
