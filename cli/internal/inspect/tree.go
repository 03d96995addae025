package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/treexml"
	"github.com/taproot-dev/taproot/runner/plan"
)

const maxTreeFile = 128 << 20

// readTreeFile reads a saved tree of any known kind. An error in the files is wrong usage.
func readTreeFile(env *process.Env, file, screenshot string) (*screen.Tree, error) {
	var size image.Point
	if screenshot != "" {
		data, err := readInput(env, screenshot)
		if err == nil {
			size, err = pngSize(data)
		}
		if err != nil {
			return nil, &plan.Usage{Msg: fmt.Sprintf("--screenshot %s: %v", screenshot, err)}
		}
	}
	data, err := readInput(env, file)
	if err == nil {
		var t *screen.Tree
		if t, err = parseTree(data, size); err == nil {
			return t, nil
		}
	}
	return nil, &plan.Usage{Msg: fmt.Sprintf("--tree %s: %v", file, err)}
}

func readInput(env *process.Env, file string) ([]byte, error) {
	from := env.Stdin
	if file != "-" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(env.Dir, file)
		}
		f, err := os.Open(file)
		if err != nil {
			return nil, errors.Unwrap(err) // without the path, which the message already contains
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, maxTreeFile+1))
	if err == nil && len(data) > maxTreeFile {
		err = fmt.Errorf("it is larger than %d MiB", maxTreeFile>>20)
	}
	return data, err
}

// pngSize reads the size of a PNG, also after a warning that phones with several displays print before it.
func pngSize(data []byte) (image.Point, error) {
	at := bytes.Index(data, []byte("\x89PNG\r\n\x1a\n"))
	if at < 0 {
		return image.Point{}, errors.New("it is not a PNG")
	}
	config, err := png.DecodeConfig(bytes.NewReader(data[at:]))
	return image.Pt(config.Width, config.Height), err
}

// parseTree detects the kind of a tree by its content.
func parseTree(data []byte, size image.Point) (*screen.Tree, error) {
	data = bytes.TrimPrefix(treexml.UTF8(data), []byte("\ufeff"))
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		return nil, errors.New("it is empty")
	case trimmed[0] == '{':
		return parseTreeJSON(trimmed, size)
	case bytes.Contains(data, []byte("<XCUIElementType")):
		return ios.ReadSource(treexml.Clean(data), size, time.Time{})
	}
	t, err := android.ParseTree(data, size)
	if err != nil && !bytes.Contains(data, []byte("<")) {
		err = errors.New("it is neither a uiautomator dump, nor a WebDriverAgent source, nor a tree of a report")
	}
	return t, err
}

// parseTreeJSON reads a tree of a report, or the response of a server that contains one.
func parseTreeJSON(data []byte, size image.Point) (*screen.Tree, error) {
	var head struct {
		Windows []*screen.Node  `json:"windows"`
		Size    image.Point     `json:"size"`
		Tested  bool            `json:"hit_tested"`
		Value   json.RawMessage `json:"value"`
	}
	err := json.Unmarshal(data, &head)
	if text := ""; err == nil && len(head.Windows) == 0 && json.Unmarshal(head.Value, &text) == nil &&
		!strings.Contains(text, "<XCUIElementType") {
		return android.ParseTree([]byte(text), size)
	}
	if err != nil || len(head.Windows) == 0 {
		return ios.ReadSource(data, size, time.Time{})
	}
	for _, w := range head.Windows {
		if err := wholeNode(w); err != nil {
			return nil, err
		}
	}
	t := screen.NewTree(head.Windows, cmp.Or(size, head.Size), time.Time{})
	t.HitTested = head.Tested
	if t.Size == (image.Point{}) {
		return nil, errors.New(`it has no "size" of the screen: give the screenshot with --screenshot`)
	}
	return t, nil
}

// wholeNode rejects nulls in the JSON.
func wholeNode(n *screen.Node) error {
	if n == nil {
		return errors.New("one of its elements is null")
	}
	for _, c := range n.Children {
		if err := wholeNode(c); err != nil {
			return err
		}
	}
	return nil
}
