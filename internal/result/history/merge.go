package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Shard is one part of a run that Merge puts together.
type Shard struct {
	Dir   string // of its run
	Packs []string

	choice  Choice
	planned []event.Case
	env     *Environment
}

// MergeError says why the parts are not one run, and how to fix that.
type MergeError struct{ Msg string }

func (e *MergeError) Error() string { return e.Msg }

// Merge makes one run, in the reports folder root, from the runs of several shards: it copies their packs. The caller
// then makes the files of the run as a whole (reporters.Finish). The run has the name of the first shard, or the next
// free one. partial allows missing shards. The shards are not changed.
func Merge(root string, dirs []string, partial bool) (into *pack.RunDir, err error) {
	shards, err := loadShards(dirs)
	if err != nil {
		return nil, err
	}
	if err := chooseNeeded(shards); err != nil {
		return nil, err
	}
	if err := fitTogether(shards, partial); err != nil {
		return nil, err
	}
	into, err = pack.NewRunDir(root, startOf(shards))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, into.Close(), os.RemoveAll(into.Path()))
			into = nil
		}
	}()
	var planned []event.Case
	for _, s := range shards {
		for _, pack := range s.Packs {
			if err := copyPack(into.Path(), s.Dir, pack); err != nil {
				return into, fmt.Errorf("copy %s: %w", filepath.Join(s.Dir, pack), err)
			}
		}
		planned = append(planned, s.planned...)
	}
	if len(planned) > 0 {
		if err := WritePlan(into, planned); err != nil {
			return into, err
		}
	}
	choice := shards[0].choice
	choice.Shard = ""
	if partial {
		choice.Shard = shardsOf(shards)
	}
	if err := WriteChoice(into, choice); err != nil {
		return into, err
	}
	if env := shards[0].env; env != nil {
		err = WriteEnvironment(into, *env)
	}
	return into, err
}

// chooseNeeded leaves one result of each test that others need, and that several shards ran for this reason: the first
// that did not pass, so that none is hidden, otherwise the first.
func chooseNeeded(shards []Shard) error {
	from := map[string]int{} // the shard of the result, by the key of the case
	for i, s := range shards {
		for _, c := range s.planned {
			if !c.Needed {
				continue
			}
			first, known := from[c.Pack]
			if !known {
				from[c.Pack] = i
				continue
			}
			passed, err := passedIn(shards[first], c.Pack)
			if err != nil {
				return err
			}
			if again, err := passedIn(s, c.Pack); err != nil {
				return err
			} else if passed && !again {
				from[c.Pack] = i
			}
		}
	}
	for i := range shards {
		other := func(pack string) bool {
			chosen, known := from[CaseKey(pack)]
			return known && chosen != i
		}
		shards[i].Packs = slices.DeleteFunc(shards[i].Packs, other)
		shards[i].planned = slices.DeleteFunc(shards[i].planned, func(c event.Case) bool { return other(c.Pack) })
	}
	return nil
}

// passedIn reports whether a case passed in a shard.
func passedIn(s Shard, key string) (bool, error) {
	run, err := LoadRun(s.Dir)
	if err != nil {
		return false, fmt.Errorf("read shard %s: %w", s.Dir, err)
	}
	return slices.ContainsFunc(run.Cases, func(c RunCase) bool {
		return c.Key == key && c.CaseResult.Result == event.Pass
	}), nil
}

func loadShards(dirs []string) ([]Shard, error) {
	var shards []Shard
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(abs)
		if err != nil {
			return nil, fmt.Errorf("read shard: %w", err)
		}
		s := Shard{Dir: abs}
		s.Packs, err = pack.Folders(root, func(name string) bool {
			return pack.NamePattern.MatchString(name) &&
				isPackFolder(root, name)
		})
		if err == nil {
			s.choice, err = readChoice(root)
		}
		if err == nil {
			s.planned, err = readPlan(root)
		}
		if err == nil {
			s.env, err = readEnvironment(root)
		}
		if err = errors.Join(err, root.Close()); err != nil {
			return nil, fmt.Errorf("read shard %s: %w", dir, err)
		}
		if pack.Alive(abs) {
			return nil, &MergeError{fmt.Sprintf("the run %s is still under way: merge it when it has ended", dir)}
		}
		shards = append(shards, s)
	}
	slices.SortStableFunc(shards, func(a, b Shard) int { return cmp.Compare(shardIndex(a.choice), shardIndex(b.choice)) })
	return shards, nil
}

func isPackFolder(run *os.Root, name string) bool {
	for _, file := range []string{event.EventsFile, event.SummaryFile} {
		if info, err := run.Lstat(path.Join(name, file)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// fitTogether returns what prevents the shards from being one run: other options, the same test twice, a missing shard.
func fitTogether(shards []Shard, partial bool) error {
	if len(shards) == 0 {
		return &MergeError{"name the runs to merge: report merge DIR…"}
	}
	of, index := map[string]string{}, map[int]string{}
	count := 0
	for _, s := range shards {
		for _, pack := range s.Packs {
			if other, found := of[pack]; found {
				return &MergeError{
					fmt.Sprintf("%s is in %s and in %s: merge only the shards of one run (run --shard 1/3, 2/3, …), which share "+
						"no test", pack, other, s.Dir)}
			}
			of[pack] = s.Dir
		}
		a, b := s.choice, shards[0].choice
		a.Shard, b.Shard, a.Seed, b.Seed = "", "", nil, nil
		if a != b {
			return &MergeError{fmt.Sprintf("%s ran other tests than %s (%q and %q): merge only the shards of one run", s.Dir,
				shards[0].Dir, s.choice, shards[0].choice)}
		}
		i, n := parseShard(s.choice.Shard)
		if n == 0 {
			continue
		}
		if other, found := index[i]; found {
			return &MergeError{fmt.Sprintf("%s and %s are both shard %s", other, s.Dir, s.choice.Shard)}
		}
		if count != 0 && n != count {
			return &MergeError{fmt.Sprintf("%s is shard %s, but another one is of %d", s.Dir, s.choice.Shard, count)}
		}
		index[i], count = s.Dir, n
	}
	for i := 1; i <= count && !partial; i++ {
		if index[i] == "" {
			return &MergeError{
				fmt.Sprintf("shard %d/%d is missing: name its run too, or leave it out with --partial", i, count)}
		}
	}
	return nil
}

func parseShard(s string) (index, count int) {
	i, n, found := strings.Cut(s, "/")
	index, err := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !found || err != nil || err2 != nil {
		return 0, 0
	}
	return index, count
}

func shardIndex(c Choice) int {
	i, _ := parseShard(c.Shard)
	return i
}

func shardsOf(shards []Shard) string {
	var names []string
	for _, s := range shards {
		if s.choice.Shard != "" {
			names = append(names, s.choice.Shard)
		}
	}
	return strings.Join(names, ", ")
}

// startOf is when the first shard started, by the names of their folders.
func startOf(shards []Shard) time.Time {
	var first time.Time
	for _, s := range shards {
		if t, err := time.Parse(pack.RunLayout, filepath.Base(s.Dir)); err == nil && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if first.IsZero() {
		return time.Now()
	}
	return first
}

// copyPack copies the regular files of a pack, without its page, which depends on the run and is made again.
func copyPack(into, from, pack string) (err error) {
	src, err := os.OpenRoot(filepath.Join(from, pack))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	to := filepath.Join(into, pack)
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	dst, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	return fs.WalkDir(src.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir():
			return dst.MkdirAll(name, 0o755)
		case !d.Type().IsRegular() || name == event.PageFile:
			return nil
		}
		return copyFile(dst, src, name)
	})
}

func copyFile(dst, src *os.Root, name string) error {
	in, err := src.Open(name)
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	out, err := dst.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
