package plan

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Choice is what is run of the cases that the filters let through. The zero value: all, once, in the order of the
// files.
type Choice struct {
	Only   map[string]bool // packs of cases; nil: all
	Shard  Shard
	Repeat int // how often each case is run; 0 is 1
	Random bool
	Seed   int64 // of the random order
}

// Shard is one of several parts that are run elsewhere, on machines that know nothing of each other. The zero value is
// the whole.
type Shard struct{ Index, Count int } // from 1

// maxShards and MaxRepeat bound mistakes of typing.
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
		return Shard{}, &Usage{fmt.Sprintf("shard %q: write which part of how many, such as 1/3", text)}
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

// choose keeps what the choice is of the cases.
func (p *Plan) choose(c Choice) {
	p.Matched = len(p.Cases)
	if c.Only != nil {
		p.Cases = slices.DeleteFunc(p.Cases, func(x Case) bool { return !c.Only[x.Pack] })
	}
	p.Again = len(p.Cases)
	p.Cases = c.ordered(c.Shard.of(p.Cases))
}

// of deals the cases out like cards, those of one platform after those of another: each part gets as many as any other,
// give or take one, of each platform too. It looks at nothing but the cases, because what a machine remembers
// (durations, say) differs from machine to machine, and then a case would be run twice or never.
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

// ordered repeats the cases, round after round, each round in an order of its own when the order is random.
func (c Choice) ordered(cases []Case) []Case {
	dice := rand.New(rand.NewPCG(uint64(c.Seed), 0))
	var all []Case
	for round := range max(c.Repeat, 1) {
		list := slices.Clone(cases)
		if c.Random {
			dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			keepSequences(list, cases)
		}
		for i := range list {
			if c.Repeat > 1 {
				list[i].Pack += fmt.Sprintf("--rep-%d", round+1)
			}
		}
		all = append(all, list...)
	}
	return all
}

// keepSequences puts the cases of each sequence, which were shuffled, into their order again, in the places that they
// have among all.
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
