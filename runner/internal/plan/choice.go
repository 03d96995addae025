package plan

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Choice selects from the cases that the filters keep. The zero value: all, once, in the order of the files.
type Choice struct {
	Changed func(Case) bool // only cases that depend on a change; nil: all
	Only    map[string]bool // packs of cases; nil: all
	Shard   Shard
	// Times are how long cases took, by their packs: the parts take equally long, not equally many cases. Nil: the latter.
	Times  map[string]time.Duration
	Repeat int // how often each case is run; 0 is 1
	Random bool
	Seed   int64 // of the random order
}

// Shard is one of several parts that run independently on different machines. The zero value is the whole.
type Shard struct{ Index, Count int } // from 1

// maxShards and MaxRepeat catch typing errors.
const (
	maxShards = 10_000
	MaxRepeat = 1000
)

// ParseShard reads "2/3".
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return Shard{}, &Usage{fmt.Sprintf("shard %q: write the part and the number of parts, such as 1/3", text)}
	case n < 1 || n > maxShards:
		return Shard{}, &Usage{fmt.Sprintf("shard %q: there can be 1 to %d parts", text, maxShards)}
	case i < 1 || i > n:
		return Shard{}, &Usage{fmt.Sprintf("shard %q: the parts are 1/%d to %d/%d", text, n, n, n)}
	}
	return Shard{i, n}, nil
}

// String is the shard as ParseShard reads it, "" for the whole.
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// choose keeps the cases that the choice selects.
func (p *Plan) choose(c Choice) {
	p.Matched = len(p.roots)
	chosen := p.roots
	if c.Only != nil {
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(x Case) bool { return !c.Only[x.Pack] })
	}
	if c.Changed != nil {
		chosen = p.needed.changedOnly(chosen, c.Changed)
	}
	p.Again = len(chosen)
	if c.Shard.Count > 1 { // a needed case runs in each part that needs it
		chosen = p.needed.withoutNeeded(chosen)
		if c.Times != nil {
			chosen, p.Split = c.Shard.byTime(chosen, c.Times)
		}
		if p.Split == nil {
			chosen = c.Shard.of(chosen)
		}
	}
	p.Cases = c.ordered(p.needed.with(chosen), p.needed)
}

// of deals the cases out like cards, platform after platform: the parts differ by at most one case, also for each
// platform. It depends on the cases only. Durations of earlier runs, for example, differ from machine to machine: with
// them, a case could run twice or never.
func (s Shard) of(cases []Case) []Case {
	if s.Count < 2 {
		return cases
	}
	places := make([]int, len(cases))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(cases[a].Platform, cases[b].Platform) })
	var mine []int
	for i := s.Index - 1; i < len(places); i += s.Count {
		mine = append(mine, places[i])
	}
	slices.Sort(mine)
	part := make([]Case, len(mine))
	for i, at := range mine {
		part[i] = cases[at]
	}
	return part
}

// Split is how a run is divided by time.
type Split struct {
	Parts []time.Duration // the estimated time of each part
	Known int             // cases with a known time
	Of    int             // all cases
}

// byTime deals the longest case first, always to the part with the least time: no part takes much longer than the
// others. The same cases and times make the same parts on every machine. A case without a time counts as the median.
// Without any time there is no split.
func (s Shard) byTime(cases []Case, times map[string]time.Duration) (mine []Case, split *Split) {
	weights := make([]time.Duration, len(cases))
	var known []time.Duration
	for i, c := range cases {
		if weights[i] = times[c.Pack]; weights[i] > 0 {
			known = append(known, weights[i])
		}
	}
	if len(known) == 0 {
		return cases, nil
	}
	slices.Sort(known)
	order := make([]int, len(cases))
	for i := range cases {
		if order[i] = i; weights[i] <= 0 {
			weights[i] = known[(len(known)-1)/2]
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(cases[a].Pack, cases[b].Pack))
	})
	split = &Split{Parts: make([]time.Duration, s.Count), Known: len(known), Of: len(cases)}
	counts := make([]int, s.Count)
	chosen := map[int]bool{}
	for _, at := range order {
		part := 0
		for i := range split.Parts {
			if cmp.Or(cmp.Compare(split.Parts[i], split.Parts[part]), cmp.Compare(counts[i], counts[part])) < 0 {
				part = i
			}
		}
		split.Parts[part] += weights[at]
		counts[part]++
		chosen[at] = part == s.Index-1
	}
	for i, c := range cases {
		if chosen[i] {
			mine = append(mine, c)
		}
	}
	return mine, split
}

// ordered repeats the cases, round after round. A random order is different in each round.
func (c Choice) ordered(cases []Case, needed caseOf) []Case {
	dice := rand.New(rand.NewPCG(uint64(c.Seed), 0))
	var all []Case
	for round := range max(c.Repeat, 1) {
		list := slices.Clone(cases)
		if c.Random {
			dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			keepSequences(list, cases)
			list = needed.with(list)
		}
		for i := range list {
			if c.Repeat > 1 {
				list[i].Pack += fmt.Sprintf("--rep-%d", round+1)
				list[i].Round = round + 1
			}
		}
		all = append(all, list...)
	}
	return all
}

// keepSequences restores the order of the cases of each sequence after shuffling, in the places that they have in the
// list.
func keepSequences(list, planned []Case) {
	next := map[string][]Case{}
	for _, c := range planned {
		next[c.Test.Sequence] = append(next[c.Test.Sequence], c)
	}
	for i, c := range list {
		if name := c.Test.Sequence; name != "" {
			list[i], next[name] = next[name][0], next[name][1:]
		}
	}
}
