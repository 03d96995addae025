package process

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/mod/module"
)

// Build describes the build of this program; unknown values are empty.
type Build struct {
	Version  string `json:"version"`          // of the module; "(devel)" without one
	Commit   string `json:"commit,omitempty"` // complete, or the twelve digits in a module's version
	Date     string `json:"date,omitempty"`   // of the commit, RFC 3339, UTC
	Modified bool   `json:"modified"`         // the work tree had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"` // GOOS/GOARCH
}

// ThisBuild is cached, because Go reads the list of all modules.
var ThisBuild = sync.OnceValue(func() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
})

// buildOf reads what Go records in the program. A program from `go install …@version` contains no repository, but a
// version that was derived from a commit contains the commit.
func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: info.Main.Version, Go: info.GoVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	if b.Go == "" {
		b.Go = runtime.Version()
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if b.Commit != "" || !module.IsPseudoVersion(b.Version) {
		return b
	}
	if rev, err := module.PseudoVersionRev(b.Version); err == nil {
		b.Commit = rev
	}
	if at, err := module.PseudoVersionTime(b.Version); err == nil {
		b.Date = at.UTC().Format(time.RFC3339)
	}
	return b
}

// String returns one line for the user.
func (b Build) String() string {
	text := "taproot " + b.Version
	if b.Commit != "" {
		text += " (commit " + b.Commit
		if b.Modified {
			text += ", with changes"
		}
		if b.Date != "" {
			text += ", " + b.Date
		}
		text += ")"
	}
	return text + ", " + b.Go + " " + b.Platform
}
