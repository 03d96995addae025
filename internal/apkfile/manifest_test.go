package apkfile

import (
	"bytes"
	"testing"
)

func notes() Facts {
	return Facts{Package: "org.example.notes", Split: "config.xhdpi", VersionName: "1.5-β", VersionCode: 42, MinSDK: 35,
		OnDemand: true, Conditional: true}
}

func read(data []byte) (Facts, error) { return Read(bytes.NewReader(data), int64(len(data))) }

func TestRead(t *testing.T) {
	t.Parallel()
	for _, wide := range []bool{false, true} {
		if got, err := read(build(notes(), wide)); err != nil || got != notes() {
			t.Errorf("wide %t: %+v %v", wide, got, err)
		}
	}
	base := Facts{Package: "org.example.notes", VersionCode: 1}
	if got, err := read(Build(base)); err != nil || got != base {
		t.Errorf("a base: %+v %v", got, err)
	}
}

func TestReadBrokenFiles(t *testing.T) {
	t.Parallel()
	whole := manifestOf(notes(), false)
	for n := range len(whole) - 1 {
		if got, err := read(pack("AndroidManifest.xml", whole[:n])); err == nil && got.Package != "org.example.notes" {
			t.Errorf("the first %d bytes: %+v", n, got)
		}
	}
	for name, data := range map[string][]byte{
		"no manifest": pack("classes.dex", whole), "no archive": []byte("PK\x03\x04"),
		"text": pack("AndroidManifest.xml", []byte(`<manifest package="a.b"/>`)),
	} {
		if got, err := read(data); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
