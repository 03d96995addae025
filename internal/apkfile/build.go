package apkfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf16"
)

// Build returns an APK that holds nothing but a manifest, as aapt2 writes it: the simulated phone's tests install it.
func Build(f Facts) []byte { return build(f, false) }

func build(f Facts, wide bool) []byte {
	return pack("AndroidManifest.xml", manifestOf(f, wide))
}

func manifestOf(f Facts, wide bool) []byte {
	// The first name is left out, as tools may do with those of resources.
	b := &builder{wide: wide, strings: []string{"", "versionName", "minSdkVersion"}}
	attributes := [][3]uint32{
		{0, typeNumber, uint32(f.VersionCode)}, {1, typeText, b.text(f.VersionName)},
		{b.text("package"), typeText, b.text(f.Package)},
	}
	if f.Split != "" {
		attributes = append(attributes, [3]uint32{b.text("split"), typeText, b.text(f.Split)})
	}
	b.element("manifest", attributes...)
	if f.MinSDK > 0 {
		b.element("uses-sdk", [3]uint32{2, typeNumber, uint32(f.MinSDK)})
	}
	if f.OnDemand {
		b.element("on-demand")
	}
	if f.Conditional {
		b.element("conditions")
	}
	b.element("application", [3]uint32{b.text("label"), typeText, b.text("An app")})
	return b.manifest(attrVersionCode, attrVersionName, attrMinSDK)
}

// pack returns a ZIP of one file. Writing to memory does not fail.
func pack(name string, data []byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	if f, err := z.Create(name); err == nil {
		_, _ = f.Write(data)
	}
	_ = z.Close()
	return out.Bytes()
}

// builder writes a binary AndroidManifest.xml as aapt2 does.
type builder struct {
	wide    bool // strings in UTF-16, as for old Androids
	strings []string
	chunks  []byte
}

func (b *builder) text(s string) uint32 {
	if i := slices.Index(b.strings, s); i >= 0 {
		return uint32(i)
	}
	b.strings = append(b.strings, s)
	return uint32(len(b.strings) - 1)
}

func chunk(kind, header uint16, body []byte) []byte {
	le := binary.LittleEndian
	out := le.AppendUint16(nil, kind)
	out = le.AppendUint16(out, header)
	out = le.AppendUint32(out, uint32(8+len(body)))
	return append(out, body...)
}

func words(list ...uint32) (out []byte) {
	for _, w := range list {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// element has attributes of a name's index, a type and a value each.
func (b *builder) element(name string, attributes ...[3]uint32) {
	body := words(1, ^uint32(0), ^uint32(0), b.text(name), 20<<16|20, uint32(len(attributes)), 0)
	for _, a := range attributes {
		body = append(body, words(^uint32(0), a[0], ^uint32(0), a[1]<<24|8, a[2])...)
	}
	b.chunks = append(b.chunks, chunk(chunkElement, 16, body)...)
}

func (b *builder) manifest(resources ...uint32) []byte {
	var offsets, pool []byte
	for _, s := range b.strings {
		offsets = append(offsets, words(uint32(len(pool)))...)
		if !b.wide {
			pool = append(append(append(pool, byte(len(s)), byte(len(s))), s...), 0)
			continue
		}
		units := utf16.Encode([]rune(s))
		for _, u := range append(append([]uint16{uint16(len(units))}, units...), 0) {
			pool = binary.LittleEndian.AppendUint16(pool, u)
		}
	}
	flags := uint32(utf8Strings)
	if b.wide {
		flags = 0
	}
	all := words(uint32(len(b.strings)), 0, flags, uint32(28+len(offsets)), 0)
	all = chunk(chunkStrings, 28, append(append(all, offsets...), pool...))
	all = append(all, chunk(chunkResources, 8, words(resources...))...)
	return chunk(chunkXML, 8, append(all, b.chunks...))
}
