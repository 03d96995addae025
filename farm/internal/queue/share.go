package queue

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/seats"
)

// Share is what a project may use of the farm compared with others, and what it uses now.
type Share struct {
	Project string `json:"project"`
	Weight  int    `json:"weight"` // from 1: with weight 2 a waiting project starts twice as many cases as with 1
	Limit   int    `json:"limit"`  // of its cases that run at once; 0: no limit
	Running int    `json:"running"`
	Waiting int    `json:"waiting"`
}

// MostWeight limits the weight of a project: with more, other projects would wait very long.
const MostWeight = 1000

// Share sets the weight and the limit of a project. Running cases are not affected.
func (q *Queue) Share(ctx context.Context, project string, weight, limit int) error {
	if weight < 1 || weight > MostWeight || limit < 0 {
		return fmt.Errorf("the weight of a project is 1 to %d, its limit 0 (none) or more", MostWeight)
	}
	_, err := q.db.Exec(ctx,
		"INSERT INTO farm_projects (id, weight, most) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET weight = $2, most "+
			"= $3", project, weight, limit)
	return err
}

// Shares lists the shares of the projects that have used the farm or have a share. With a project it returns only that
// one, with the defaults if it has none.
func (q *Queue) Shares(ctx context.Context, project string) (list []Share, err error) {
	err = q.db.Each(ctx,
		"SELECT p.id, p.weight, p.most, (SELECT COUNT(*) FROM farm_cases c WHERE c.project = p.id AND c.state = 'running'), "+
			"(SELECT CAST(COALESCE(SUM(l.waiting), 0) AS BIGINT) FROM farm_lines l WHERE l.project = p.id) FROM farm_projects "+
			"p WHERE $1 = '' OR p.id = $1 ORDER BY p.id", []any{project},
		func(scan func(...any) error) error {
			var s Share
			err := scan(&s.Project, &s.Weight, &s.Limit, &s.Running, &s.Waiting)
			list = append(list, s)
			return err
		})
	if err == nil && project != "" && len(list) == 0 {
		list = []Share{{Project: project, Weight: 1}}
	}
	return list, err
}

// share is what a project has used of the farm, and its limits.
type share struct {
	name    string
	weight  int64
	most    int // limit of cases that run at once; 0: no limit
	running int
	pass    int64 // increases by unit/weight with each case that starts; the project with the lowest pass is next
	served  int64 // the number of the last turn; among projects with the same pass the one that waited longest is next
}

func (s *share) full() bool { return s.most > 0 && s.running >= s.most }

// unit is what a case costs a project of weight 1.
const unit = 1 << 20

// line is the waiting cases of a project with the same needs.
type line struct {
	of      *share
	kind    string
	needs   Needs
	waiting int
	heads   []head // the first of the cases, in order of rank
	total   int    // suitable devices, free or not
	free    int    // suitable devices that are free
}

// head is a waiting case at the start of its line.
type head struct {
	run     string
	n       int
	rank    int64
	created int64
	avoid   string // the device on which it could not be started
	attempt int
	what    string
}

// class is a set of devices that are equal for the needs of all waiting cases.
type class struct {
	sample Device
	free   []Device
	lines  []*line // for which the devices are suitable
}

// pair is a case with its device.
type pair struct {
	line   *line
	head   head
	device Device
	places []seats.Seat // of a case with several devices
}

// board is the free devices and the lines of one call of Pick.
type board struct {
	lines   []*line
	classes []*class
	turn    int64 // the number of the last turn
	late    int64 // cases created before (microseconds) need not leave rare devices to others
}

// patience is how long a case leaves devices to cases that can use fewer of them.
const patience = 2 * time.Minute

// newBoard computes which devices are suitable for which lines.
func newBoard(lines []*line, free, all []Device, now time.Time) *board {
	b := &board{lines: lines, late: now.Add(-patience).UnixMicro()}
	named := map[string]bool{}
	for _, l := range lines {
		named[l.needs.Device], named[l.needs.Avoid] = true, true
	}
	key := func(d Device) string {
		if named[d.ID] || named[d.ID+"@"+d.Host] {
			return d.key()
		}
		return d.class()
	}
	there := map[string]bool{}
	for _, d := range all {
		there[d.key()] = true
	}
	all = slices.Clone(all)
	for _, d := range free { // a free device exists, even if the caller did not list it in all
		if !there[d.key()] {
			all = append(all, d)
		}
	}
	for _, l := range lines {
		b.turn = max(b.turn, l.of.served)
	}
	bound(lines)
	classes := map[string]*class{}
	count := map[string]int{}
	for _, d := range all {
		if classes[key(d)] == nil {
			classes[key(d)] = &class{sample: d}
		}
		count[key(d)]++
	}
	for _, d := range free {
		c := classes[key(d)]
		c.free = append(c.free, d)
	}
	for _, k := range slices.Sorted(maps.Keys(classes)) {
		c := classes[k]
		for _, l := range lines {
			if l.needs.Unmet(l.of.name, c.sample) == "" {
				l.total += count[k]
				l.free += len(c.free)
				c.lines = append(c.lines, l)
			}
		}
		if len(c.free) > 0 {
			b.classes = append(b.classes, c)
		}
	}
	return b
}

// mostBehind is how many cases a project may be behind the first one. Without this bound a project that could not start
// any case for hours would get all devices afterwards.
const mostBehind = 32

func bound(lines []*line) {
	var ahead int64
	for _, l := range lines {
		ahead = max(ahead, l.of.pass)
	}
	for _, l := range lines {
		l.of.pass = max(l.of.pass, ahead-mostBehind*unit)
	}
}

// match returns the cases that start now, with their devices. It is greedy and starts one case at a time:
//
//   - The project with the lowest pass is next. Each case increases pass by unit/weight (stride scheduling), so over
//     time projects start cases in proportion to their weights. It needs no clock and no history, only one number in a
//     row. bound limits how far a project can be behind, and Add raises the pass of a project that had nothing waiting:
//     being idle earns no credit.
//   - Within a project the case with the lowest rank is next: the time when it was added, minus ten minutes for each
//     level of priority. So even a case with a low priority starts at some time.
//   - The device is one of the class that the fewest other lines want; a line counts more, the fewer devices are
//     suitable for it. If another line can use fewer devices than this one and needs all of its free ones, the class is
//     kept for it (kept), and the next project has its turn. After patience a case takes any suitable device, so that
//     no device stays idle because of a case that cannot start.
//   - A case with several devices starts when all of them are free (together). One that has waited for longer than
//     patience keeps those that are (hold).
//
// When it returns, no free device is suitable for a case that may start.
func (b *board) match() (pairs []pair) {
	b.hold()
	for {
		var best *line
		var on *class
		var several []Device
		for _, l := range b.lines {
			if len(l.heads) == 0 || l.of.full() || best != nil && !before(l, best) {
				continue
			}
			if len(l.needs.Devices) > 0 {
				if all := b.together(l); all != nil {
					best, several = l, all
				}
			} else if c := b.classFor(l); c != nil {
				best, on, several = l, c, nil
			}
		}
		switch {
		case best == nil:
			return pairs
		case several != nil:
			pairs = append(pairs, b.takeAll(best, several))
		default:
			pairs = append(pairs, b.take(best, on))
		}
	}
}

// before reports whether line a is to be served before line b.
func before(a, b *line) bool {
	if a.of != b.of && a.of.pass != b.of.pass {
		return a.of.pass < b.of.pass
	}
	if a.of != b.of && a.of.served != b.of.served {
		return a.of.served < b.of.served
	}
	x, y := a.heads[0], b.heads[0]
	return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.run, y.run), cmp.Compare(x.n, y.n)) < 0
}

// classFor returns the class of devices for the head of a line: the one that the fewest other lines want.
func (b *board) classFor(l *line) (best *class) {
	least := 0.0
	late := l.heads[0].created <= b.late
	for _, c := range b.classes {
		if len(c.free) == 0 || !slices.Contains(c.lines, l) || !late && kept(c, l) || pick(c, l) < 0 {
			continue
		}
		wanted := 0.0
		for _, other := range c.lines {
			if other != l {
				wanted += 1 / float64(max(other.total, 1))
			}
		}
		if best == nil || wanted < least {
			best, least = c, wanted
		}
	}
	return best
}

// kept reports whether the devices are needed by cases that can use fewer devices than l can.
func kept(c *class, l *line) bool {
	return slices.ContainsFunc(c.lines, func(rare *line) bool {
		return rare != l && rare.total < l.total && len(rare.heads) > 0 && !rare.of.full() && rare.waiting >= rare.free &&
			pick(c, rare) >= 0
	})
}

// pick returns the index of a free device of a class for the head of a line, or a negative number. A device on which
// the case could not be started is used only when no other device is suitable.
func pick(c *class, l *line) int {
	return slices.IndexFunc(c.free, func(d Device) bool { return l.total == 1 || l.heads[0].avoid != d.key() })
}

func (b *board) take(l *line, c *class) pair {
	d := c.free[pick(c, l)]
	b.remove(d)
	return b.start(l, pair{line: l, head: l.heads[0], device: d})
}

// takeAll starts a case with several devices.
func (b *board) takeAll(l *line, devices []Device) pair {
	for _, d := range devices {
		b.remove(d)
	}
	return b.start(l, pair{line: l, head: l.heads[0], device: runsOn(devices), places: places(l.needs.each(), devices)})
}

func (b *board) start(l *line, p pair) pair {
	l.heads = l.heads[1:]
	l.waiting--
	l.of.running++
	l.of.pass += unit / max(l.of.weight, 1)
	b.turn++
	l.of.served = b.turn
	return p
}
