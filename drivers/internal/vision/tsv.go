package vision

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
)

// How sure tesseract must be of a word. What it is less sure of is mostly not text at all; a mark without characters
// (&, -) is taken for dust unless it is sure and next to a word.
const (
	confident     = 0.45
	confidentMark = 0.70
)

// tsvWord is a word as tesseract reports it.
type tsvWord struct {
	line [3]int // block, paragraph, line
	drivers.TextLine
}

const tsvColumns = 12

// parseTSV reads the words of tesseract's table: level page block par line word left top width height conf text.
func parseTSV(data []byte) ([]tsvWord, error) {
	header, rows, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.HasPrefix(header, []byte("level\tpage_num\tblock_num")) {
		return nil, errors.New("tesseract did not give a table of words")
	}
	var words []tsvWord
	for row := range bytes.Lines(rows) {
		cells := strings.SplitN(strings.TrimRight(string(row), "\r\n"), "\t", tsvColumns)
		if len(cells) < tsvColumns || cells[0] != "5" { // 5 is the level of words
			continue
		}
		var n [tsvColumns - 2]int
		for i := range n {
			v, err := strconv.Atoi(cells[i])
			if err != nil || v < 0 || v > math.MaxInt32 {
				return nil, fmt.Errorf("tesseract returned a table with %q for a number", cells[i])
			}
			n[i] = v
		}
		conf, err := strconv.ParseFloat(cells[10], 64)
		if err != nil || !(conf >= -1 && conf <= 100) {
			return nil, fmt.Errorf("tesseract returned a table with %q for a confidence", cells[10])
		}
		w := tsvWord{line: [3]int{n[2], n[3], n[4]}}
		w.Text, w.Confidence = strings.TrimSpace(strings.ToValidUTF8(cells[11], "")), conf/100
		w.Bounds = image.Rect(n[6], n[7], n[6]+n[8], n[7]+n[9])
		words = append(words, w)
	}
	return words, nil
}

// lines joins the words that are text to lines, in the coordinates of the image before it was scaled.
func lines(words []tsvWord, scale float64, size image.Point) []drivers.TextLine {
	var out []drivers.TextLine
	var last [3]int
	for _, w := range words {
		w.Bounds = unscale(w.Bounds, scale).Intersect(image.Rectangle{Max: size})
		if w.Confidence < confident || w.Bounds.Empty() || w.Text == "" || w.Confidence < confidentMark &&
			!strings.ContainsFunc(w.Text, readable) {
			continue
		}
		if len(out) == 0 || w.line != last {
			out = append(out, drivers.TextLine{})
		}
		last = w.line
		out[len(out)-1].Words = append(out[len(out)-1].Words, w.TextLine)
	}
	out = slices.DeleteFunc(out, func(l drivers.TextLine) bool {
		return !slices.ContainsFunc(l.Words, func(w drivers.TextLine) bool { return strings.ContainsFunc(w.Text, readable) })
	})
	for i := range out {
		out[i] = lineOf(out[i].Words)
	}
	inReadingOrder(out)
	return out
}

// lineOf makes a line of its words.
func lineOf(words []drivers.TextLine) drivers.TextLine {
	slices.SortStableFunc(words, func(a, b drivers.TextLine) int { return cmp.Compare(a.Bounds.Min.X, b.Bounds.Min.X) })
	l := drivers.TextLine{Confidence: 1, Words: words}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
		l.Bounds, l.Confidence = l.Bounds.Union(w.Bounds), min(l.Confidence, w.Confidence)
	}
	l.Text = strings.Join(texts, " ")
	return l
}

// inReadingOrder sorts lines as they are read.
func inReadingOrder(all []drivers.TextLine) {
	slices.SortStableFunc(all, func(a, b drivers.TextLine) int {
		return cmp.Or(cmp.Compare(a.Bounds.Min.Y, b.Bounds.Min.Y), cmp.Compare(a.Bounds.Min.X, b.Bounds.Min.X))
	})
}

func unscale(r image.Rectangle, scale float64) image.Rectangle {
	at := func(n int, round func(float64) float64) int { return int(round(float64(n) / scale)) }
	return image.Rect(at(r.Min.X, math.Floor), at(r.Min.Y, math.Floor), at(r.Max.X, math.Ceil), at(r.Max.Y, math.Ceil))
}

// readable reports whether characters carry a text; rules, dots and boxes are often read as others.
func readable(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) && r > 0x7f
}

// certain leaves the lines of a second reading that count.
func certain(all []drivers.TextLine) []drivers.TextLine {
	return slices.DeleteFunc(all, func(l drivers.TextLine) bool { return l.Confidence < confidentAgain })
}

// merge takes both readings. What was read again is in the line where it was missed, in place of what was read
// there at first; but not half a word for a whole one.
func merge(first, again []drivers.TextLine) []drivers.TextLine {
	out := slices.Clone(first)
	for _, a := range again {
		if slices.ContainsFunc(out, func(l drivers.TextLine) bool { return cuts(a, l) }) {
			continue
		}
		words := a.Words
		out = slices.DeleteFunc(out, func(l drivers.TextLine) bool {
			if !sameLine(l, a) {
				return false
			}
			words = append(words, slices.DeleteFunc(slices.Clone(l.Words), func(w drivers.TextLine) bool {
				return middle(w).In(a.Bounds)
			})...)
			return true
		})
		out = append(out, lineOf(words))
	}
	inReadingOrder(out)
	return out
}

// cuts reports whether a text covers less than half of a word of a line.
func cuts(a, line drivers.TextLine) bool {
	return slices.ContainsFunc(line.Words, func(w drivers.TextLine) bool {
		return w.Bounds.Overlaps(a.Bounds) &&
			!middle(w).In(a.Bounds)
	})
}

// sameLine reports whether two texts are next to each other.
func sameLine(a, b drivers.TextLine) bool {
	high, low := max(a.Bounds.Dy(), b.Bounds.Dy()), min(a.Bounds.Dy(), b.Bounds.Dy())
	common := min(a.Bounds.Max.Y, b.Bounds.Max.Y) - max(a.Bounds.Min.Y, b.Bounds.Min.Y)
	gap := max(a.Bounds.Min.X, b.Bounds.Min.X) - min(a.Bounds.Max.X, b.Bounds.Max.X)
	return 2*common >= low && 2*low >= high && gap <= high
}

func middle(l drivers.TextLine) image.Point { return l.Bounds.Min.Add(l.Bounds.Size().Div(2)) }
