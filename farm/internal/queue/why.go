package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/store"
)

// CaseStatus is the state of a case, with an explanation.
type CaseStatus struct {
	State   string // waiting, running, ended or withdrawn
	Attempt int
	Host    string
	Device  string
	Since   time.Time // when it was added, or when the attempt started
	Why     string    // one sentence: why it waits, or where it runs
}

// Why returns the state of a case and the reason why it waits. all is all devices, busy those of them that are used
// without a case, by HOST/ID.
func (q *Queue) Why(ctx context.Context, run string, n int, all []Device, busy map[string]bool) (p CaseStatus,
	err error) {
	var project, kind, needs, several string
	var rank, created, since int64
	err = q.db.One(ctx,
		"SELECT c.project, c.kind, c.rank, c.created, c.state, c.attempt, c.host, c.device, c.devices, c.since, l.needs "+
			"FROM farm_cases c JOIN farm_lines l ON l.project = c.project AND l.kind = c.kind WHERE c.run = $1 AND c.n = $2",
		[]any{run, n}, &project, &kind, &rank, &created, &p.State, &p.Attempt, &p.Host, &p.Device, &several, &since,
		&needs)
	if errors.Is(err, store.ErrNoRow) {
		return p, ErrNoRun
	}
	if err != nil {
		return p, err
	}
	p.Since = store.Moment(since)
	switch p.State {
	case running:
		p.Why = fmt.Sprintf("it runs on %s of host %s", p.Device, p.Host)
		list, err := placesIn(several)
		if len(list) > 0 {
			p.Device = devicesOf(p.Device, list)
			p.Why = fmt.Sprintf("it runs on host %s, with %s", p.Host, p.Device)
		}
		return p, err
	case ended, withdrawn:
		p.Why = "it has " + map[string]string{ended: "ended", withdrawn: "been withdrawn"}[p.State]
		return p, nil
	}
	p.Since = store.Moment(created)
	var want Needs
	if err := json.Unmarshal([]byte(needs), &want); err != nil {
		return p, err
	}
	a := asked{project: project, needs: want}
	err = q.db.One(ctx,
		"SELECT (SELECT COUNT(*) FROM farm_cases WHERE state = 'waiting' AND project = $1 AND kind = $2 AND (rank < $3 OR "+
			"rank = $3 AND (run < $4 OR run = $4 AND n < $5))), "+
			"(SELECT COUNT(*) FROM farm_cases WHERE state = 'running' AND project = $1), (SELECT most FROM farm_projects "+
			"WHERE id = $1)", []any{project, kind, rank, run, n}, &a.before, &a.running, &a.most)
	if err != nil {
		return p, err
	}
	under, _, err := q.UnderWay(ctx, "")
	if err != nil {
		return p, err
	}
	a.held = map[string]string{}
	for key := range busy {
		a.held[key] = ""
	}
	for _, u := range under {
		a.held[Device{Host: u.Host, ID: u.Device}.key()] = u.Project
		for _, one := range u.Devices {
			a.held[keyOf(one)] = u.Project
		}
	}
	p.Why = a.why(all)
	return p, nil
}

// asked is what is known about a waiting case.
type asked struct {
	project               string
	needs                 Needs
	before, running, most int
	held                  map[string]string // the project that uses a device; "": used without a case
}

func (a asked) why(all []Device) string {
	if len(a.needs.Devices) > 0 {
		return a.whySeveral(all)
	}
	var own, foreign, held int
	suits, lacking := a.suitable(all)
	for _, d := range suits {
		switch who, taken := a.held[d.key()]; {
		case !taken:
		case who == a.project:
			own++
		case who == "":
			held++
		default:
			foreign++
		}
	}
	fit := len(suits)
	switch {
	case fit == 0:
		return a.none(lacking)
	case a.most > 0 && a.running >= a.most:
		return a.limited()
	case own+foreign+held >= fit && fit == 1:
		by := "leased or reserved"
		switch {
		case own > 0:
			by = "by its project"
		case foreign > 0:
			by = "by another project"
		}
		return fmt.Sprintf("the device that suits it is in use, %s; before it: %s of its project", by,
			phrase.Plural(a.before, "case"))
	case own+foreign+held >= fit:
		return fmt.Sprintf(
			"all %d devices that suit it are in use: %d by its project, %d by others, %d leased or reserved; before it: %s of "+
				"its project", fit, own, foreign, held, phrase.Plural(a.before, "case"))
	case a.before > 0:
		return fmt.Sprintf("before it: %s of its project; %d of the %d devices that suit it are free",
			phrase.Plural(a.before, "case"), fit-own-foreign-held, fit)
	}
	return fmt.Sprintf(
		"it starts next, or after other projects and cases that can use fewer devices: %d of the %d devices that suit it "+
			"are free", fit-own-foreign-held, fit)
}

// suitable returns the devices that suit the case, and what others of its platform lack.
func (a asked) suitable(all []Device) (suits []Device, lacking []string) {
	lacks := map[string]bool{}
	for _, d := range all {
		if d.kept(a.project) {
			continue // the names of other projects' devices are private
		}
		unmet := a.needs.Unmet(a.project, d)
		if unmet == "" {
			suits = append(suits, d)
		} else if d.Platform == a.needs.Platform && !lacks[unmet] && len(lacking) < 3 {
			lacks[unmet] = true
			lacking = append(lacking, d.ID+": "+unmet)
		}
	}
	return suits, lacking
}

// none says that no host has a suitable device.
func (a asked) none(lacking []string) string {
	if len(lacking) > 0 {
		return fmt.Sprintf("no device has what it needs (%s): %s", a.needs, strings.Join(lacking, "; "))
	}
	return fmt.Sprintf("no host has a device that it needs (%s)", a.needs)
}

// limited says that the operator's limit of the project is reached.
func (a asked) limited() string {
	return fmt.Sprintf("its project has %s running, and the operator's limit is %d at once; before it: %s of its project",
		phrase.Plural(a.running, "case"), a.most, phrase.Plural(a.before, "case"))
}

// Line is the waiting cases of a project with the same needs.
type Line struct {
	Needs   Needs
	Waiting int
	Run     string // run and number of the first case
	N       int
}

// Lines lists the waiting cases of a project.
func (q *Queue) Lines(ctx context.Context, project string) (list []Line, err error) {
	err = q.db.Each(ctx,
		"SELECT l.needs, l.waiting, c.run, c.n FROM farm_lines l JOIN farm_cases c ON c.project = l.project AND c.kind = "+
			"l.kind AND c.state = 'waiting' WHERE l.project = $1 AND l.waiting > 0 "+
			"AND NOT EXISTS (SELECT 1 FROM farm_cases b WHERE b.state = 'waiting' AND b.project = c.project AND b.kind = "+
			"c.kind AND (b.rank < c.rank OR b.rank = c.rank AND (b.run < c.run OR b.run = c.run AND b.n < c.n))) ORDER BY "+
			"l.kind",
		[]any{project}, func(scan func(...any) error) error {
			var l Line
			var needs string
			if err := scan(&needs, &l.Waiting, &l.Run, &l.N); err != nil {
				return err
			}
			list = append(list, l)
			return json.Unmarshal([]byte(needs), &list[len(list)-1].Needs)
		})
	return list, err
}
