package treexml

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
)

// The limits of a tree.
const (
	MaxDepth = 500
	MaxNodes = 50_000
)

// ErrTooBig is wrapped by the error for a tree above the limits.
var ErrTooBig = errors.New("the tree is too big")

// Visitor receives the elements of a document in the order in which they start and end.
type Visitor struct {
	Begin func(e xml.StartElement) error
	End   func()
}

// Read reads a document until its outermost element ends. It ignores what follows, for example a status line. It also
// reads UTF-16, which Windows shells write to redirected files.
func Read(doc []byte, v Visitor) error {
	dec := xml.NewDecoder(bytes.NewReader(Clean(doc)))
	dec.Entity = xml.HTMLEntity
	// it is UTF-8, whatever it declares
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	depth, nodes := 0, 0
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return errors.New("it contains no tree")
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > MaxDepth {
				return fmt.Errorf("%w: deeper than %d elements", ErrTooBig, MaxDepth)
			}
			if nodes++; nodes > MaxNodes {
				return fmt.Errorf("%w: more than %d elements", ErrTooBig, MaxNodes)
			}
			if err := v.Begin(t); err != nil {
				return err
			}
		case xml.EndElement:
			v.End()
			if depth--; depth == 0 {
				return nil
			}
		}
	}
}

// Attr returns an attribute of an element, or "" when it has none of that name.
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Clean returns a document as UTF-8 without what XML forbids: NULs, control characters, surrogate halves, a bare "&".
func Clean(doc []byte) []byte { return clean(UTF8(doc)) }

// UTF8 converts UTF-16 with a byte order mark, or with a "<" at its start, to UTF-8. It returns other texts unchanged.
func UTF8(doc []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(doc, []byte{0xff, 0xfe}), bytes.HasPrefix(doc, []byte{'<', 0}):
		order = binary.LittleEndian
	case bytes.HasPrefix(doc, []byte{0xfe, 0xff}), bytes.HasPrefix(doc, []byte{0, '<'}):
		order = binary.BigEndian
	default:
		return doc
	}
	units := make([]uint16, 0, len(doc)/2)
	for i := 0; i+1 < len(doc); i += 2 {
		units = append(units, order.Uint16(doc[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
