package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// What needed tests have saved is in a folder that only the user can read, outside of the reports: one folder for each
// run, which its processes find by the run's own folder. It is removed with the end of the run.

// Kept is what a needed case leaves for those that need it.
type Kept struct {
	Result event.Result      `json:"result"`
	Why    string            `json:"why,omitempty"` // unless it passed
	Saved  map[string]any    `json:"saved,omitempty"`
	Hidden []string          `json:"hidden,omitempty"` // secret values
	States map[string][]byte `json:"states,omitempty"` // of browsers, by name
}

// oldNeeds is the age of folders that killed runs have left, from which on they are removed.
const oldNeeds = 24 * time.Hour

// needsDir is the folder for what the needed cases of the run save.
func (r *Runner) needsDir() string { return privateDir(r, "needs") }

// spools is the kind of private folders with the events for reporters.
const spools = "events"

// privateDir is a folder of the run for one kind of files.
func privateDir(r *Runner, kind string) string {
	sum := sha256.Sum256([]byte(r.Dir.Path()))
	return filepath.Join(pool.LeaseDir(r.Config.getenv()), kind, hex.EncodeToString(sum[:8]))
}

func (r *Runner) makeNeedsDir() (string, error) { return makePrivateDir(r, "needs") }

// makePrivateDir makes such a folder, and removes those of runs that were killed long ago.
func makePrivateDir(r *Runner, kind string) (string, error) {
	dir := privateDir(r, kind)
	if err := pool.PrepareLeaseDir(pool.LeaseDir(r.Config.getenv())); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > oldNeeds {
			_ = os.RemoveAll(filepath.Join(filepath.Dir(dir), e.Name()))
		}
	}
	return dir, err
}

// DropNeeds removes what the needed cases of the run have saved.
func (r *Runner) DropNeeds() error { return os.RemoveAll(r.needsDir()) }

// keptFile is the file of a case in a folder of needsDir.
func keptFile(dir, pack string) string { return filepath.Join(dir, pack+".json") }

// keep writes what a needed case leaves.
func (r *Runner) keep(pack string, o Outcome) error {
	dir, err := r.makeNeedsDir()
	if err != nil {
		return err
	}
	k := Kept{Result: o.Result(), Why: "it did not run"}
	if o.CaseResult != nil && o.CaseResult.Problem != nil {
		k.Why, _, _ = strings.Cut(o.CaseResult.Problem.Message, "\n")
	}
	if o.values != nil {
		k.Saved, k.Hidden = o.values.Saved, o.values.Hidden
	}
	return k.write(dir, pack)
}

// keptIn reads what a needed case has left; ok is false before its end.
func keptIn(dir, pack string) (k Kept, ok bool, err error) {
	data, err := os.ReadFile(keptFile(dir, pack))
	if errors.Is(err, fs.ErrNotExist) {
		return k, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	return k, err == nil, err
}

// numeral is the key of a number that JSON cannot hold as it is written, such as 01.
const numeral = "\x00numeral"

// MarshalJSON encodes it with numbers as they were saved.
func (k Kept) MarshalJSON() ([]byte, error) {
	type plain Kept
	k.Saved, _ = withNumerals(k.Saved, func(x any) (any, bool) {
		n, is := x.(source.Numeral)
		return map[string]any{numeral: n.String()}, is
	}).(map[string]any)
	return json.Marshal(plain(k))
}

// withNumerals replaces the values that the function changes, in a copy.
func withNumerals(x any, change func(any) (any, bool)) any {
	if y, changed := change(x); changed {
		return y
	}
	switch x := x.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, value := range x {
			out[key] = withNumerals(value, change)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, value := range x {
			out[i] = withNumerals(value, change)
		}
		return out
	}
	return x
}

// UnmarshalJSON decodes it with numbers as they were saved.
func (k *Kept) UnmarshalJSON(data []byte) error {
	type plain Kept
	raw := struct {
		*plain
		Saved json.RawMessage `json:"saved"`
	}{plain: (*plain)(k)}
	if err := json.Unmarshal(data, &raw); err != nil || len(raw.Saved) == 0 {
		return err
	}
	saved, err := source.ParseJSON(raw.Saved)
	k.Saved, _ = withNumerals(saved, func(x any) (any, bool) {
		m, _ := x.(map[string]any)
		text, is := m[numeral].(string)
		return source.NumberOf(text), is
	}).(map[string]any)
	return err
}

// withNeeds returns the case with the values that it needs; why says that a needed one did not pass.
func (r *Runner) withNeeds(c plan.Case) (out plan.Case, why string, err error) {
	if len(c.Test.Needs) == 0 {
		return c, "", nil
	}
	needs := map[string]any{}
	for i, pack := range c.NeedsOf() {
		id := c.Test.Needs[i].ID
		k, ended, err := keptIn(r.needsDir(), pack)
		switch {
		case err != nil:
			return c, "", fmt.Errorf("values of %s: %w", pack, err)
		case !ended:
			return c, fmt.Sprintf("not run, because %s, which it needs, did not run", id), nil
		case k.Result != event.Pass:
			return c, fmt.Sprintf("not run, because %s, which it needs, did not pass (%s: %s)", id, k.Result,
				cmp.Or(k.Why, "see its report")), nil
		}
		needs[id] = k.Saved
		c.Hidden = append(slices.Clone(c.Hidden), k.Hidden...)
	}
	c.Give("needs", needs)
	return c, "", nil
}

// Ensure runs a needed case of several processes once: the first process runs it, the others wait. With again, it runs
// although it has run. The outcome has no result of its own when another process has run it.
func (r *Runner) Ensure(ctx context.Context, c plan.Case, again bool) (Outcome, Kept, error) {
	dir, err := r.makeNeedsDir()
	if err != nil {
		return Outcome{Case: c}, Kept{}, err
	}
	lock := flock.New(keptFile(dir, c.Pack)+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return Outcome{Case: c}, Kept{}, err
	}
	defer lock.Close()
	if k, ended, err := keptIn(r.needsDir(), c.Pack); err != nil || ended && !again {
		return Outcome{Case: c}, k, err
	}
	pack := c.Pack
	out := r.Run(ctx, c)
	k, _, err := keptIn(r.needsDir(), pack)
	return out, k, err
}

// Needs are what the needed cases of a case have left, by their packs, for a run on another machine.
type Needs map[string]Kept

// needsFor collects what a case needs, with all browser states that were saved.
func needsFor(c plan.Case, dir string) (Needs, error) {
	all := Needs{}
	for _, pack := range c.NeedsOf() {
		k, ended, err := keptIn(dir, pack)
		if err != nil {
			return nil, err
		}
		if ended {
			all[pack] = k
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	states, err := readStates(dir)
	for pack, k := range all { // with one of them
		k.States = states
		all[pack] = k
		break
	}
	return all, err
}

// take writes what a case needs, as it arrived from another machine.
func (n Needs) take(r *Runner) error {
	dir, err := r.makeNeedsDir()
	if err != nil {
		return err
	}
	for pack, k := range n {
		if err := k.write(dir, pack); err != nil {
			return err
		}
	}
	return nil
}

// write writes what a needed case has left.
func (k Kept) write(dir, pack string) error {
	for name, state := range k.States {
		if err := action.WriteState(dir, name, state); err != nil {
			return err
		}
	}
	k.States = nil
	data, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("values of %s: %w", pack, err)
	}
	return filetree.ReplacePrivate(keptFile(dir, pack), data)
}

// readStates reads the browser states in a folder, by name.
func readStates(dir string) (map[string][]byte, error) {
	names, err := action.States(dir)
	states := map[string][]byte{}
	for _, name := range names {
		data, failed := os.ReadFile(action.StateFile(dir, name))
		states[name], err = data, errors.Join(err, failed)
	}
	return states, err
}

// OnHost is OnDevice for a case of another machine, with what it needs; the result is what it leaves, if it is needed.
// ids has the device of the case, or several in its order.
func (r *Runner) OnHost(ctx context.Context, c plan.Case, ids []string, needs Needs) (out Outcome, k *Kept, err error) {
	defer func() { err = errors.Join(err, r.DropNeeds()) }()
	if err := needs.take(r); err != nil {
		return out, nil, err
	}
	c, why, err := r.withNeeds(c)
	if err == nil && why != "" { // the client would not have sent it
		err = errors.New(why)
	}
	if err != nil {
		return out, nil, err
	}
	if len(c.Devices) > 0 {
		out, err = onHost(ctx, r, c, ids)
	} else {
		out, err = r.OnDevice(ctx, c, ids[0])
	}
	if !c.Needed || out.values == nil {
		return out, nil, err
	}
	states, failed := readStates(r.needsDir())
	return out, &Kept{Saved: out.values.Saved, Hidden: out.values.Hidden, States: states}, errors.Join(err, failed)
}
