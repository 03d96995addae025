package truth_test

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// TestSavedTrees holds what selectors pick in trees as phones give them against testdata/trees/checks.txt, which people
// wrote.
func TestSavedTrees(t *testing.T) {
	text, err := os.ReadFile("testdata/trees/checks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	checks, wrong := 0, 0
	for n, line := range strings.Split(string(text), "\n") {
		switch pattern, isHead := strings.CutPrefix(line, "== "); {
		case line == "" || strings.HasPrefix(line, "#"):
		case isHead:
			if files, err = filepath.Glob("testdata/trees/" + pattern); err != nil || len(files) == 0 {
				t.Fatalf("%s: no files, %v", pattern, err)
			}
		default:
			for _, file := range files {
				checks++
				if problem := checkTree(t, file, line); problem != "" {
					wrong++
					t.Errorf("checks.txt:%d: %s: %s\n    %s", n+1, filepath.Base(file), line, problem)
				}
			}
		}
	}
	t.Logf("%d checks of saved trees, %d wrong", checks, wrong)
}

func readTree(file string) (*screen.Tree, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(filepath.Base(file), "ios-") {
		return ios.ReadSource(data, image.Point{}, time.Now())
	}
	return android.ParseTree(data, image.Point{})
}

// checkTree returns what is wrong with what the selector of the line picks, "" when it is right.
func checkTree(t *testing.T, file, line string) string {
	t.Helper()
	question, want, _ := strings.Cut(line, " => ")
	mode, _, _ := strings.Cut(question, ":")
	selector, err := selectorOf(mode, question)
	if err != nil {
		return err.Error()
	}
	tree, err := readTree(file)
	if err != nil {
		return err.Error()
	}
	q := screen.Query{Selector: selector, Action: mode == "tap"}
	if selector.XPath != "" || selector.CSS != "" {
		t.Fatalf("%s: only the tree is asked here", line)
	}
	matches, err := tree.Find(q)
	have := outcomeWord(matches, err, mode == "tap")
	if r, without, ok := places(want); ok {
		if have == "one" && matches[0].Point.In(r) && !matches[0].Point.In(without) {
			return ""
		}
	} else if have == want || want == "blocked" && have == "none" || mode == "see" && want == "none" &&
		strings.HasPrefix(have, "error") {
		return ""
	}
	for _, m := range matches {
		have += fmt.Sprintf("; %s at %v %s", m.Node, m.Point, m.Obstacle())
	}
	return have
}

// outcomeWord is the result of a query in a word.
func outcomeWord(matches []screen.Match, err error, tap bool) string {
	switch {
	case errors.Is(err, screen.ErrAmbiguous):
		return "several"
	case err != nil:
		return "error: " + err.Error()
	case len(matches) == 0:
		return "none"
	case !tap:
		return "yes"
	case matches[0].Obstacle() != "":
		return "blocked"
	}
	return "one"
}

// places reads "1,2,3,4 not 5,6,7,8".
func places(text string) (in, without image.Rectangle, ok bool) {
	a, b, both := strings.Cut(text, " not ")
	in, ok = place(a)
	if both && ok {
		without, ok = place(b)
	}
	return in, without, ok
}

func place(text string) (r image.Rectangle, ok bool) {
	n, err := fmt.Sscanf(text, "%d,%d,%d,%d", &r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y)
	return r, n == 4 && err == nil
}

// selectorOf reads the selector of a step as a test would have it.
func selectorOf(mode, step string) (dsl.Selector, error) {
	word := map[string]string{"tap": "tap", "see": "assert"}[mode]
	_, rest, _ := strings.Cut(step, ":")
	tests, err := dsl.Parse("check.yaml", []byte("id: x\nplatform: both\nsteps:\n  - "+word+":"+rest+"\n"))
	if err != nil {
		return dsl.Selector{}, err
	}
	args, _, err := dsl.DecodeStep(tests[0].Steps[0].Def, tests[0].Steps[0].Args)
	if err != nil {
		return dsl.Selector{}, err
	}
	if tap, ok := args.(dsl.Tap); ok {
		return tap.Selector, nil
	}
	return args.(dsl.Assert).Selector, nil
}
