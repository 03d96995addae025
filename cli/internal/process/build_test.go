package process

import (
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	t.Parallel()
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-03-04T05:06:07Z"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want Build
	}{
		"nothing known": {debug.BuildInfo{GoVersion: "go1.26.0"}, Build{Version: "(devel)", Go: "go1.26.0"}},
		"built in its repository": {debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"},
			Settings: settings},
			Build{Version: "v1.2.3", Commit: settings[0].Value, Date: settings[1].Value, Modified: true, Go: "go1.26.0"}},
		"go install of a release": {debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}},
			Build{Version: "v1.2.3", Go: "go1.26.0"}},
		"go install of a commit": {
			debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.4-0.20260304050607-0123456789ab"}},
			Build{Version: "v1.2.4-0.20260304050607-0123456789ab", Commit: "0123456789ab", Date: "2026-03-04T05:06:07Z",
				Go: "go1.26.0"}},
	} {
		got := buildOf(&c.info)
		if got.Platform == "" {
			t.Errorf("%s: no platform", name)
		}
		got.Platform = ""
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	text := Build{Version: "v1.2.3", Commit: "0123", Date: "2026-03-04T05:06:07Z", Modified: true, Go: "go1.26.0",
		Platform: "linux/amd64"}.String()
	if want := "taproot v1.2.3 (commit 0123, with changes, 2026-03-04T05:06:07Z), go1.26.0 linux/amd64"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}
