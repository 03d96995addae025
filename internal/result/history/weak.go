package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// WriteWeak writes weak.json.
func WriteWeak(dir string, w finding.Weakness) error {
	w.Format = format.Weak
	data, err := pack.MarshalIndent(w)
	if err != nil {
		return err
	}
	return filetree.WriteFile(dir, finding.WeakFile, data)
}

// readWeak reads weak.json; nil: there is none.
func readWeak(root *os.Root) (*finding.Weakness, error) {
	data, err := root.ReadFile(finding.WeakFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var w finding.Weakness
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err == nil {
		err = format.Check(finding.WeakFile, w.Format, format.Weak)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", finding.WeakFile, err)
	}
	return &w, nil
}

// WeakOf returns the findings about a test.
func (r *Run) WeakOf(test string) []finding.Weak {
	if r == nil || r.Weak == nil {
		return nil
	}
	var list []finding.Weak
	for _, f := range r.Weak.Findings {
		if f.Test == test {
			list = append(list, f)
		}
	}
	return list
}
