package runner

import (
	"fmt"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

func specReport(ordered bool, containers []string, text string) types.SpecReport {
	return types.SpecReport{ContainerHierarchyTexts: containers, LeafNodeText: text, IsInOrderedContainer: ordered}
}

// Each spec is in one shard, on all machines; those of an Ordered container are in the same one.
func TestShardsDealOutSpecs(t *testing.T) {
	t.Parallel()
	const shards = 3
	in := func(r types.SpecReport) (list []int) {
		for i := 1; i <= shards; i++ {
			if c := (&specChoice{shard: plan.Shard{Index: i, Count: shards}}); c.without(r) == "" {
				list = append(list, i)
			}
		}
		return list
	}
	used, together := map[int]bool{}, map[int]bool{}
	for i := range 50 {
		text := fmt.Sprintf("does thing %d", i)
		alone, ordered := in(specReport(false, []string{"login"}, text)),
			in(specReport(true, []string{"in order", "inner"}, text))
		if len(alone) != 1 || len(ordered) != 1 {
			t.Fatalf("%s is in shards %v, in an ordered container %v", text, alone, ordered)
		}
		used[alone[0]], together[ordered[0]] = true, true
	}
	if len(used) != shards || len(together) != 1 {
		t.Errorf("specs in shards %v, ordered ones in %v", used, together)
	}
}

// What passed is not run again; what failed, left no pack, or needs its neighbours, is.
func TestSpecsThatRunAgain(t *testing.T) {
	t.Parallel()
	c := &specChoice{rerun: "2026-01-31T12-00-00", failed: map[string]bool{"login-passes": false, "login-fails": true,
		"login-clash": false, "login-clash-spec": true,
		"login-ordered": false}}
	for text, want := range map[string]bool{"passes": false, "fails": true, "clash": true, "has no device": true} {
		if why := c.without(specReport(false, []string{"login"}, text)); (why == "") != want {
			t.Errorf("%s: %q", text, why)
		}
	}
	if why := c.without(specReport(true, []string{"login"}, "ordered")); why != "" {
		t.Errorf("ordered: %q", why)
	}
	if why := (&specChoice{}).without(specReport(false, nil, "anything")); why != "" {
		t.Errorf("without a choice: %q", why)
	}
}
