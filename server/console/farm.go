package console

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/service"
)

// farmState is the state of a farm in the API.
type farmState struct {
	Hosts   []hub.Host
	Devices []device
	Queue   []struct {
		Needs, Why string
		Waiting    int
	}
	Running []struct {
		Run, Test, Device, Host string
		Attempt                 int
		Since                   time.Time
	}
}

// farmView is the data of the page of the farm.
type farmView struct {
	farmState
	Uses    []farmUse
	Waiting int
}

// farmUse is how many devices have a state.
type farmUse struct {
	Use, Words string
	Count      int
}

// farmPage shows the farm as a project sees it: the states of devices, what runs, what waits and why.
func (c *Console) farmPage(q *request) error {
	if c.o.Farm == nil {
		return &service.Error{Status: http.StatusNotFound, Code: service.ErrNotFound.Code,
			Message: service.ErrNotFound.Message}
	}
	var v farmView
	if err := q.call("GET", "/farm", nil, &v.farmState); err != nil {
		return err
	}
	names, err := q.names()
	if err != nil {
		return err
	}
	for _, use := range []farmUse{{Use: "free", Words: "free"}, {Use: "busy", Words: "in use"},
		{Use: "leased", Words: "leased"}, {Use: "blocked", Words: "blocked"}} {
		for _, d := range v.Devices {
			if d.Use == use.Use {
				use.Count++
			}
		}
		v.Uses = append(v.Uses, use)
	}
	for i := range v.Devices {
		d := &v.Devices[i]
		d.name(names)
	}
	order := []string{"blocked", "leased", "busy", "free"}
	slices.SortStableFunc(v.Devices, func(a, b device) int {
		return cmp.Compare(slices.Index(order, a.Use), slices.Index(order, b.Use))
	})
	for _, l := range v.Queue {
		v.Waiting += l.Waiting
	}
	return q.show("farm", view{Title: "Farm", Tab: "farm", D: v})
}
