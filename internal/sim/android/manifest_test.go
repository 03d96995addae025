package androidsim

import (
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
