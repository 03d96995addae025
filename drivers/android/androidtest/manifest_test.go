package androidtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"testing"
	"unicode/utf16"
)

// builder writes a binary AndroidManifest.xml as aapt2 does.
type builder struct {
	wide    bool // strings in UTF-16, as for old Androids
	strings []string
	chunks  []byte
}

func (b *builder) text(s string) uint32 {
	for i, have := range b.strings {
		if have == s {
			return uint32(i)
		}
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

func packed(t testing.TB, name string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	f, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// notes is the manifest of an app.
func notes(wide bool) []byte {
	b := &builder{wide: wide, strings: []string{"", "versionName", "minSdkVersion"}} // the first was versionCode: tools may leave names of resources out
	b.element("manifest", [3]uint32{0, 0x10, 42}, [3]uint32{1, typeText, b.text("1.5-β")}, [3]uint32{b.text("package"), typeText, b.text("org.example.notes")})
	b.element("uses-sdk", [3]uint32{2, 0x10, 35})
	b.element("application", [3]uint32{b.text("label"), typeText, b.text("Notes")})
	return b.manifest(attrVersionCode, attrVersionName, attrMinSDK)
}

func TestBuiltAPK(t *testing.T) {
	t.Parallel()
	for _, wide := range []bool{false, true} {
		got, err := builtAPK(packed(t, "AndroidManifest.xml", notes(wide)))
		if want := (apk{name: "org.example.notes", version: "1.5-β", code: 42, minSDK: 35}); err != nil || got != want {
			t.Errorf("wide %t: %+v %v", wide, got, err)
		}
	}
}

func TestBrokenAPK(t *testing.T) {
	t.Parallel()
	whole := notes(false)
	for n := range len(whole) - 1 {
		if got, err := builtAPK(packed(t, "AndroidManifest.xml", whole[:n])); err == nil && got.name != "org.example.notes" {
			t.Errorf("the first %d bytes: %+v", n, got)
		}
	}
	for name, data := range map[string][]byte{"no manifest": packed(t, "classes.dex", whole), "no archive": []byte("PK\x03\x04"), "text": packed(t, "AndroidManifest.xml", []byte(`<manifest package="a.b"/>`))} {
		if got, err := builtAPK(data); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A phone installs what Android's tools built, and refuses what is for newer phones.
func TestInstallBuiltAPK(t *testing.T) {
	t.Parallel()
	for api, want := range map[int]string{36: "Success\n", 34: "Failure [INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI: Requires newer sdk version #35 (current version is #34)]\n"} {
		b := newBench(t, Options{API: api})
		if err := b.phone.WriteFile("/data/local/tmp/notes.apk", packed(t, "AndroidManifest.xml", notes(false))); err != nil {
			t.Fatal(err)
		}
		if res := b.sh("pm install /data/local/tmp/notes.apk"); res.out != want {
			t.Errorf("API %d: %q, not %q", api, res.out, want)
		}
	}
}
