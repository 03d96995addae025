package androidsim

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/apkfile"
)

// A phone installs what Android's tools built, and refuses what is for newer phones.
func TestInstallBuiltAPK(t *testing.T) {
	t.Parallel()
	for api, want := range map[int]string{36: "Success\n",
		34: "Failure [INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI: Requires newer sdk version #35 " +
			"(current version is #34)]\n"} {
		b := newBench(t, Options{API: api})
		if err := b.phone.WriteFile("/data/local/tmp/notes.apk",
			apkfile.Build(apkfile.Facts{Package: "org.example.notes", VersionName: "1.5-β", VersionCode: 42,
				MinSDK: 35})); err != nil {
			t.Fatal(err)
		}
		if res := b.sh("pm install /data/local/tmp/notes.apk"); res.out != want {
			t.Errorf("API %d: %q, not %q", api, res.out, want)
		}
	}
}

// TestInstallSessions: the package manager takes the files of a session together, or none.
func TestInstallSessions(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	apk := func(pkg, split string, code int) []byte {
		return apkfile.Build(apkfile.Facts{Package: pkg, Split: split, VersionCode: code})
	}
	base := apk("a.b", "", 1)
	for name, c := range map[string]struct {
		files [][]byte
		cut   int // bytes that the last file lacks
		want  string
	}{
		"an app":          {[][]byte{apk("a.b", "config.de", 1), base}, 0, "Success\n"},
		"nothing":         {nil, 0, "No packages staged"},
		"no base":         {[][]byte{apk("a.b", "config.de", 1)}, 0, "Full install must include a base package"},
		"two bases":       {[][]byte{base, base}, 0, "Split null was defined multiple times"},
		"another app":     {[][]byte{base, apk("a.c", "config.de", 1)}, 0, "package a.c inconsistent with a.b"},
		"another version": {[][]byte{base, apk("a.b", "config.de", 2)}, 0, "version code 2 inconsistent with 1"},
		"a short file":    {[][]byte{base}, len(base) - 2, "INSTALL_PARSE_FAILED"},
	} {
		made := b.sh("pm install-create -S 10").out
		m := regexp.MustCompile(`^Success: created install session \[(\d+)\]\n$`).FindStringSubmatch(made)
		if m == nil {
			t.Fatal(made)
		}
		for i, data := range c.files {
			size := len(data)
			if i == len(c.files)-1 {
				data = data[:size-c.cut]
			}
			if err := b.phone.WriteFile("/data/local/tmp/x", data); err != nil {
				t.Fatal(err)
			}
			if res := b.sh(fmt.Sprintf("cat /data/local/tmp/x | pm install-write -S %d %s %d.apk -", size, m[1],
				i)); !strings.HasPrefix(res.out, "Success: streamed") {
				t.Errorf("%s: write %q", name, res.out)
			}
		}
		if res := b.sh("pm install-commit " + m[1]); !strings.Contains(res.out, c.want) {
			t.Errorf("%s: %q", name, res.out)
		}
		if res := b.sh("pm install-abandon " + m[1]); res.out != "" || b.phone.InstallSessions() != 0 {
			t.Errorf("%s: the session outlives its commit: %q", name, res.out)
		}
	}
}
