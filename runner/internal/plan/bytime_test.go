package plan_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Four parts of 60 tests with uneven times differ by less than 10 % of the longest, have each test once, and are the
// same at each planning. Without any time, the parts have equal counts.
func TestShardsByTime(t *testing.T) {
	files, times := map[string]string{}, map[string]time.Duration{}
	for i := range 60 {
		id := fmt.Sprintf("t%02d", i)
		files["suites/"+id+".yaml"] = yaml(id, "web")
		if i%7 != 3 { // the others have no history
			times[id] = time.Duration(1+i*i%97) * time.Second
		}
	}
	dir := project(t, files)
	build := func(i int, times map[string]time.Duration) (names []string, split *plan.Split) {
		t.Helper()
		p, err := plan.Build(plan.Options{Dir: dir, Choice: plan.Choice{Shard: plan.Shard{Index: i, Count: 4}, Times: times}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Cases {
			names = append(names, c.Pack)
		}
		return names, p.Split
	}
	var all []string
	for i := 1; i <= 4; i++ {
		names, split := build(i, times)
		again, _ := build(i, times)
		if !slices.Equal(names, again) {
			t.Errorf("part %d is %q and %q", i, names, again)
		}
		all = append(all, names...)
		if longest, shortest := slices.Max(split.Parts), slices.Min(split.Parts); longest-shortest > longest/10 {
			t.Errorf("the parts take %v", split.Parts)
		}
		if split.Known != len(times) || split.Of != 60 {
			t.Errorf("%+v", split)
		}
	}
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != 60 || len(all) != 60 {
		t.Errorf("the parts have %d tests: %q", len(all), all)
	}
	for i := 1; i <= 4; i++ {
		if names, split := build(i, map[string]time.Duration{}); len(names) != 15 || split != nil {
			t.Errorf("without times: %d tests, %v", len(names), split)
		}
	}
}
