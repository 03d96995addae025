package queue

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// share is what a project has had of the farm, and may have.
type share struct {
	name    string
	weight  int64
	most    int // cases under way at once; 0: no limit
	running int
	pass    int64 // grows by unit/weight with each case that begins: who has the least is next
	served  int64 // grows with each turn: of projects that are level, who waited longest
}

func (s *share) full() bool { return s.most > 0 && s.running >= s.most }

// unit is what a case costs a project of weight 1.
const unit = 1 << 20

// line is the cases of a project that want the same of a device.
type line struct {
	of      *share
	kind    string
	needs   Needs
	waiting int
	heads   []head // the first of them, in order of rank
	total   int    // devices that suit, free or not
	free    int    // of those that are free
}

// head is a case that waits.
type head struct {
	run     string
	n       int
	rank    int64
	created int64
	avoid   string // the device on which it could not be begun
	attempt int
	what    string
}

// class is devices that no case tells apart.
type class struct {
	sample Device
	free   []Device
	lines  []*line // that they suit
}

// pair is a case with its device.
type pair struct {
	line   *line
	head   head
	device Device
}

// board is the free devices and the lines of one round.
type board struct {
	lines   []*line
	classes []*class
	turn    int64 // that was the last one
	late    int64 // who was there before that need not leave rare devices to others, microseconds
}

// patience is how long a case leaves devices to those that can use fewer.
const patience = 2 * time.Minute

// newBoard finds out which devices suit which lines.
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
	for _, d := range free { // what is free is there, whatever the caller says
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

// mostBehind is how many cases a project may be behind another one: who could not begin any for hours does not take all
// devices afterwards.
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

// match gives the cases that begin now, with their devices. Projects take turns by their weights; of a project's cases
// the lowest rank is first; a device that few cases can use goes to one of them while one waits. Afterwards no free
// device suits a case that may begin.
func (b *board) match() (begun []pair) {
	for {
		var best *line
		var on *class
		for _, l := range b.lines {
			if len(l.heads) == 0 || l.of.full() || best != nil && !before(l, best) {
				continue
			}
			if c := b.classFor(l); c != nil {
				best, on = l, c
			}
		}
		if best == nil {
			return begun
		}
		begun = append(begun, b.take(best, on))
	}
}

// before tells whose turn it is.
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

// classFor chooses the devices for the head of a line: those that the fewest others want.
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

// kept tells whether the devices are needed by cases that can use fewer than l can.
func kept(c *class, l *line) bool {
	return slices.ContainsFunc(c.lines, func(rare *line) bool {
		return rare != l && rare.total < l.total && len(rare.heads) > 0 && !rare.of.full() && rare.waiting >= rare.free &&
			pick(c, rare) >= 0
	})
}

// pick is the place of the device for the head of a line among those of a class; below 0 there is none. A device on
// which the case could not be begun is the last choice, and none while others are known.
func pick(c *class, l *line) int {
	return slices.IndexFunc(c.free, func(d Device) bool { return l.total == 1 || l.heads[0].avoid != d.key() })
}

func (b *board) take(l *line, c *class) pair {
	i := pick(c, l)
	p := pair{l, l.heads[0], c.free[i]}
	c.free = slices.Delete(c.free, i, i+1)
	for _, other := range c.lines {
		other.free--
	}
	l.heads = l.heads[1:]
	l.waiting--
	l.of.running++
	l.of.pass += unit / max(l.of.weight, 1)
	b.turn++
	l.of.served = b.turn
	return p
}
