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
	"github.com/taproot-dev/taproot/runner/internal/engine"
)

// Vision makes the readers of images and clients of AI models, for tests and for other sessions. Responses in packs of
// the reports folder are reused.
func (c Config) Vision() drivers.Vision {
	return vision.New(vision.Options{Getenv: c.getenv(), Mode: c.AI, Recall: recall(c.Reports)})
}

// vision is one pair for all cases of a run, so that the same question is sent once.
func (r *Runner) vision() drivers.Vision {
	r.seeing.Do(func() { r.sees = r.Config.Vision() })
	return r.sees
}

// uploadNote is the file that the server writes to the run directory of an uploaded pack.
const uploadNote = "upload.json"

// maxQuestion limits the file of one question, in bytes.
const maxQuestion = 1 << 20

// recall returns a function that finds responses in the packs below a folder. The packs are listed at the first
// question; the questions of this process are cached by vision.
func recall(reports string) func(key string) []drivers.Reply {
	files := sync.OnceValue(func() []string {
		found, err := fs.Glob(os.DirFS(reports), "*/*/artifacts/visual-*.json")
		if err != nil {
			return nil // the pattern is valid
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
			if asked := readQuestion(reports, name); asked != nil && asked.Key == key {
				answers = append(answers, asked.Answers...)
			}
		}
		return answers
	}
}

// readQuestion reads a question with its response; nil when it has none, or when the pack was uploaded.
func readQuestion(reports, name string) *drivers.ModelCall {
	root, err := os.OpenRoot(reports)
	if err != nil {
		return nil
	}
	defer root.Close() // nothing was written
	run, _, _ := strings.Cut(name, "/")
	if _, err := root.Stat(path.Join(run, uploadNote)); err == nil {
		return nil // do not trust uploaded responses
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxQuestion {
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
