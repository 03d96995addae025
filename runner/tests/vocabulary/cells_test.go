package vocabulary

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// cell is one small test of one action on one platform.
type cell struct {
	action   string
	platform dsl.Platform
	name     string // as in the file: "android pass", "web fail: hidden"
	steps    string
	passes   bool
	header   []string           // further lines of the test's header
	effects  []string           // expressions that hold afterwards
	faults   []androidsim.Fault // of the phone
	result   event.Result       // of a cell that does not pass
	says     []string           // its problem says these
	options  map[string]string  // of the run: allow-shell
	files    map[string][]byte  // next to the test
	sees     []drivers.TextLine // what OCR reads in every screenshot
	source   string
}

// readCells reads testdata/ACTION.txtar and testdata/ACTION.PLATFORM.txtar. Its parts "PLATFORM pass" and "PLATFORM
// fail", with a remark behind a colon, are lists of steps that start with comments:
//
//	# effect: EXPRESSION      it holds when the steps are done; see the platform's bench for what it can ask
//	# fails: "words" "words"  the result is fail, and the problem says so
//	# errors: "words"         the result is error: the device is to blame
//	# fault: MATCH | OUTPUT   the phone's commands that match print the output and end with exit code 1
//	# header: secrets: [X]    a line of the test's header
//	# sees: "Pay" 20,60,120,30  what OCR reads in every screenshot, and where
//	# option: allow-shell     of the run, as allow-exec; film: it is recorded; no-vision: it has no OCR and no model;
//	                          baselines-first: it is the second one, after one with --update-baselines,
//	                          and RUN distinguishes first from second
//
// Parts with other names are files next to the test.
func readCells(t *testing.T) []cell {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	var cells []cell
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		action, _, _ := strings.Cut(filepath.Base(path), ".")
		files := map[string][]byte{}
		var own []cell
		for _, part := range archive.Files {
			platform, kind, _ := strings.Cut(part.Name, " ")
			kind, _, _ = strings.Cut(kind, ":")
			if kind != "pass" && kind != "fail" {
				files[part.Name] = part.Data
				continue
			}
			c := cell{action: action, platform: dsl.Platform(platform), name: part.Name, passes: kind == "pass",
				options: map[string]string{},
				steps:   string(part.Data), source: path}
			if err := c.comments(); err != nil {
				t.Fatalf("%s: %s: %v", path, part.Name, err)
			}
			own = append(own, c)
		}
		for i := range own {
			own[i].files = files
		}
		cells = append(cells, own...)
	}
	return cells
}

func (c *cell) comments() error {
	for line := range strings.Lines(c.steps) {
		text, comment := strings.CutPrefix(line, "# ")
		if !comment {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSpace(text), ": ")
		switch key {
		case "effect":
			c.effects = append(c.effects, value)
		case "fails", "errors":
			c.result = event.Fail
			if key == "errors" {
				c.result = event.Error
			}
			for value != "" {
				var word string
				if _, err := fmt.Sscanf(value, "%q", &word); err != nil {
					return fmt.Errorf("%s: %w", value, err)
				}
				c.says = append(c.says, word)
				value = strings.TrimSpace(strings.TrimPrefix(value, fmt.Sprintf("%q", word)))
			}
		case "fault":
			match, output, _ := strings.Cut(value, " | ")
			c.faults = append(c.faults, androidsim.Fault{Match: match, Kind: androidsim.Error, Output: output, Code: 1})
		case "sees":
			var line drivers.TextLine
			var x, y, w, h int
			if _, err := fmt.Sscanf(value, "%q %d,%d,%d,%d", &line.Text, &x, &y, &w, &h); err != nil {
				return fmt.Errorf("%s: %w", value, err)
			}
			line.Bounds, line.Confidence = image.Rect(x, y, x+w, y+h), 0.9
			words := strings.Fields(line.Text)
			for i, word := range words {
				at := image.Rect(x+i*w/len(words), y, x+(i+1)*w/len(words), y+h)
				line.Words = append(line.Words, drivers.TextLine{Text: word, Bounds: at, Confidence: 0.9})
			}
			c.sees = append(c.sees, line)
		case "header":
			if text, err := strconv.Unquote(value); err == nil {
				value = text
			}
			c.header = append(c.header, value)
		case "option":
			c.options[value] = "true"
		default:
			return fmt.Errorf("a comment that means nothing: %s", line)
		}
	}
	switch {
	case c.passes == (c.result != ""):
		return fmt.Errorf("a cell that fails says how, and one that passes does not")
	case !c.passes && len(c.says) == 0:
		return fmt.Errorf("it does not tell what the problem says")
	}
	return nil
}

// fixedFiles are next to every test that names them.
var fixedFiles = sync.OnceValues(func() (map[string][]byte, error) {
	files := map[string][]byte{}
	paths, err := filepath.Glob("testdata/files/*")
	for _, path := range paths {
		var data []byte
		if data, err = os.ReadFile(path); err != nil {
			break
		}
		files[filepath.Base(path)] = data
	}
	return files, err
})

// write puts the test and its files into a folder and returns the test's path.
func (c *cell) write(t *testing.T, site string) string {
	t.Helper()
	dir := t.TempDir()
	header := "id: cell\nplatform: " + string(c.platform)
	if c.action == "on" { // its devices have the platform
		header = "id: cell"
	}
	header += "\nvars:\n  SITE: " + site + "\n  RUN: once\n"
	for _, line := range c.header {
		header += line + "\n"
	}
	files := map[string][]byte{"cell.yaml": []byte(header + "steps:\n" + c.steps)}
	for name, data := range c.files {
		files[name] = data
	}
	fixed, err := fixedFiles()
	if err != nil {
		t.Fatal(err)
	}
	text := header + c.steps
	for _, data := range c.files {
		text += string(data)
	}
	for name, data := range fixed {
		if strings.Contains(text, name) {
			files[name] = data
		}
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cell.yaml")
}
