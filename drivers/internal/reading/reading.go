// Package reading finds texts among what was read in an image: lines and a wanted text go in, the places that show it
// come out, with what a reader of pixels confuses forgiven.
package reading

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// goodReading is the score below which a text is another one.
const goodReading = 0.8

// maxReading bounds the texts that are compared, in bytes: the time goes with the square of it.
const maxReading = 1000

// Find returns the places that show a text: whole lines, or whole words within one, best and then in reading order.
// Only what a reader of pixels confuses is forgiven, and the score shows it: l for I, O for 0, rn for m, a lost accent,
// blank or comma. "Unpaid" never shows "Paid", nor "50" "60".
func Find(lines []drivers.TextLine, want string) []drivers.Sighting {
	var hits []drivers.Sighting
	for _, h := range rankText(lines, want) {
		if h.same && h.Score >= goodReading {
			hits = append(hits, h.Sighting)
		}
	}
	return hits
}

// Nearest returns what is most like a text, whether it shows it or not, best first.
func Nearest(lines []drivers.TextLine, want string, limit int) []drivers.Sighting {
	var hits []drivers.Sighting
	for _, h := range rankText(lines, want) {
		if len(hits) < limit && h.Score >= 0.35 {
			hits = append(hits, h.Sighting)
		}
	}
	return hits
}

// rankedText is a part of a line that may be the text.
type rankedText struct {
	drivers.Sighting
	same bool // nothing differs but what is confused
}

// rankText rates the best part of every line, or all its parts that are the text.
func rankText(lines []drivers.TextLine, want string) []rankedText {
	goal := glyphs(want)
	if len(goal) == 0 || len(goal) > maxReading {
		return nil
	}
	words := len(strings.Fields(screen.Normalise(want)))
	var all []rankedText
	for _, l := range lines {
		all = append(all, rank(l, goal, words)...)
	}
	slices.SortStableFunc(all, func(a, b rankedText) int {
		return cmp.Or(cmp.Compare(truth(b.same), truth(a.same)), cmp.Compare(truth(b.Whole), truth(a.Whole)),
			cmp.Compare(b.Score, a.Score))
	})
	return all
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rank rates the runs of words of a line that may be the goal; blanks are lost and made in reading, so the number of
// words may differ.
func rank(l drivers.TextLine, goal []rune, words int) []rankedText {
	var best rankedText
	var same []rankedText
	if len(l.Words) == 0 { // a caller passed the line alone
		l.Words = []drivers.TextLine{{Text: l.Text, Bounds: l.Bounds}}
	}
	for from := 0; from < len(l.Words); from++ {
		var found *rankedText
		taken := 1
		for n := max(1, words-2); n <= words+2 && from+n <= len(l.Words); n++ {
			run := l.Words[from : from+n]
			r := rankedText{Sighting: drivers.Sighting{Text: textOf(run), Bounds: boxOf(run), Whole: n == len(l.Words)}}
			if len(r.Text) > maxReading {
				break
			}
			r.Score, r.same = liken(goal, glyphs(r.Text))
			if r.same && r.Text != "" && r.Score >= goodReading && (found == nil || r.Score > found.Score) {
				found, taken = &r, n
			}
			if r.Score > best.Score {
				best = r
			}
		}
		if found != nil {
			same = append(same, *found)
			from += taken - 1
		}
	}
	if len(same) > 0 {
		return same
	}
	if best.Score > 0 {
		return []rankedText{best}
	}
	return nil
}

func textOf(words []drivers.TextLine) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

func boxOf(words []drivers.TextLine) (box image.Rectangle) {
	for _, w := range words {
		box = box.Union(w.Bounds)
	}
	return box
}

// glyphs is a text as the eye has it: normalised, and pairs of characters that resemble one character as that one.
func glyphs(s string) []rune {
	return []rune(strings.NewReplacer("rn", "m", "vv", "w", "\u2019", "'", "\u2018", "'", "\u201c", `"`, "\u201d", `"`,
		"\u2013", "-", "\u2014", "-", "\u2212", "-").
		Replace(screen.Normalise(s)))
}

// What a confusion takes from the score, in characters; another character takes one.
const (
	slip  = 0.2 // l for I, a lost blank or comma
	other = 1.0
)

// liken compares two texts by their glyphs: the score, and whether they differ by nothing but slips.
func liken(want, have []rune) (score float64, same bool) {
	row := make([]float64, len(have)+1)
	for j := range have {
		row[j+1] = row[j] + loss(have, j)
	}
	for i := range want {
		diagonal := row[0]
		row[0] += loss(want, i)
		for j := range have {
			best := min(diagonal+swap(want[i], have[j]), row[j+1]+loss(want, i), row[j]+loss(have, j))
			diagonal, row[j+1] = row[j+1], best
		}
	}
	cost := row[len(have)]
	return max(0, 1-cost/float64(max(len(want), len(have)))), costsOnlySlips(want, have)
}

// costsOnlySlips reports whether want can be made of have without replacing, adding or dropping a character that the
// eye distinguishes.
func costsOnlySlips(want, have []rune) bool {
	row := make([]bool, len(have)+1)
	row[0] = true
	for j := range have {
		row[j+1] = row[j] && loss(have, j) < other
	}
	for i := range want {
		diagonal := row[0]
		row[0] = row[0] && loss(want, i) < other
		for j := range have {
			now := diagonal && swap(want[i], have[j]) < other || row[j+1] && loss(want, i) < other || row[j] &&
				loss(have, j) < other
			diagonal, row[j+1] = row[j+1], now
		}
	}
	return row[len(have)]
}

// loss is what it takes that the character s[i] is not in the other text. A point within a number and a sign before one
// are not specks of dust, nor is a character.
func loss(s []rune, i int) float64 {
	r := s[i]
	digit := func(k int) bool { return k >= 0 && k < len(s) && unicode.IsDigit(s[k]) }
	switch {
	case r == ' ':
		if digit(i-1) && digit(i+1) {
			return other // 1 25 is not 125
		}
		return slip
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r):
		return other
	case digit(i + 1), digit(i-1) && r == '%':
		return other
	}
	return slip
}

// swap is what it takes to have b in place of a.
func swap(a, b rune) float64 {
	if a == b {
		return 0
	}
	if alikeAs(a) == alikeAs(b) {
		return slip
	}
	return other
}

// alikeAs returns one character for all that resemble it: strokes, rings, and characters with an accent.
func alikeAs(r rune) rune {
	switch r {
	case 'i', 'l', '1', '|', '!', 'ı', ']', '[':
		return 'l'
	case 'o', '0':
		return 'o'
	}
	if r > 0x7e && unicode.IsLetter(r) {
		if bare := []rune(norm.NFD.String(string(r))); len(bare) > 1 {
			return alikeAs(bare[0])
		}
	}
	return r
}
