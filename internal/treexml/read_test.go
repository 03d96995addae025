package treexml

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
)

// tags reads a document and returns the elements that started, each with its attribute "text".
func tags(doc []byte) (list []string, err error) {
	open := 0
	err = Read(doc, Visitor{
		Begin: func(e xml.StartElement) error {
			open++
			list = append(list, e.Name.Local+Attr(e, "text"))
			return nil
		},
		End: func() { open-- },
	})
	if err == nil && open != 0 {
		err = errors.New("an element did not end")
	}
	return list, err
}

func TestRead(t *testing.T) {
	const doc = `<?xml version="1.0"?><a><b text="ü&#55357;&#56832;"/></a> trailing <`
	wide := func(order string) []byte {
		var out []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + doc)) {
			if order == "little" {
				out = append(out, byte(u), byte(u>>8))
			} else {
				out = append(out, byte(u>>8), byte(u))
			}
		}
		return out
	}
	for name, in := range map[string][]byte{
		"as it is": []byte(doc), "UTF-8 with a mark": []byte("\ufeff" + doc), "UTF-16": wide("little"),
		"UTF-16, big end first": wide("big"),
		"UTF-16 without a mark": wide("little")[2:],
	} {
		if got, err := tags(in); err != nil || strings.Join(got, " ") != "a bü😀" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := tags([]byte(strings.Repeat("<a>", MaxDepth+1))); !errors.Is(err, ErrTooBig) {
		t.Errorf("too deep: %v", err)
	}
	stop := errors.New("stop")
	if err := Read([]byte("<a/>"), Visitor{Begin: func(xml.StartElement) error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("a visitor that stops: %v", err)
	}
}

// TestReadSurvivesWhatXMLForbids checks that one invalid character, entity or name does not lose the tree.
func TestReadSurvivesWhatXMLForbids(t *testing.T) {
	for doc, want := range map[string]string{
		`<a text="x &bogus; y"><b text="z"/></a>`:              "ax &bogus; y bz",
		`<a text="R&D; &nbsp;&amp;&copy;"/>`:                   "aR&D; \u00a0&©",
		`<a text="&#xZZ; &#; &#99999999;"/>`:                   "a. . .",
		`<a text="1 < 2 &lt; 3"><b text='it "is" > <'/></a>`:   `a1 < 2 < 3 bit "is" > <`,
		`<com.a.B$C text="x"></com.a.B$C>`:                     "com.a.B_Cx",
		"<?xml version='1.0'?><!-- don't -- \x00 \xff --><a/>": "a",
		"<a text='\ufffe\uffff\x0b'/>":                         "a...",
		`<a>it's &what; <b text="ok"/></a>`:                    "a bok",
	} {
		if got, err := tags([]byte(doc)); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", doc, strings.Join(got, " "), err)
		}
	}
	for _, doc := range []string{`<a><b text="x"/>`, `<a text="x`, `<a></b>`} {
		if _, err := tags([]byte(doc)); err == nil {
			t.Errorf("%s: an incomplete tree is read as complete", doc)
		}
	}
}

func TestCleanLeavesGoodOnesAlone(t *testing.T) {
	const doc = `<a text="plain é 漢 😀 &amp; &#10;" />`
	if got := string(clean([]byte(doc))); got != doc {
		t.Errorf("%s\nbecame\n%s", doc, got)
	}
}

// FuzzRead checks that reading ends within the limits, and that no text contains what XML forbids.
func FuzzRead(f *testing.F) {
	f.Add([]byte("<a text='\x00&#0;&#55357;&#56832;&x'/>"))
	f.Add([]byte("\xff\xfe<\x00a\x00/\x00>\x00"))
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY a "b">]><a text="&a;"/>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		list, err := tags(doc)
		if len(list) > MaxNodes || err == nil && strings.ContainsRune(strings.Join(list, ""), 0) {
			t.Errorf("%d elements, %v", len(list), err)
		}
	})
}
