package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// maxFindings is how many bytes of weak.json and of repairs.json are read.
const maxFindings = 16 << 20

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
	var w finding.Weakness
	if there, err := readJSON(root, finding.WeakFile, maxFindings, &w); !there || err != nil {
		return nil, err
	}
	if err := format.Check(finding.WeakFile, w.Format, format.Weak); err != nil {
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

// weakAssertions is how many assertions of a test are weak; what is found about the test as a whole does not count.
func (r *Run) weakAssertions(test string) (n int) {
	for _, f := range r.WeakOf(test) {
		if f.Kind != finding.NoAssertion && f.Kind != finding.ActionNotShown {
			n++
		}
	}
	return n
}

// WriteRepairs writes repairs.json.
func WriteRepairs(dir string, r finding.Repairs) error {
	r.Format = format.Repairs
	data, err := pack.MarshalIndent(r)
	if err != nil {
		return err
	}
	return filetree.WriteFile(dir, finding.RepairFile, data)
}

// readRepairs reads repairs.json; none: there is no such file.
func readRepairs(root *os.Root) ([]finding.Repair, error) {
	var r finding.Repairs
	if there, err := readJSON(root, finding.RepairFile, maxFindings, &r); !there || err != nil {
		return nil, err
	}
	if err := format.Check(finding.RepairFile, r.Format, format.Repairs); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", finding.RepairFile, err)
	}
	return r.Repairs, nil
}

// RepairOf returns the repair of a step of a report pack, nil where none is offered.
func (r *Run) RepairOf(folder string, step int) *finding.Repair {
	if r == nil {
		return nil
	}
	for i := range r.Repairs {
		if e := r.Repairs[i].Evidence; e.Pack == folder && e.Step == step {
			return &r.Repairs[i]
		}
	}
	return nil
}

// States of a repair, in history.jsonl.
const (
	Offered = "offered"
	Applied = "applied"
)

// repairState says whether a repair was offered for an attempt of a case, or applied; empty: none was.
func (r *Run) repairState(c *RunCase) string {
	state := ""
	for _, one := range r.Repairs {
		switch {
		case CaseKey(one.Evidence.Pack) != c.Key:
		case one.Applied != "":
			return Applied
		default:
			state = Offered
		}
	}
	return state
}

// RecordApplied records in repairs.json of a run, and in history.jsonl next to it, that repairs were applied. Those
// that the run did not offer are added.
func RecordApplied(dir string, applied []finding.Repair) (err error) {
	lock := flock.New(filepath.Join(filepath.Dir(dir), historyLock))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", finding.RepairFile, err)
	}
	known, err := repairsIn(dir)
	if err == nil {
		for _, one := range applied {
			i := slices.IndexFunc(known, func(o finding.Repair) bool {
				return o.File == one.File && o.Line == one.Line && o.Evidence.Pack == one.Evidence.Pack
			})
			if i < 0 {
				known = append(known, one)
			} else {
				known[i] = one
			}
		}
		err = WriteRepairs(dir, finding.Repairs{Repairs: known})
	}
	if err = errors.Join(err, lock.Close()); err != nil || !pack.IsRunName(filepath.Base(dir)) {
		return err
	}
	run, err := LoadRun(dir)
	if err != nil {
		return err
	}
	return AppendHistory(run)
}

func repairsIn(dir string) ([]finding.Repair, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	list, err := readRepairs(root)
	return list, errors.Join(err, root.Close())
}

// Findings returns the weak assertions of a run, nil where they are not known, and its repairs.
func Findings(dir string) (*finding.Weakness, []finding.Repair) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil
	}
	defer root.Close() // nothing was written
	weak, err := readWeak(root)
	if err != nil {
		weak = nil
	}
	repairs, err := readRepairs(root)
	if err != nil {
		repairs = nil
	}
	return weak, repairs
}
