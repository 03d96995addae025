package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/service/store"
)

// evidence is what is known of a run afterwards.
type evidence struct {
	want     []string          // the packs, in the order of the plan, with their verdicts
	got      []string          // those that came home
	devices  map[string]string // of the packs
	accepted map[string]int    // results that SQL accepted, by pack
	left     int               // rows that wait or are under way
	log      []line            // of the devices
	dead     map[int]bool      // processes of hosts that were killed
}

// check says what is wrong; nothing else may be.
func (e evidence) check() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !slices.Equal(e.want, e.got) {
		say("packs %q, want %q", e.got, e.want)
	}
	if e.left > 0 {
		say("%d cases are left", e.left)
	}
	ran := map[string]bool{}
	open := map[string]line{}
	for _, l := range e.log {
		if l.Pack == "" {
			say("%s does not know what it ran", l.Device)
		}
		switch before, is := open[l.Device]; {
		case l.End && (!is || before.Pack != l.Pack):
			say("%s ended %s, which it had not begun", l.Device, l.Pack)
		case l.End:
			delete(open, l.Device)
		case is && !e.dead[before.PID]:
			say("%s began %s while it ran %s", l.Device, l.Pack, before.Pack)
		default:
			open[l.Device] = l
			ran[l.Device+" "+l.Pack] = true
		}
	}
	for device, l := range open {
		if !e.dead[l.PID] {
			say("%s never ended %s", device, l.Pack)
		}
	}
	for _, text := range e.got {
		name, _, _ := strings.Cut(text, " ")
		if device := e.devices[name]; device != "" && !ran[device+" "+name] {
			say("%s says that it ran on %s, which does not know of it", name, device)
		}
		if e.devices[name] != "" && e.accepted[name] != 1 {
			say("%d results of %s were accepted", e.accepted[name], name)
		}
	}
	return wrong
}

// watchAccepted lets the database itself write down which results are accepted.
func watchAccepted(t testing.TB, address string) {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	must(t, err)
	_, _, err = db.Migrate(t.Context())
	must(t, err)
	_, err = db.Exec(t.Context(), "CREATE TABLE chaos_accepted (what TEXT NOT NULL)")
	must(t, err)
	_, err = db.Exec(t.Context(), "CREATE TRIGGER chaos_ended AFTER UPDATE OF state ON farm_cases WHEN NEW.state = 'ended' BEGIN INSERT INTO chaos_accepted (what) VALUES (NEW.what); END")
	must(t, err)
	must(t, db.Close())
}

// collect gathers the evidence of a run of cases.
func collect(t testing.TB, address, log string, outcomes []run.Outcome) evidence {
	t.Helper()
	e := evidence{devices: map[string]string{}, accepted: map[string]int{}, dead: map[int]bool{}}
	for _, o := range outcomes {
		if o.Result == nil {
			e.got = append(e.got, fmt.Sprintf("%s none %v", o.Case.Pack, o.Err))
			continue
		}
		e.got = append(e.got, fmt.Sprintf("%s %s", filepath.Base(o.Dir), o.Verdict()))
		if o.Result.Verdict != event.Skipped {
			e.devices[filepath.Base(o.Dir)] = o.Result.Case.Device
		}
	}
	db, err := store.Open(t.Context(), address)
	must(t, err)
	must(t, db.Each(t.Context(), "SELECT what FROM chaos_accepted", nil, func(scan func(...any) error) error {
		var text string
		var what struct{ Pack string }
		if err := scan(&text); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(text), &what)
		e.accepted[what.Pack]++
		return err
	}))
	must(t, db.One(t.Context(), "SELECT COUNT(*) FROM farm_cases WHERE state IN ('waiting', 'running')", nil, &e.left))
	must(t, db.Close())
	data, err := os.ReadFile(log)
	must(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var l line
		must(t, json.Unmarshal(lines.Bytes(), &l))
		e.log = append(e.log, l)
	}
	return e
}

// TestCheckerFindsDefects: each defect that is put into good evidence is found, and good evidence has none.
func TestCheckerFindsDefects(t *testing.T) {
	good := func() evidence {
		return evidence{want: []string{"a pass", "b fail", "c skipped"}, got: []string{"a pass", "b fail", "c skipped"}, devices: map[string]string{"a": "h-0", "b": "h-1"},
			accepted: map[string]int{"a": 1, "b": 1}, dead: map[int]bool{7: true},
			log: []line{{"h-0", "b", false, 7}, {"h-0", "a", false, 1}, {"h-1", "b", false, 2}, {"h-0", "a", true, 1}, {"h-1", "b", true, 2}}}
	}
	if wrong := good().check(); len(wrong) > 0 {
		t.Errorf("good evidence: %q", wrong)
	}
	for name, spoil := range map[string]func(*evidence){
		"a pack is lost":              func(e *evidence) { e.got = e.got[1:] },
		"a pack came twice":           func(e *evidence) { e.got = append(e.got, "a pass") },
		"the order is another":        func(e *evidence) { e.got[0], e.got[1] = e.got[1], e.got[0] },
		"a verdict is another":        func(e *evidence) { e.got[1] = "b pass" },
		"a result was accepted twice": func(e *evidence) { e.accepted["a"] = 2 },
		"a result was never accepted": func(e *evidence) { e.accepted["b"] = 0 },
		"a case is left":              func(e *evidence) { e.left = 1 },
		"a device ran two at once":    func(e *evidence) { e.log = append(e.log[:2], append([]line{{"h-0", "b", false, 1}}, e.log[2:]...)...) },
		"a pack names another device": func(e *evidence) { e.devices["a"] = "h-1" },
		"a host made a pack up":       func(e *evidence) { e.log = e.log[2:3] },
		"a device was not given back": func(e *evidence) { e.log = e.log[:4] },
		"an end without a beginning":  func(e *evidence) { e.log = append(e.log, line{"h-9", "a", true, 3}) },
	} {
		e := good()
		spoil(&e)
		if wrong := e.check(); len(wrong) == 0 {
			t.Errorf("%s: the checker finds nothing", name)
		}
	}
}
