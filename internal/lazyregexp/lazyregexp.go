// Package lazyregexp contains regular expressions that are compiled at their first use, so that the command starts
// without compiling those that it does not need. In tests they are compiled at once, so that an invalid one is found.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression of a package.
type Regexp struct {
	text    string
	compile func() *regexp.Regexp
}

var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns an expression. An invalid one panics at its first use.
func New(text string) *Regexp {
	r := &Regexp{text: text, compile: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	if inTest {
		r.compile()
	}
	return r
}

func (r *Regexp) String() string                 { return r.text }
func (r *Regexp) MatchString(s string) bool      { return r.compile().MatchString(s) }
func (r *Regexp) Match(b []byte) bool            { return r.compile().Match(b) }
func (r *Regexp) FindString(s string) string     { return r.compile().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int { return r.compile().FindStringIndex(s) }
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compile().FindSubmatch(b) }
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.compile().FindAllString(s, n)
}
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compile().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compile().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compile().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compile().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compile().FindAllStringIndex(s, n)
}
func (r *Regexp) ReplaceAllString(s, by string) string { return r.compile().ReplaceAllString(s, by) }
func (r *Regexp) ReplaceAllLiteralString(s, by string) string {
	return r.compile().ReplaceAllLiteralString(s, by)
}
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compile().ReplaceAllStringFunc(s, by)
}
func (r *Regexp) Split(s string, n int) []string { return r.compile().Split(s, n) }
