// Package apkfile reads the manifest of an APK.
package apkfile

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// The chunks of a binary AndroidManifest.xml, and the resource ids of the attributes.
const (
	chunkXML, chunkStrings, chunkResources, chunkElement = 0x0003, 0x0001, 0x0180, 0x0102

	attrMinSDK, attrVersionCode, attrVersionName = 0x0101020c, 0x0101021b, 0x0101021c

	utf8Strings    = 1 << 8
	maxManifest    = 4 << 20
	typeText       = 0x03
	typeNumber     = 0x10
	elementHeader  = 16 // bytes before the attributes
	attributeBytes = 20
)

var errManifest = errors.New("it has no AndroidManifest.xml that can be read")

// Facts are the names and numbers of an APK that decide how it is installed.
type Facts struct {
	Package     string
	Split       string // the name of this part of an app; "" for the base
	VersionName string
	VersionCode int
	MinSDK      int
	OnDemand    bool // a feature module that is installed only when the app requests it
	Conditional bool // a feature module for phones that meet its conditions
}

// Read returns the facts in the manifest of an APK that Android's tools built. It verifies no signature.
func Read(r io.ReaderAt, size int64) (Facts, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return Facts{}, err
	}
	f, err := archive.Open("AndroidManifest.xml")
	if err != nil {
		return Facts{}, errManifest
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return Facts{}, err
	}
	m := manifest{}
	if err := m.read(raw); err != nil || m.facts.Package == "" {
		return Facts{}, errManifest
	}
	m.facts.OnDemand = m.onDemand && !m.atInstall
	return m.facts, nil
}

// manifest is a binary manifest as far as it was read.
type manifest struct {
	strings   []string
	resources []uint32 // the resource ids of the first strings, which name attributes
	facts     Facts
	onDemand  bool
	atInstall bool
}

func (m *manifest) read(raw []byte) (err error) {
	defer func() {
		if recover() != nil { // an offset outside of the file
			err = errManifest
		}
	}()
	le := binary.LittleEndian
	if le.Uint16(raw) != chunkXML {
		return errManifest
	}
	for rest := raw[le.Uint16(raw[2:]):]; len(rest) > 0; {
		size := le.Uint32(rest[4:])
		if size < 8 {
			return errManifest
		}
		chunk := rest[:size]
		switch le.Uint16(chunk) {
		case chunkStrings:
			m.readStrings(chunk)
		case chunkResources:
			for ids := chunk[le.Uint16(chunk[2:]):]; len(ids) >= 4; ids = ids[4:] {
				m.resources = append(m.resources, le.Uint32(ids))
			}
		case chunkElement:
			m.element(chunk[elementHeader:])
		}
		rest = rest[size:]
	}
	return nil
}

func (m *manifest) readStrings(chunk []byte) {
	le := binary.LittleEndian
	count, flags, start := le.Uint32(chunk[8:]), le.Uint32(chunk[16:]), le.Uint32(chunk[20:])
	offsets := chunk[le.Uint16(chunk[2:]):]
	for i := range count {
		text := chunk[start+le.Uint32(offsets[4*i:]):]
		if flags&utf8Strings != 0 {
			_, text = shortLength(text) // in characters
			n, bytes := shortLength(text)
			m.strings = append(m.strings, string(bytes[:n]))
			continue
		}
		n, units := int(le.Uint16(text)), make([]uint16, 0, 32)
		for text = text[2:]; n > 0; n, text = n-1, text[2:] {
			units = append(units, le.Uint16(text))
		}
		m.strings = append(m.strings, string(utf16.Decode(units)))
	}
}

// shortLength reads a length of one or two bytes.
func shortLength(b []byte) (n int, rest []byte) {
	if b[0]&0x80 == 0 {
		return int(b[0]), b[1:]
	}
	return int(b[0]&0x7f)<<8 | int(b[1]), b[2:]
}

// element reads the elements manifest and uses-sdk, and those of delivery.
func (m *manifest) element(e []byte) {
	le := binary.LittleEndian
	name := m.strings[le.Uint32(e[4:])]
	switch name {
	case "install-time":
		m.atInstall = true
	case "on-demand", "fast-follow":
		m.onDemand = true
	case "conditions":
		m.facts.Conditional = true
	case "manifest", "uses-sdk", "module":
		attributes := e[le.Uint16(e[8:]):]
		for i := range int(le.Uint16(e[12:])) {
			m.attribute(name, attributes[i*attributeBytes:])
		}
	}
}

func (m *manifest) attribute(element string, a []byte) {
	le := binary.LittleEndian
	index, value := le.Uint32(a[4:]), le.Uint32(a[16:])
	text := ""
	if a[15] == typeText {
		text = m.strings[value]
	}
	id := uint32(0)
	if int(index) < len(m.resources) {
		id = m.resources[index]
	}
	switch {
	case id == attrVersionCode:
		m.facts.VersionCode = int(value)
	case id == attrVersionName:
		m.facts.VersionName = strings.TrimSpace(text)
	case id == attrMinSDK:
		m.facts.MinSDK = int(value)
	case element == "manifest" && m.strings[index] == "package":
		m.facts.Package = text
	case element == "manifest" && m.strings[index] == "split":
		m.facts.Split = text
	case element == "module" && m.strings[index] == "onDemand":
		m.onDemand = value != 0
	}
}
