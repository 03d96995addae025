package upload

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/markdown"
	"github.com/taproot-dev/taproot/reporters/pack"
)

const (
	summaryFile = "summary.json"
	eventsFile  = "events.ndjson"
	manifest    = "manifest.json"
	workDir     = ".work"
	maxSummary  = 4 << 20
)

// found is the pack in an archive.
type found struct {
	dir    string // absolute
	name   string
	digest string
}

// pack finds the pack among the files that were unpacked into dir, and checks it. It may be in the folder of its name,
// in nested folders, or in none.
func (x *extractor) pack(dir string) (found, error) {
	var at string
	for name := range x.sums {
		if path.Base(name) == summaryFile && (at == "" || strings.Count(name, "/") < strings.Count(at, "/")) {
			at = name
		}
	}
	if at == "" {
		return found{}, &Refused{"the archive contains no summary.json: it is not a complete report pack"}
	}
	base := path.Dir(at)
	for name := range x.sums {
		if base != "." && !strings.HasPrefix(name, base+"/") {
			return found{}, &Refused{fmt.Sprintf("%q is outside of the pack %q: send one pack at a time", name, base)}
		}
	}
	sum, err := x.summary(at)
	if err != nil {
		return found{}, err
	}
	p := found{dir: filepath.Join(dir, filepath.FromSlash(base)), name: path.Base(base)}
	if base == "." {
		p.name = sum.ID
	}
	if !pack.IsPackName(p.name) {
		return found{}, &Refused{fmt.Sprintf("%.200q cannot be the name of a pack", p.name)}
	}
	p.digest = x.digest(base, p.name)
	return p, x.whole(p, base)
}

// summary reads summary.json.
func (x *extractor) summary(name string) (sum pack.Summary, err error) {
	f, err := x.root.Open(name)
	if err != nil {
		return sum, fmt.Errorf("read an upload: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSummary+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return sum, fmt.Errorf("read an upload: %w", err)
	}
	switch err := json.Unmarshal(data, &sum); {
	case len(data) > maxSummary:
		return sum, &TooLarge{fmt.Sprintf("%s has more than %d bytes", summaryFile, maxSummary)}
	case err != nil:
		return sum, &Refused{"summary.json is not valid: " + err.Error()}
	case !pack.IsPackName(sum.ID):
		return sum, &Refused{fmt.Sprintf("summary.json: %.200q is not the id of a test", sum.ID)}
	case !slices.Contains([]event.Result{event.Pass, event.Fail, event.Error, event.Skipped, event.Interrupted},
		sum.Result):
		return sum, &Refused{fmt.Sprintf("summary.json: %.200q is not a result", sum.Result)}
	}
	return sum, nil
}

// whole checks a pack as a reader of it would. Packs of other programs have no events and no manifest.
func (x *extractor) whole(p found, base string) error {
	if _, err := os.Lstat(filepath.Join(p.dir, workDir)); err == nil {
		return &Refused{"the pack is not complete: its run had not ended"}
	}
	_, events := x.sums[path.Join(base, eventsFile)]
	_, listed := x.sums[path.Join(base, manifest)]
	if !events && !listed {
		return nil
	}
	for _, d := range pack.VerifyFiles(p.dir) {
		if d.File == manifest && !listed {
			continue // made before there were manifests
		}
		return &Refused{"the pack is not complete: " + markdown.Visible(d.String(), 300)}
	}
	return nil
}

// digest returns a hash of the pack that does not depend on how it was archived.
func (x *extractor) digest(base, name string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", name)
	for _, file := range slices.Sorted(maps.Keys(x.sums)) {
		rel := file
		if base != "." {
			rel = strings.TrimPrefix(file, base+"/")
		}
		fmt.Fprintf(h, "%q %s\n", rel, x.sums[file])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR)
}
