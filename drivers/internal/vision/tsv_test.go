package vision

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const tsvHeader = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"

func TestParseTSV(t *testing.T) {
	words, err := parseTSV([]byte(tsvHeader + "1\t1\t0\t0\t0\t0\t0\t0\t600\t400\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t20\t40\t100\t30\t96.5\tTotal\r\n5\t1\t1\t1\t1\t2\t130\t40\t40\t30\t91\t5\n" +
		"5\t1\t1\t1\t1\t3\t180\t40\t10\t30\t20\tdust\n" +
		"5\t1\t2\t1\t1\t1\t20\t10\t50\t20\t80\tSay \"hi\"\n5\t1\t3\t1\t1\t1\t0\t0\t600\t2\t95\t—\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := lines(words, 2, image.Pt(300, 200))
	if len(got) != 2 || got[0].Text != `Say "hi"` || got[1].Text != "Total 5" || got[1].Bounds != image.Rect(10, 20, 85,
		35) || got[1].Confidence != 0.91 {
		t.Errorf("%+v", got)
	}
	for name, bad := range map[string]string{
		"nothing": "", "words": "Empty page!!", "letters for numbers": tsvHeader +
			"5\t1\t1\t1\t1\t1\tx\t40\t100\t30\t96\tTotal\n",
		"negative": tsvHeader + "5\t1\t1\t1\t1\t1\t-5\t40\t100\t30\t96\tTotal\n", "confidence": tsvHeader +
			"5\t1\t1\t1\t1\t1\t5\t40\t100\t30\tNaN\tTotal\n",
		"sure beyond measure": tsvHeader + "5\t1\t1\t1\t1\t1\t5\t40\t100\t30\t1e9\tTotal\n",
	} {
		if words, err := parseTSV([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", name, words)
		}
	}
}

func FuzzParseTSV(f *testing.F) {
	f.Add(tsvHeader + "5\t1\t1\t1\t1\t1\t20\t40\t100\t30\t96.5\tTotal\n")
	f.Add(tsvHeader + "5\t1\t1\t1\t1\t1\t2147483647\t40\t2147483647\t30\t96.5\tT\x00\xff\n")
	f.Fuzz(func(t *testing.T, data string) {
		words, err := parseTSV([]byte(data))
		if err != nil {
			return
		}
		size := image.Pt(500, 500)
		for _, l := range lines(words, 2, size) {
			if l.Bounds.Empty() || !l.Bounds.In(image.Rectangle{Max: size}) || l.Text == "" || len(l.Words) == 0 {
				t.Errorf("%+v", l)
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{`{"passed":true,"reason":"x","evidence":[{"text":"a","box":[1,2,3,4]}]}`,
		`{"passed":true`, `null`, `[[[[`, "{\"a\":1,\"a\":2}", `{"passed":true,"Passed":false}`} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		var a struct {
			Passed   *bool    `json:"passed"`
			Reason   *string  `json:"reason"`
			Evidence *[]cited `json:"evidence"`
		}
		q := &question{scale: 0.5, size: image.Pt(100, 100), asked: &drivers.ModelCall{Width: 50, Height: 50}}
		r := drivers.Reply{Text: text, Finish: "stop"}
		if parse(r, &a) == nil && a.Evidence != nil {
			_, _ = q.evidence(r, *a.Evidence)
		}
	})
}

// program lays a stand-in for tesseract.
func program(t *testing.T, script string) *Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tesseract")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Reader{langs: "eng", find: func() (string, error) { return path, nil }}
}

func TestReaderWithBadTesseract(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 50, 50))
	for name, c := range map[string]struct{ script, says string }{
		"fails": {"echo 'Error opening data file xyz.traineddata' >&2; exit 1", "xyz.traineddata"},
		"language": {`echo "Failed loading language 'xyz'" >&2; printf 'level\tpage_num\tblock_num\n'`,
			"lacks a language"},
		"garbage":    {"head -c 100000 /dev/urandom", "table"},
		"nothing":    {"cat >/dev/null", "table"},
		"never ends": {"exec sleep 60", ""},
		"floods":     {"cat >/dev/null; yes | head -c 20000000", "table"},
		"reads not":  {"exit 0", "table"},
		"bad numbers": {
			"cat >/dev/null; printf " +
				"'level\\tpage_num\\tblock_num\\tx\\n5\\ta\\ta\\ta\\ta\\ta\\ta\\ta\\ta\\ta\\ta\\ta\\n'", "number"},
	} {
		limit := time.Minute
		if name == "never ends" {
			limit = time.Second
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		began := time.Now()
		lines, err := program(t, c.script).Read(ctx, img)
		cancel()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v", name, lines, err)
		}
		if took := time.Since(began); took > time.Minute/2 && name == "never ends" {
			t.Errorf("%s took %s", name, took)
		}
	}
}

func TestReaderWithout(t *testing.T) {
	none := NewReader(func(name string) string {
		return map[string]string{"PATH": t.TempDir(), "HOME": t.TempDir()}[name]
	})
	_, err := none.Read(t.Context(), image.NewRGBA(image.Rect(0, 0, 50, 50)))
	var missing *drivers.Unavailable
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "tesseract") {
		t.Errorf("no tesseract: %v", err)
	}
	for _, langs := range []string{"eng;rm", "../eng", "--psm", "eng deu", "-l"} {
		r := NewReader(func(name string) string {
			if name == "TAPROOT_OCR_LANGS" {
				return langs
			}
			return os.Getenv(name)
		})
		if _, err := r.Read(t.Context(), image.NewRGBA(image.Rect(0, 0, 50, 50))); err == nil ||
			!strings.Contains(err.Error(), "TAPROOT_OCR_LANGS") {
			t.Errorf("%q: %v", langs, err)
		}
	}
	r := NewReader(os.Getenv)
	if lines, err := r.Read(t.Context(), image.NewRGBA(image.Rect(0, 0, 3, 3))); err != nil || len(lines) > 0 {
		t.Errorf("a picture of 9 pixels: %v, %v", lines, err)
	}
}

// TestHalfAWordIsNoWord: tesseract may read the end of a word and leave its beginning out.
func TestHalfAWordIsNoWord(t *testing.T) {
	letter := func(left, right int) blob { return blob{box: image.Rect(left, 102, right, 120), area: 60} }
	paid := drivers.TextLine{Text: "paid", Bounds: image.Rect(100, 100, 150, 124), Confidence: 0.96}
	now := drivers.TextLine{Text: "now", Bounds: image.Rect(160, 104, 200, 120), Confidence: 0.96}
	letters := []blob{letter(101, 112), letter(114, 125), letter(128, 132), letter(136, 149), letter(161, 172),
		letter(175, 185), letter(188, 199)}
	for name, c := range map[string]struct {
		beside []blob
		want   string
	}{
		"nothing beside":       {nil, "paid now"},
		"letters before":       {[]blob{letter(72, 84), letter(87, 98)}, "now"},
		"a letter after":       {[]blob{letter(202, 212)}, "paid"},
		"an icon further away": {[]blob{letter(60, 80)}, "paid now"},
		"an underline":         {[]blob{{box: image.Rect(95, 122, 155, 124), area: 120}}, "paid now"},
		"letters that touch":   {[]blob{letter(70, 149)}, "now"},
	} {
		got := uncut([]drivers.TextLine{lineOf([]drivers.TextLine{paid, now})}, append(c.beside, letters...))
		if len(got) != 1 || got[0].Text != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestMergedReadings: what was read again is in its line, and no half of a word replaces a whole one.
func TestMergedReadings(t *testing.T) {
	word := func(text string, left, right int) drivers.TextLine {
		return drivers.TextLine{Text: text, Bounds: image.Rect(left, 100, right, 120), Confidence: 0.9}
	}
	line := func(words ...drivers.TextLine) drivers.TextLine { return lineOf(words) }
	first := []drivers.TextLine{line(word("Order", 0, 60), word("10837", 70, 130), word("pald", 140, 180))}
	for name, c := range map[string]struct {
		again []drivers.TextLine
		want  string
	}{
		"a word":                 {[]drivers.TextLine{line(word("paid", 140, 181))}, "Order 10837 paid"},
		"half a word":            {[]drivers.TextLine{line(word("37", 105, 130))}, "Order 10837 pald"},
		"a word that was missed": {[]drivers.TextLine{line(word("today", 190, 240))}, "Order 10837 pald today"},
	} {
		if got := merge(first, c.again); len(got) != 1 || got[0].Text != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	far := merge(first, []drivers.TextLine{line(word("7", 400, 410))})
	if len(far) != 2 || far[1].Text != "7" {
		t.Errorf("a text far away: %+v", far)
	}
}
