package decide

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// Format is the format of a file of recorded searches.
const Format = "taproot.frames/1"

// Recording is one search of a step: what was wanted, the frames that were seen, and what was decided at the end.
type Recording struct {
	Want   Want
	Frames []Frame
	Result Result
	Page   *PageLook // a question to a browser, which has no frames; nil: it is a search
	// Lacks says why the frames do not lead to the result again, "" when they do: a secret was masked in them.
	Lacks string
}

// Result is a decision in values that can be compared and written.
type Result struct {
	Kind    Kind     `json:"kind"`
	Matches []string `json:"matches,omitempty"` // what was picked, where, and where it would be touched
	Problem string   `json:"problem,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// ResultOf returns the result that a decision is.
func ResultOf(d Decision) Result {
	r := Result{Kind: d.Kind}
	for _, m := range d.Matches {
		r.Matches = append(r.Matches, fmt.Sprintf("%s at %v", m.Node, m.Point))
	}
	if d.Problem != nil {
		r.Problem = d.Problem.Message
	}
	if d.Err != nil {
		r.Error = d.Err.Error()
	}
	return r
}

// Equal reports whether two results are the same.
func (r Result) Equal(o Result) bool {
	return r.Kind == o.Kind && r.Problem == o.Problem && r.Error == o.Error && slices.Equal(r.Matches, o.Matches)
}

// Again decides on the frames again.
func (r Recording) Again() Result {
	if r.Page != nil {
		return r.Page.Result()
	}
	return ResultOf(Next(r.Want, r.Frames))
}

// Rested returns the recording with the last frames alone that lead to the same result: those that the decision rested
// on.
func (r Recording) Rested() Recording {
	for n := 1; n < len(r.Frames); n *= 2 {
		less := r
		less.Frames = r.Frames[len(r.Frames)-n:]
		if less.Again().Equal(r.Result) {
			return less
		}
	}
	return r
}

// line is one line of a file: its format, a tree, a search, or what is not kept.
type line struct {
	Format string          `json:"format,omitempty"`
	Tree   string          `json:"tree,omitempty"` // the id, of Data
	Data   json.RawMessage `json:"data,omitempty"`
	Step   int             `json:"step,omitempty"`
	Search *recorded       `json:"search,omitempty"`
	Page   *PageLook       `json:"page,omitempty"`
	Result *Result         `json:"result,omitempty"` // of Page
	Lacks  string          `json:"lacks,omitempty"`  // why Search or Page do not lead to their result again
	Gone   int             `json:"gone,omitempty"`   // bytes of a search that is beyond the limit
}

// bytes is the line in JSON. That of a tree is JSON already, and large.
func (l line) bytes() ([]byte, error) {
	if l.Tree == "" {
		return json.Marshal(l)
	}
	return fmt.Appendf(nil, `{"tree":%q,"data":%s}`, l.Tree, l.Data), nil
}

// recorded is a Recording with the ids of its trees.
type recorded struct {
	Want    recordedWant `json:"want"`
	Frames  []recFrame   `json:"frames"`
	Result  Result       `json:"result"`
	Earlier string       `json:"earlier,omitempty"`
	Touched string       `json:"touched,omitempty"`
	Shot    *Shot        `json:"touchedShot,omitempty"`
}

type recFrame struct {
	Frame
	Tree string `json:"tree,omitempty"`
}

type recordedWant struct {
	Policy      Policy        `json:"policy,omitempty"`
	Purpose     Purpose       `json:"purpose"`
	Digest      string        `json:"digest,omitempty"`
	Endless     bool          `json:"endless,omitempty"`
	Selector    dsl.Selector  `json:"selector"`
	Check       Check         `json:"check"`
	Timeout     time.Duration `json:"timeout"`
	StepTimeout time.Duration `json:"stepTimeout"`
	Began       time.Time     `json:"began"`
	Deadline    time.Time     `json:"deadline"`
	Typing      bool          `json:"typing,omitempty"`
	Drop        bool          `json:"drop,omitempty"`
	Anywhere    bool          `json:"anywhere,omitempty"`
	UnseenToo   bool          `json:"unseenToo,omitempty"`
	Device      Facts         `json:"device"`
	Acted       time.Time     `json:"acted"`
}

// Writer writes recorded searches. It is used by one goroutine.
type Writer struct {
	// Mask takes secrets out of a line; nil: nothing is secret.
	Mask func(string) string
	// Limit is how many bytes are written at most; 0: no limit. A search beyond it is recorded as gone.
	Limit int

	to    io.Writer
	size  int
	masks bool                    // something was masked so far
	trees map[string][]byte       // that were written, as they are in the file
	last  map[*screen.Tree]string // the ids of those of the search before: it is often the same tree
}

// NewWriter writes the format's line.
func NewWriter(to io.Writer) (*Writer, error) {
	w := &Writer{to: to, trees: map[string][]byte{}}
	return w, w.write([]line{{Format: Format}}, false)
}

// Add writes the frames that a search of a step rested on.
func (w *Writer) Add(step int, r Recording) error {
	if r.Page != nil {
		return w.write([]line{{Step: step, Page: r.Page, Result: &r.Result, Lacks: r.Lacks}}, true)
	}
	r = r.Rested()
	var lines []line
	added, ids := map[string]bool{}, map[*screen.Tree]string{}
	defer func() { w.last = ids }()
	idOf := func(t *screen.Tree) (string, error) {
		if t == nil {
			return "", nil
		}
		for _, known := range []map[*screen.Tree]string{ids, w.last} {
			if id := known[t]; added[id] || w.trees[id] != nil {
				ids[t] = id
				return id, nil
			}
		}
		data, err := t.At(time.Time{}).Record() // equal trees have one id, whenever they were read
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		id := hex.EncodeToString(sum[:8])
		ids[t] = id
		if w.trees[id] == nil && !added[id] {
			added[id] = true
			lines = append(lines, line{Tree: id, Data: data})
		}
		return id, nil
	}
	rec := recorded{Want: recordedWant{Policy: r.Want.Policy, Digest: r.Want.Digest, Endless: r.Want.Endless,
		Purpose: r.Want.Purpose, Selector: r.Want.Selector, Check: r.Want.Check,
		Timeout: r.Want.Timeout, StepTimeout: r.Want.StepTimeout, Began: r.Want.Began, Deadline: r.Want.Deadline,
		Typing: r.Want.Typing, Drop: r.Want.Drop, Anywhere: r.Want.Anywhere, UnseenToo: r.Want.UnseenToo,
		Device: r.Want.Device,
		Acted:  r.Want.Earlier.Acted},
		Result: r.Result}
	var err error
	if rec.Earlier, err = idOf(r.Want.Earlier.Tree); err != nil {
		return err
	}
	if t := r.Want.Earlier.Touched; t != nil {
		if rec.Touched, err = idOf(t.Tree); err != nil {
			return err
		}
		rec.Shot = &t.Shot
	}
	for _, f := range r.Frames {
		id, err := idOf(f.Tree)
		if err != nil {
			return err
		}
		if f.Tree != nil {
			f.Taken = f.Tree.Taken
		}
		rec.Frames = append(rec.Frames, recFrame{Frame: f, Tree: id})
	}
	return w.write(append(lines, line{Step: step, Search: &rec, Lacks: r.Lacks}), true)
}

// write writes lines, all or, beyond the limit, what is gone.
func (w *Writer) write(lines []line, limited bool) error {
	var out bytes.Buffer
	step, trees := 0, map[string][]byte{}
	for i, l := range lines {
		data, masked, err := w.masked(l)
		if err != nil {
			return fmt.Errorf("record a search: %w", err)
		}
		if l.Tree != "" {
			trees[l.Tree] = data
		}
		if l.Lacks == "" && i == len(lines)-1 && (masked || w.hidden(l, trees)) && !w.again(data, trees) {
			l.Lacks = LacksMasked
			if data, _, err = w.masked(l); err != nil {
				return fmt.Errorf("record a search: %w", err)
			}
		}
		out.Write(append(data, '\n'))
		step = max(step, l.Step)
	}
	if limited && w.Limit > 0 && w.size+out.Len() > w.Limit {
		gone, err := json.Marshal(line{Step: step, Gone: out.Len()})
		if err != nil {
			return err
		}
		out.Reset()
		out.Write(append(gone, '\n'))
	} else {
		maps.Copy(w.trees, trees)
	}
	n, err := w.to.Write(out.Bytes())
	w.size += n
	return err
}

// Recorded is a search as it was read from a file.
type Recorded struct {
	Recording
	Step int
	Gone int // bytes of a search that was not kept; then there is no Recording
}

// maxLine is the longest line of a file of recorded searches, in bytes.
const maxLine = 64 << 20

// Read reads recorded searches. The timing is that of this version. Another format, a damaged line and a missing tree
// are errors that name the line.
func Read(from io.Reader) ([]Recorded, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	trees := map[string]*screen.Tree{}
	var list []Recorded
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return list, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case n == 1:
			if l.Format != Format {
				return nil, fmt.Errorf("the format is %q, and this version reads %q", l.Format, Format)
			}
		case l.Tree != "":
			t, err := screen.ReadRecorded(l.Data)
			if err != nil {
				return list, fmt.Errorf("line %d: %w", n, err)
			}
			trees[l.Tree] = t
		case l.Search != nil:
			r, err := l.Search.recording(trees)
			if err != nil {
				return list, fmt.Errorf("line %d: %w", n, err)
			}
			r.Lacks = l.Lacks
			list = append(list, Recorded{Recording: r, Step: l.Step})
		case l.Page != nil && l.Result != nil:
			list = append(list, Recorded{Recording: Recording{Page: l.Page, Result: *l.Result, Lacks: l.Lacks}, Step: l.Step})
		case l.Gone > 0:
			list = append(list, Recorded{Step: l.Step, Gone: l.Gone})
		}
	}
	if err := lines.Err(); err != nil {
		return list, err
	}
	return list, nil
}

// errNoTree says that a search names a tree that its file lacks.
var errNoTree = errors.New("a tree is missing")

func (r *recorded) recording(trees map[string]*screen.Tree) (Recording, error) {
	w := r.Want
	rec := Recording{Result: r.Result, Want: Want{Policy: w.Policy, Digest: w.Digest,
		Endless: w.Endless, Purpose: w.Purpose, Selector: w.Selector, Check: w.Check,
		Timeout: w.Timeout, StepTimeout: w.StepTimeout, Began: w.Began, Deadline: w.Deadline, Timing: Native(),
		Typing: w.Typing, Drop: w.Drop, Anywhere: w.Anywhere, UnseenToo: w.UnseenToo, Device: w.Device,
		Earlier: History{Acted: w.Acted}}}
	find := func(id string) (*screen.Tree, error) {
		if id == "" {
			return nil, nil
		}
		t := trees[id]
		if t == nil {
			return nil, fmt.Errorf("%w: %q", errNoTree, id)
		}
		return t, nil
	}
	var err error
	if rec.Want.Earlier.Tree, err = find(r.Earlier); err != nil {
		return rec, err
	}
	if r.Touched != "" && r.Shot != nil {
		t, err := find(r.Touched)
		if err != nil {
			return rec, err
		}
		rec.Want.Earlier.Touched = &Touched{Tree: t, Shot: *r.Shot}
	}
	for _, f := range r.Frames {
		t, err := find(f.Tree)
		if err != nil {
			return rec, err
		}
		if t != nil {
			same := t.At(f.Taken)
			f.Frame.Tree = same
		}
		rec.Frames = append(rec.Frames, f.Frame)
	}
	return rec, nil
}
