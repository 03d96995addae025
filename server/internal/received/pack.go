package received

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

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
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

// checker finds the pack among the files of an archive, and checks it.
type checker struct {
	files *upload.Staging
	sums  map[string]string // of the files, by name
}

// pack returns the pack among the files, after checking it. It may be in the folder of its name, in nested folders, or
// in none.
func (c *checker) pack() (found, error) {
	var at string
	for name := range c.sums {
		if path.Base(name) == summaryFile && (at == "" || strings.Count(name, "/") < strings.Count(at, "/")) {
			at = name
		}
	}
	if at == "" {
		return found{}, &upload.Refused{Why: "the archive contains no summary.json: it is not a complete report pack"}
	}
	base := path.Dir(at)
	for name := range c.sums {
		if base != "." && !strings.HasPrefix(name, base+"/") {
			return found{}, &upload.Refused{Why: fmt.Sprintf("%q is outside of the pack %q: send one pack at a time",
				name, base)}
		}
	}
	sum, err := c.summary(at)
	if err != nil {
		return found{}, err
	}
	p := found{dir: filepath.Join(c.files.Path, filepath.FromSlash(base)), name: path.Base(base)}
	if base == "." {
		p.name = sum.ID
	}
	if !pack.IsPackName(p.name) {
		return found{}, &upload.Refused{Why: fmt.Sprintf("%.200q cannot be the name of a pack", p.name)}
	}
	p.digest = c.digest(base, p.name)
	return p, c.whole(p, base)
}

// summary reads summary.json.
func (c *checker) summary(name string) (sum pack.Summary, err error) {
	f, err := c.files.Root.Open(name)
	if err != nil {
		return sum, fmt.Errorf("read an upload: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSummary+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return sum, fmt.Errorf("read an upload: %w", err)
	}
	switch err := json.Unmarshal(data, &sum); {
	case len(data) > maxSummary:
		return sum, &upload.TooLarge{Why: fmt.Sprintf("%s has more than %d bytes", summaryFile, maxSummary)}
	case err != nil:
		return sum, &upload.Refused{Why: "summary.json is not valid: " + err.Error()}
	case format.Check(summaryFile, sum.Format, format.Summary) != nil:
		return sum, &upload.Refused{Why: format.Check(summaryFile, sum.Format, format.Summary).Error()}
	case !pack.IsPackName(sum.ID):
		return sum, &upload.Refused{Why: fmt.Sprintf("summary.json: %.200q is not the id of a test", sum.ID)}
	case !slices.Contains([]event.Result{event.Pass, event.Fail, event.Error, event.Skipped, event.Expected,
		event.Interrupted},
		sum.Result):
		return sum, &upload.Refused{Why: fmt.Sprintf("summary.json: %.200q is not a result", sum.Result)}
	}
	return sum, nil
}

// whole checks a pack as a reader of it would. Packs of other programs have no events and no manifest.
func (c *checker) whole(p found, base string) error {
	if _, err := os.Lstat(filepath.Join(p.dir, workDir)); err == nil {
		return &upload.Refused{Why: "the pack is not complete: its run had not ended"}
	}
	_, events := c.sums[path.Join(base, eventsFile)]
	_, listed := c.sums[path.Join(base, manifest)]
	if !events && !listed {
		return nil
	}
	for _, d := range pack.VerifyFiles(p.dir) {
		if d.File == manifest && !listed {
			continue // made before there were manifests
		}
		return &upload.Refused{Why: "the pack is not complete: " + markdown.Visible(d.String(), 300)}
	}
	return nil
}

// digest returns a hash of the pack that does not depend on how it was archived.
func (c *checker) digest(base, name string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", name)
	for _, file := range slices.Sorted(maps.Keys(c.sums)) {
		rel := file
		if base != "." {
			rel = strings.TrimPrefix(file, base+"/")
		}
		fmt.Fprintf(h, "%q %s\n", rel, c.sums[file])
	}
	return hex.EncodeToString(h.Sum(nil))
}
