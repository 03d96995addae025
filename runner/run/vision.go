package run

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/runner/engine"
)

// Vision makes what reads pictures and asks models for tests, and for whoever else keeps sessions. Answers that packs
// of the reports folder hold are not asked for again.
func (c Config) Vision() drivers.Vision {
	return vision.New(vision.Options{Getenv: c.getenv(), Mode: c.AI, Recall: recall(c.Reports)})
}

// vision are one pair for all cases of a run, so that the same question is asked once.
func (r *Runner) vision() drivers.Vision {
	r.seeing.Do(func() { r.sees = r.Config.Vision() })
	return r.sees
}

// uploadNote is what the server leaves in the run directory of a pack that was uploaded.
const uploadNote = "upload.json"

// maxAsked bounds the file of one question, in bytes.
const maxAsked = 1 << 20

// recall gives a function that looks answers up in the packs below a folder. The packs are listed at the first
// question; what this process asks itself is remembered by vision.
func recall(reports string) func(key string) []drivers.Reply {
	files := sync.OnceValue(func() []string {
		found, err := fs.Glob(os.DirFS(reports), "*/*/artifacts/visual-*.json")
		if err != nil {
			return nil // the pattern is good
		}
		slices.Sort(found) // runs are named after their time
		slices.Reverse(found)
		return found
	})
	return func(key string) []drivers.Reply {
		end := strings.TrimPrefix(engine.VisualName(0, key), engine.VisualName(0, "")) + ".json"
		var answers []drivers.Reply // the newest first: a run with one vote does not hide an older one with three
		for _, name := range files() {
			if !strings.HasSuffix(name, "-"+end) {
				continue
			}
			if asked := readAsked(reports, name); asked != nil && asked.Key == key {
				answers = append(answers, asked.Answers...)
			}
		}
		return answers
	}
}

// readAsked reads a question that was answered; nil when it was not, or when the pack came from elsewhere.
func readAsked(reports, name string) *drivers.ModelCall {
	root, err := os.OpenRoot(reports)
	if err != nil {
		return nil
	}
	defer root.Close() // nothing was written
	run, _, _ := strings.Cut(name, "/")
	if _, err := root.Stat(path.Join(run, uploadNote)); err == nil {
		return nil // somebody else's word is no proof
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxAsked {
		return nil
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil
	}
	var asked drivers.ModelCall
	if json.Unmarshal(data, &asked) != nil || asked.Problem != "" {
		return nil
	}
	return &asked
}
