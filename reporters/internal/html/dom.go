package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	maxDOMFile  = 4 << 20 // bytes of the elements of a page, unzipped
	maxDOMBytes = 3 << 20 // of all that a page of a report holds, zipped, as base64
	maxDOMNodes = 5000
)

// domPage is the part of artifacts/dom-NN.json.gz that is read. drivers.PageSnapshotter describes the format.
type domPage struct {
	W      int        `json:"w"`
	H      int        `json:"h"`
	URL    string     `json:"url"`
	Props  []string   `json:"props"`
	Styles [][]string `json:"styles"`
	Nodes  []domNode  `json:"nodes"`
	More   int        `json:"more,omitempty"`
}

// domNode is an element or a text.
type domNode struct {
	Parent int      `json:"p"`
	Tag    string   `json:"t,omitempty"`
	Text   string   `json:"x,omitempty"`
	Attrs  []string `json:"a,omitempty"` // names and values, alternating
	Box    []int    `json:"b,omitempty"` // left, top, width, height
	Style  *int     `json:"s,omitempty"` // of Styles; none: it is out of the window
	// 1: not drawn, 2: far outside, 4: an image or a frame from elsewhere, 8: the host of a shadow root
	Flags  int `json:"f,omitempty"`
	Indent int `json:"i,omitempty"` // of a text's first line
	Lines  int `json:"l,omitempty"` // 1: of several lines
}

// pages adds the elements of the page after each step, those nearest to the problem first, until the limit is reached.
func (b *builder) pages() {
	if b.root == nil {
		return
	}
	files := map[int]string{}
	for _, s := range b.res.Steps {
		for _, a := range s.Attachments {
			if a.Kind == event.KindDOM {
				files[s.N] = a.Path
			}
		}
	}
	known, bytes, left := map[string]int{}, 0, 0
	for _, s := range b.nearestFirst() {
		file := files[s.N]
		if file == "" {
			continue
		}
		if known[file] == 0 {
			packed, err := b.packDOM(file, maxDOMBytes-bytes)
			if errors.Is(err, errTooLarge) {
				s.DOM = -1
				left++
				continue
			}
			if err != nil {
				b.out.Remarks = append(b.out.Remarks, shown(fmt.Sprintf("%s cannot be shown: %v", file, err), maxLabel))
				continue
			}
			bytes += len(packed)
			b.out.DOM = append(b.out.DOM, packed)
			known[file] = len(b.out.DOM)
		}
		s.DOM = known[file]
	}
	if left > 0 {
		b.out.Remarks = append(b.out.Remarks,
			fmt.Sprintf("The elements of the page after %s are only in the pack "+
				"(artifacts/dom-NN.json.gz).", phrase.Plural(left, "step")))
	}
}

var errTooLarge = errors.New("the page has reached its size limit")

// packDOM reads, checks and packs the elements of a page.
func (b *builder) packDOM(file string, limit int) (string, error) {
	raw, err := readFile(b.root, file, maxDOMFile)
	if err != nil {
		return "", err
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxDOMFile+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxDOMFile {
		return "", fmt.Errorf("it is larger than %d MB", maxDOMFile>>20)
	}
	var page domPage
	if err := json.Unmarshal(text, &page); err != nil {
		return "", err
	}
	page.clean()
	if text, err = json.Marshal(page); err != nil {
		return "", err
	}
	return packed(text, limit)
}

// packed compresses a text; errTooLarge when the result has more than limit bytes as base64.
func packed(text []byte, limit int) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		return "", err
	}
	if base64.StdEncoding.EncodedLen(b.Len()) > limit {
		return "", errTooLarge
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// clean makes the tree safe: its numbers are in range, and its texts can be shown.
func (p *domPage) clean() {
	p.W, p.H = min(max(p.W, 1), 20000), min(max(p.H, 1), 20000)
	p.URL = shown(p.URL, maxLabel)
	p.More += max(0, len(p.Nodes)-maxDOMNodes)
	p.Nodes = p.Nodes[:min(len(p.Nodes), maxDOMNodes)]
	for i := range p.Styles {
		for k := range p.Styles[i] {
			p.Styles[i][k] = shown(p.Styles[i][k], maxLabel)
		}
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.Parent = min(max(n.Parent, -1), i-1)
		n.Tag, n.Text = shown(n.Tag, 60), shownLines(n.Text, maxText)
		for k := range n.Attrs {
			n.Attrs[k] = shown(n.Attrs[k], maxLabel)
		}
		if len(n.Attrs)%2 != 0 {
			n.Attrs = n.Attrs[:len(n.Attrs)-1]
		}
		if len(n.Box) != 4 {
			n.Box = nil
		}
		if n.Style != nil && (*n.Style < 0 || *n.Style >= len(p.Styles)) {
			n.Style = nil
		}
	}
}
