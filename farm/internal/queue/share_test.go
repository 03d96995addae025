package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
)

// world simulates a farm without a database or hosts. Cases take rounds of a minute.
type world struct {
	t       *testing.T
	r       *rand.Rand
	now     time.Time
	devices []Device
	busy    map[string]int // remaining rounds, by device
	owner   map[string]*line
	shares  []*share
	lines   []*line
	queues  map[*line][]head
	next    int
	started map[int]time.Time // by the case's number
	added   map[int]time.Time
	longest int
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1e9, 0), busy: map[string]int{},
		owner: map[string]*line{}, queues: map[*line][]head{},
		started: map[int]time.Time{}, added: map[int]time.Time{}, longest: 4}
	models := []string{"Pixel 7", "Pixel 8", "Galaxy S24", "Fold"}[:1+w.r.IntN(4)]
	for i := range 1 + w.r.IntN(12) {
		d := Device{Host: fmt.Sprintf("h%d", w.r.IntN(3)), ID: fmt.Sprint(i), Platform: dsl.Android,
			Model: models[w.r.IntN(len(models))], OS: "14"}
		if w.r.IntN(3) == 0 {
			d.Pool, d.Labels = "lab", []string{"nfc"}
		}
		w.devices = append(w.devices, d)
	}
	wants := []Needs{{Platform: dsl.Android}, {Platform: dsl.Android, Pool: "lab"},
		{Platform: dsl.Android, Labels: []string{"nfc"}}, {Platform: dsl.Android, Need: dsl.Need{Model: "Pixel *"}},
		{Platform: dsl.Android, Need: dsl.Need{Model: "Fold"}}, {Platform: dsl.Android, Device: "0"}}
	for p := range 1 + w.r.IntN(4) {
		s := &share{name: fmt.Sprintf("p%d", p), weight: int64(1 + w.r.IntN(4)), most: w.r.IntN(6)}
		w.shares = append(w.shares, s)
		for k := range 1 + w.r.IntN(3) {
			w.lines = append(w.lines, &line{of: s, kind: fmt.Sprint(k), needs: wants[w.r.IntN(len(wants))]})
		}
	}
	return w
}

// suits returns how many devices are suitable for a line.
func (w *world) suits(l *line) (n int) {
	for _, d := range w.devices {
		if l.needs.Unmet(l.of.name, d) == "" {
			n++
		}
	}
	return n
}

func (w *world) add(l *line, n, priority int) (first int) {
	if !slices.ContainsFunc(w.lines, func(x *line) bool { return x.of == l.of && len(w.queues[x]) > 0 }) {
		least := int64(-1)
		for _, x := range w.lines {
			if len(w.queues[x]) > 0 && (least < 0 || x.of.pass < least) {
				least = x.of.pass
			}
		}
		l.of.pass = max(l.of.pass, least)
	}
	first = w.next
	for range n {
		w.added[w.next] = w.now
		w.queues[l] = append(w.queues[l], head{run: "r", n: w.next, created: w.now.UnixMicro(),
			rank: w.now.UnixMicro() - int64(priority)*levelWorth.Microseconds()})
		w.next++
	}
	slices.SortStableFunc(w.queues[l], func(a, b head) int {
		switch {
		case a.rank < b.rank:
			return -1
		case a.rank > b.rank:
			return 1
		}
		return a.n - b.n
	})
	return first
}

// round lets cases end, starts others, and checks the invariants.
func (w *world) round() {
	w.now = w.now.Add(time.Minute)
	var free []Device
	for _, d := range w.devices {
		if w.busy[d.key()] > 0 {
			w.busy[d.key()]--
		}
		if w.busy[d.key()] == 0 {
			if l := w.owner[d.key()]; l != nil {
				l.of.running--
				delete(w.owner, d.key())
			}
			free = append(free, d)
		}
	}
	for _, l := range w.lines {
		l.waiting, l.heads, l.free, l.total = len(w.queues[l]), w.queues[l], 0, 0
	}
	waits := slices.DeleteFunc(slices.Clone(w.lines), func(l *line) bool { return len(w.queues[l]) == 0 })
	taken := map[string]bool{}
	for _, p := range newBoard(waits, free, w.devices, w.now).match() {
		if key := p.device.key(); taken[key] || w.owner[key] != nil {
			w.t.Fatalf("device %s was assigned twice", key)
		}
		taken[p.device.key()] = true
		if why := p.line.needs.Unmet(p.line.of.name, p.device); why != "" {
			w.t.Fatal(why)
		}
		if w.queues[p.line][0] != p.head {
			w.t.Fatal("a case was started before the first one of its line")
		}
		w.queues[p.line] = w.queues[p.line][1:]
		w.started[p.head.n] = w.now
		w.busy[p.device.key()], w.owner[p.device.key()] = 1+w.r.IntN(w.longest), p.line
	}
	for _, s := range w.shares {
		if s.most > 0 && s.running > s.most {
			w.t.Fatalf("%d cases of a project with limit %d", s.running, s.most)
		}
	}
	for _, d := range free { // no suitable device stays idle
		for _, l := range w.lines {
			if w.owner[d.key()] == nil && len(w.queues[l]) > 0 && !l.of.full() && l.needs.Unmet(l.of.name, d) == "" {
				w.t.Fatalf("%s is free, and %s of %s waits", d.key(), l.needs, l.of.name)
			}
		}
	}
}

// TestNobodyStarves checks, under random loads that always exceed what the farm can do, that each case of a project
// with few cases starts within a time that depends on the weights and the length of cases only, not on how many cases
// the others have, and that lines are served in order.
func TestNobodyStarves(t *testing.T) {
	seeds := 800
	if testing.Short() {
		seeds = 60
	}
	for seed := range uint64(seeds) {
		w := newWorld(t, seed)
		victim := &line{of: &share{name: "victim", weight: 1}, kind: "v", needs: w.lines[w.r.IntN(len(w.lines))].needs}
		w.shares, w.lines = append(w.shares, victim.of), append(w.lines, victim)
		var cases []int
		for round := range 120 {
			for _, l := range w.lines { // the others always have more cases than there are devices
				if l != victim && len(w.queues[l]) < 2*len(w.devices) {
					w.add(l, len(w.devices)+w.r.IntN(5), w.r.IntN(11))
				}
			}
			if round%25 == 0 && w.suits(victim) > 0 {
				cases = append(cases, w.add(victim, 1, 0))
			}
			w.round()
		}
		// The bound: each project has as many turns as its weight, and one more, on one device, where each case takes the
		// longest time, after patience has passed.
		turns := int64(2)
		for _, s := range w.shares {
			turns += s.weight + 1
		}
		bound := patience + time.Duration(turns*int64(w.longest))*time.Minute
		for _, n := range cases {
			startedAt, ok := w.started[n]
			if !ok && w.now.Sub(w.added[n]) < bound {
				continue
			}
			if took := startedAt.Sub(w.added[n]); !ok || took > bound {
				t.Fatalf("seed %d: a case waited for %v of %v (started %v)", seed, took, bound, ok)
			}
		}
	}
}

// TestLowPriorityBegins checks that a case starts before urgent cases of its project that were added later than the
// priority is worth.
func TestLowPriorityBegins(t *testing.T) {
	w := newWorld(t, 7)
	l := &line{of: &share{name: "p", weight: 1}, needs: Needs{Platform: dsl.Android}}
	w.shares, w.lines, w.devices = []*share{l.of}, []*line{l}, w.devices[:1]
	n := w.add(l, 1, 0)
	for range 200 {
		w.add(l, 2, 10)
		w.round()
	}
	// 10 levels are worth 100 minutes. In that time 200 urgent cases of up to 4 minutes came, and all of them are first.
	if _, ok := w.started[n]; ok {
		t.Error("the case started before more urgent ones")
	}
	for range 800 {
		w.round()
	}
	if startedAt, ok := w.started[n]; !ok || startedAt.Sub(w.added[n]) > 202*4*time.Minute {
		t.Errorf("%v %v", startedAt.Sub(w.added[n]), ok)
	}
}

// TestRareDevicesAreKept checks that a case that can use any phone leaves the only foldable to a case that needs it,
// and takes it when no other case needs it, or after it has waited for long.
func TestRareDevicesAreKept(t *testing.T) {
	fold := Device{Host: "h", ID: "fold", Platform: dsl.Android, Model: "Fold"}
	pixel := Device{Host: "h", ID: "pixel", Platform: dsl.Android, Model: "Pixel"}
	now := time.Unix(1e9, 0)
	of := func(any, rare int, age time.Duration, free ...Device) (got string) {
		common := &line{of: &share{name: "a", weight: 1}, needs: Needs{Platform: dsl.Android}, waiting: any}
		folds := &line{of: &share{name: "b", weight: 1, pass: 1e9}, needs: Needs{Platform: dsl.Android,
			Need: dsl.Need{Model: "Fold"}}, waiting: rare}
		for i := range any {
			common.heads = append(common.heads, head{n: i, created: now.Add(-age).UnixMicro()})
		}
		for i := range rare {
			folds.heads = append(folds.heads, head{n: i, created: now.UnixMicro()})
		}
		for _, p := range newBoard([]*line{common, folds}, free, []Device{fold, pixel}, now).match() {
			got += p.line.of.name + ":" + p.device.ID + " "
		}
		return got
	}
	for _, c := range []struct {
		got, want string
	}{
		{of(5, 5, 0, fold, pixel), "a:pixel b:fold "},
		{of(5, 5, 0, fold), "b:fold "},
		{of(5, 0, 0, fold, pixel), "a:pixel a:fold "},
		{of(1, 1, 0, pixel, fold), "a:pixel b:fold "},
		{of(5, 5, 3*time.Minute, fold), "a:fold "},
		{of(0, 2, 0, fold, pixel), "b:fold "},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
