package maestro

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// matchLimit bounds one comparison with a pattern that looks around.
const matchLimit = time.Second

// pattern is a text of a selector: a regular expression that must fit the whole value, ignoring case, over line ends.
// One that is not a regular expression is taken literally.
type pattern struct {
	text string
	re   *regexp.Regexp
	back *regexp2.Regexp // with lookaround or references, which need another engine
}

func compile(text string) *pattern {
	p := &pattern{text: text}
	var err error
	if p.re, err = regexp.Compile(`(?ism)\A(?:` + text + `)\z`); err != nil {
		p.re = nil
		back, err := regexp2.Compile(`\A(?:`+text+`)\z`, regexp2.IgnoreCase|regexp2.Singleline|regexp2.Multiline)
		if err == nil {
			back.MatchTimeout = matchLimit
			p.back = back
		} else {
			p.text = `\Q` + text + `\E`
			p.re = regexp.MustCompile(`(?i)\A` + regexp.QuoteMeta(text) + `\z`)
		}
	}
	return p
}

func (p *pattern) fits(value string) bool {
	if p.re != nil {
		return p.re.MatchString(value)
	}
	fits, err := p.back.MatchString(value)
	return err == nil && fits // one that takes too long fits nothing
}

// text reports whether a text, a hint or a description is addressed: the pattern fits it or is it, with its line ends
// or with spaces for them.
func (p *pattern) shown(value *string) bool {
	if value == nil {
		return false
	}
	flat := strings.ReplaceAll(*value, "\n", " ")
	return p.fits(*value) || p.text == *value || p.fits(flat) || p.text == flat
}

// id reports whether an id matches, whole or by the part behind its last slash.
func (p *pattern) id(value *string) bool {
	return value != nil && (p.fits(*value) || p.fits((*value)[strings.LastIndexByte(*value, '/')+1:]))
}
