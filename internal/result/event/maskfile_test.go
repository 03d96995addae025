package event

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestMaskFile(t *testing.T) {
	packed := func(text string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("inner.txt")
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, test := range map[string]struct {
		data  []byte
		clean bool
		after string
	}{
		"a text":             {[]byte("it is s3cr3t!"), true, "it is •••!"},
		"a text without":     {[]byte("it is not"), true, "it is not"},
		"bytes":              {[]byte("\xff\xfe s3cr3t"), false, ""},
		"an archive":         {packed("it is s3cr3t"), false, ""},
		"an archive without": {packed("it is not"), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var m Mask
			m.Hide("s3cr3t")
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			clean, err := m.File(path)
			if err != nil || clean != test.clean {
				t.Errorf("clean %v, %v", clean, err)
			}
			if data, _ := os.ReadFile(path); test.after != "" && string(data) != test.after {
				t.Errorf("it holds %q", data)
			}
		})
	}
}
