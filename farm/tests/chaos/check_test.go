package chaos

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/runner/run"
)

// evidence is what is known about a run afterwards.
type evidence struct {
	want     []string          // the packs, in the order of the plan, with their results
	got      []string          // those that the client received
	devices  map[string]string // of the packs
	accepted map[string]int    // number of results accepted by the database, by pack
	by       map[string]string // the device of the accepted result
	left     int               // rows of waiting or running cases
	log      []line            // of the devices
	dead     map[int]bool      // processes of hosts that were killed
}

// check returns the defects; there must be none.
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
			say("%s has no name for the case that it ran", l.Device)
		}
		switch before, is := open[l.Device]; {
		case l.End && (!is || before.Pack != l.Pack):
			say("%s ended %s, which it had not started", l.Device, l.Pack)
		case l.End:
			delete(open, l.Device)
		case is && !e.dead[before.PID]:
			say("%s started %s while it ran %s", l.Device, l.Pack, before.Pack)
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
			say("the pack of %s names %s, which has not logged it", name, device)
		}
		if device := e.devices[name]; device != "" && e.accepted[name] == 0 {
			say("no result of %s was accepted", name)
		} else if by := e.by[name]; device != "" && by != device {
			say("%s came from %s, and the result of %s was accepted", name, device, by)
		}
	}
	for name, n := range e.accepted {
		if n > 1 {
			say("%d results of %s were accepted", n, name)
		}
	}
	return wrong
}

// watchAccepted adds a trigger to the database that records which results are accepted.
func watchAccepted(t testing.TB, address string) {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	must(t, err)
	_, _, err = db.Migrate(t.Context())
	must(t, err)
	const note = "INSERT INTO chaos_accepted (what, place, attempt, created, since) VALUES (NEW.what, NEW.host || ' ' " +
		"|| NEW.device, NEW.attempt, NEW.created, NEW.since)"
	list := []string{
		"CREATE TABLE chaos_accepted (what TEXT NOT NULL, place TEXT NOT NULL, attempt BIGINT NOT NULL, created BIGINT NOT " +
			"NULL, since BIGINT NOT NULL)"}
	if db.Kind() == "sqlite" {
		list = append(list, "CREATE TRIGGER chaos_ended AFTER UPDATE OF state ON farm_cases WHEN NEW.state = 'ended' BEGIN "+
			note+"; END")
	} else {
		list = append(list, "CREATE FUNCTION chaos_note() RETURNS trigger AS $$ BEGIN "+note+
			"; RETURN NEW; END $$ LANGUAGE plpgsql",
			"CREATE TRIGGER chaos_ended AFTER UPDATE OF state ON farm_cases FOR EACH ROW WHEN (NEW.state = 'ended') EXECUTE "+
				"FUNCTION chaos_note()")
	}
	for _, statement := range list {
		_, err = db.Exec(t.Context(), statement)
		must(t, err)
	}
	must(t, db.Close())
}

// home is the outcome of a case at the client.
type home struct {
	Pack, Result string
	Device       string // "": it ran on none
	Error        string
}

func homeOf(o run.Outcome) home {
	if o.CaseResult == nil {
		return home{Pack: o.Case.Pack, Result: "none", Error: fmt.Sprint(o.Err)}
	}
	h := home{Pack: filepath.Base(o.Dir), Result: string(o.Result())}
	if o.Err != nil {
		h.Error = o.Err.Error()
	}
	if o.CaseResult.Result != event.Skipped {
		h.Device = o.CaseResult.Case.Device
	}
	if o.CaseResult.Problem != nil && o.CaseResult.Result == event.Error {
		h.Error = strings.TrimSpace(h.Error + " " + o.CaseResult.Problem.Message)
	}
	return h
}

// collect gathers the evidence of a run.
func collect(t testing.TB, address, log string, homes []home) evidence {
	t.Helper()
	e := evidence{devices: map[string]string{}, accepted: map[string]int{}, by: map[string]string{}, dead: map[int]bool{}}
	for _, h := range homes {
		e.take(h)
	}
	db, err := store.Open(t.Context(), address)
	must(t, err)
	must(t, e.readSQL(t.Context(), db))
	must(t, db.Close())
	e.log, err = readLog(log)
	must(t, err)
	return e
}

func (e *evidence) take(h home) {
	text := h.Pack + " " + h.Result
	if h.Error != "" {
		text += " (" + h.Error + ")"
	}
	e.got = append(e.got, text)
	if h.Device != "" {
		e.devices[h.Pack] = h.Device
	}
}

func (e *evidence) readSQL(ctx context.Context, db *store.DB) error {
	err := db.Each(ctx, "SELECT what, place FROM chaos_accepted", nil, func(scan func(...any) error) error {
		var text, place string
		var what struct{ Pack string }
		if err := scan(&text, &place); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(text), &what)
		e.accepted[what.Pack]++
		_, e.by[what.Pack], _ = strings.Cut(place, " ")
		return err
	})
	if err != nil {
		return err
	}
	return db.One(ctx, "SELECT COUNT(*) FROM farm_cases WHERE state IN ('waiting', 'running')", nil, &e.left)
}

// readLog reads what the devices wrote. A process that was killed may have left an incomplete line.
func readLog(file string) (list []line, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		list = append(list, l)
	}
	return list, nil
}

// TestCheckerFindsDefects checks that correct evidence has no defect, and that each defect that is added is found.
func TestCheckerFindsDefects(t *testing.T) {
	good := func() evidence {
		return evidence{want: []string{"a pass", "b fail", "c skipped"}, got: []string{"a pass", "b fail", "c skipped"},
			devices:  map[string]string{"a": "h-0", "b": "h-1"},
			accepted: map[string]int{"a": 1, "b": 1}, by: map[string]string{"a": "h-0", "b": "h-1"}, dead: map[int]bool{7: true},
			log: []line{{"h-0", "b", false, 7, 0}, {"h-0", "a", false, 1, 0}, {"h-1", "b", false, 2, 0},
				{"h-0", "a", true, 1, 0}, {"h-1", "b", true, 2, 0}}}
	}
	if wrong := good().check(); len(wrong) > 0 {
		t.Errorf("good evidence: %q", wrong)
	}
	for name, spoil := range map[string]func(*evidence){
		"a pack is lost":                             func(e *evidence) { e.got = e.got[1:] },
		"a pack came twice":                          func(e *evidence) { e.got = append(e.got, "a pass") },
		"the order differs":                          func(e *evidence) { e.got[0], e.got[1] = e.got[1], e.got[0] },
		"a result differs":                           func(e *evidence) { e.got[1] = "b pass" },
		"a result was accepted twice":                func(e *evidence) { e.accepted["a"] = 2 },
		"the pack is not the one that was accepted":  func(e *evidence) { e.by["a"] = "h-1" },
		"two results, of which the client left both": func(e *evidence) { e.accepted["x"] = 2 },
		"a result was never accepted":                func(e *evidence) { e.accepted["b"] = 0 },
		"a case is left":                             func(e *evidence) { e.left = 1 },
		"a device ran two at once": func(e *evidence) {
			e.log = append(e.log[:2], append([]line{{"h-0", "b", false, 1, 0}}, e.log[2:]...)...)
		},
		"a pack names another device": func(e *evidence) { e.devices["a"], e.by["a"] = "h-1", "h-1" },
		"a host made a pack up":       func(e *evidence) { e.log = e.log[2:3] },
		"a device was not released":   func(e *evidence) { e.log = e.log[:4] },
		"an end without a start":      func(e *evidence) { e.log = append(e.log, line{"h-9", "a", true, 3, 0}) },
	} {
		e := good()
		spoil(&e)
		if wrong := e.check(); len(wrong) == 0 {
			t.Errorf("%s: the checker finds nothing", name)
		}
	}
}
