package dispatch

import (
	"testing"
	"time"
)

// TestSilentHost: a host is dead when it was silent for too long at two looks, so that what it said may come first when the hub itself was held up; a hub that was away
// calls nobody dead.
func TestSilentHost(t *testing.T) {
	r := newRoster(time.Second, nil)
	beat := func() {
		if r.hear("a", []byte(`{"version": 1, "devices": [{"id": "x"}]}`)); r.hosts["a"] == nil {
			t.Fatal("the beat is not taken")
		}
	}
	beat()
	now := time.Now()
	if r.silent(now) || len(r.dead(now)) > 0 {
		t.Error("it has just spoken")
	}
	late := now.Add(2 * time.Second)
	if !r.silent(late) || len(r.dead(late)) > 0 {
		t.Error("at the first look it may be this hub that was held up")
	}
	beat()
	if dead := r.dead(now.Add(500 * time.Millisecond)); len(dead) > 0 {
		t.Error("it has spoken since")
	}
	if len(r.dead(late)) > 0 {
		t.Error("what was before it spoke does not count")
	}
	r.again(late)
	if r.silent(late.Add(500*time.Millisecond)) || len(r.dead(late.Add(2*time.Second))) > 0 {
		t.Error("the hub was away")
	}
	if dead := r.dead(late.Add(3 * time.Second)); len(dead) != 1 {
		t.Errorf("it is dead: %q", dead)
	}
	if all, _ := r.devices(); len(all) > 0 || len(r.hoped()) != 1 {
		t.Errorf("its devices may come back: %d, %d", len(all), len(r.hoped()))
	}
	beat()
	if all, free := r.devices(); len(all) != 1 || len(free) != 1 || len(r.hoped()) != 1 {
		t.Errorf("it is back: %d, %d, %d", len(all), len(free), len(r.hoped()))
	}
}

// TestHostBegun: a host that was started again is told from one that was not, and one that is silent for a while gets nothing more.
func TestHostBegun(t *testing.T) {
	r := newRoster(time.Minute, nil)
	one, two := []byte(`{"version": 1, "boot": "1", "devices": [{"id": "x"}]}`), []byte(`{"version": 1, "boot": "2", "devices": [{"id": "x"}]}`)
	if c := r.hear("a", one); c != (change{came: true, free: true}) {
		t.Errorf("the first beat: %+v", c)
	}
	if c := r.hear("a", one); c != (change{}) {
		t.Errorf("the second: %+v", c)
	}
	if c := r.hear("a", two); c != (change{began: true}) {
		t.Errorf("of another process: %+v", c)
	}
	r.hosts["a"].came = time.Now().Add(-quiet - time.Second)
	if all, free := r.devices(); len(all) != 1 || len(free) > 0 {
		t.Errorf("a silent host: %d devices, %d free", len(all), len(free))
	}
	if c := r.hear("a", two); c != (change{free: true}) {
		t.Errorf("it speaks again: %+v", c)
	}
}
