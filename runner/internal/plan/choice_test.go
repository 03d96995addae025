package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// many makes a project of some android tests and some web tests, in turns.
func many(t *testing.T, android, web int) string {
	files := map[string]string{}
	for i := range max(android, web) {
		if i < android {
			files[fmt.Sprintf("suites/t%02da.yaml", i)] = yaml(fmt.Sprintf("t%02da", i), "android")
		}
		if i < web {
			files[fmt.Sprintf("suites/t%02dw.yaml", i)] = yaml(fmt.Sprintf("t%02dw", i), "web")
		}
	}
	return project(t, files)
}

func TestShardsPartTheCasesEvenly(t *testing.T) {
	for _, size := range [][2]int{{7, 4}, {10, 0}, {1, 1}, {3, 9}} {
		dir := many(t, size[0], size[1])
		whole := packs(t, plan.Options{Dir: dir})
		for n := 1; n <= 12; n++ {
			seen := map[string]int{}
			most, least := [3]int{}, [3]int{99, 99, 99}
			for i := 1; i <= n; i++ {
				part := packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Shard: plan.Shard{Index: i, Count: n}}})
				if !slices.IsSorted(part) {
					t.Errorf("shard %d/%d is not in the order of the files: %q", i, n, part)
				}
				count := [3]int{len(part)}
				for _, name := range part {
					seen[name]++
					if strings.HasSuffix(name, "a") {
						count[1]++
					} else {
						count[2]++
					}
				}
				for k := range count {
					most[k], least[k] = max(most[k], count[k]), min(least[k], count[k])
				}
			}
			for _, name := range whole {
				if seen[name] != 1 {
					t.Errorf("%s is in %d of %d shards", name, seen[name], n)
				}
			}
			for k := range most {
				if most[k]-least[k] > 1 {
					t.Errorf("%v cases in %d shards: the largest has %v, the smallest %v (all, android, web)", size, n, most, least)
				}
			}
		}
	}
}

// TestShardIsOfWhatTheFiltersLeave: otherwise a filter could empty a shard and fill another.
func TestShardIsOfWhatTheFiltersLeave(t *testing.T) {
	dir := many(t, 4, 4)
	want(t, packs(t, plan.Options{Dir: dir, Labels: "web", Choice: plan.Choice{Shard: plan.Shard{Index: 2, Count: 2}}}),
		"t01w", "t03w")
	only := map[string]bool{"t02w": true, "t03a": true}
	want(t, packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Only: only, Shard: plan.Shard{Index: 1, Count: 2}}}),
		"t03a")
	want(t, packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Only: map[string]bool{}}}))
}

func TestRandomOrderIsThatOfItsSeed(t *testing.T) {
	dir := many(t, 10, 0)
	order := func(seed int64, shard plan.Shard) []string {
		return packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Random: true, Seed: seed, Shard: shard}})
	}
	first := order(7, plan.Shard{})
	want(t, order(7, plan.Shard{}), first...)
	if other := order(8, plan.Shard{}); slices.Equal(first, other) || slices.IsSorted(first) {
		t.Errorf("seed 7 %q, seed 8 %q", first, other)
	}
	want(t, slices.Sorted(slices.Values(first)), packs(t, plan.Options{Dir: dir})...)
	// The cases of a shard do not depend on the seed: it may differ from machine to machine.
	half := plan.Shard{Index: 1, Count: 2}
	want(t, slices.Sorted(slices.Values(order(1, half))), slices.Sorted(slices.Values(order(2, half)))...)
}

func TestRepetitionsComeRoundByRound(t *testing.T) {
	dir := many(t, 2, 0)
	want(t, packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Repeat: 2}}), "t00a--rep-1", "t01a--rep-1", "t00a--rep-2",
		"t01a--rep-2")
	want(t, packs(t, plan.Options{Dir: dir, Choice: plan.Choice{Repeat: 1}}), "t00a", "t01a")
}

func TestParseShard(t *testing.T) {
	for text, words := range map[string]string{
		"": "such as 1/3", "3": "such as 1/3", "a/b": "such as 1/3", "1/2/3": "such as 1/3", "1/": "such as 1/3",
		" 1/2": "such as 1/3",
		"3/2":  "1/2 to 2/2", "0/4": "1/4 to 4/4", "-1/4": "1/4 to 4/4", "1/0": "1 to 10000 parts", "1/-2": "parts",
		"1/99999":                "parts",
		"99999999999999999999/2": "such as 1/3",
	} {
		_, err := plan.ParseShard(text)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		wantUsage(t, err)
	}
	s, err := plan.ParseShard("2/3")
	if err != nil || s != (plan.Shard{Index: 2, Count: 3}) || s.String() != "2/3" || (plan.Shard{}).String() != "" {
		t.Errorf("%v, %v", s, err)
	}
}

func FuzzParseShard(f *testing.F) {
	for _, text := range []string{"1/3", "3/2", "+1/+2", "0x1/2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := plan.ParseShard(text)
		if err == nil && (s.Index < 1 || s.Index > s.Count) {
			t.Errorf("%q is %+v", text, s)
		}
	})
}
