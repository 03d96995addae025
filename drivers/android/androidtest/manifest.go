package androidtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// The chunks of a binary AndroidManifest.xml, and the attributes by whose numbers the package manager knows them.
const (
	chunkXML, chunkStrings, chunkResources, chunkElement = 0x0003, 0x0001, 0x0180, 0x0102

	attrMinSDK, attrVersionCode, attrVersionName = 0x0101020c, 0x0101021b, 0x0101021c

	utf8Strings    = 1 << 8
	maxManifest    = 4 << 20
	typeText       = 0x03
	elementHeader  = 16 // before what follows counts
	attributeBytes = 20
)

var errManifest = errors.New("no readable AndroidManifest.xml")

// builtAPK reads what the package manager asks of a package that was built by Android's tools: its names and numbers. It knows no certificates.
func builtAPK(data []byte) (apk, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return apk{}, err
	}
	f, err := archive.Open("AndroidManifest.xml")
	if err != nil {
		return apk{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return apk{}, err
	}
	m := manifest{}
	if err := m.read(raw); err != nil || m.facts.name == "" {
		return apk{}, errors.Join(errManifest, err)
	}
	m.facts.agent = m.facts.name == AgentPackage || m.facts.name == AgentTestPackage
	return m.facts, nil
}

// manifest is a binary manifest as far as it was read.
type manifest struct {
	strings   []string
	resources []uint32 // the numbers of the first strings, where they name attributes
	facts     apk
}

func (m *manifest) read(raw []byte) (err error) {
	defer func() {
		if recover() != nil { // an offset that leads out of the file
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

// element reads what the elements manifest and uses-sdk say.
func (m *manifest) element(e []byte) {
	le := binary.LittleEndian
	name := m.strings[le.Uint32(e[4:])]
	if name != "manifest" && name != "uses-sdk" {
		return
	}
	attributes := e[le.Uint16(e[8:]):]
	for i := range int(le.Uint16(e[12:])) {
		a := attributes[i*attributeBytes:]
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
			m.facts.code = int(value)
		case id == attrVersionName:
			m.facts.version = strings.TrimSpace(text)
		case id == attrMinSDK:
			m.facts.minSDK = int(value)
		case name == "manifest" && m.strings[index] == "package":
			m.facts.name = text
		}
	}
}
