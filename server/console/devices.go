package console

import (
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/jobs"
)

// device is what the API says of one, and who uses it.
type device struct {
	ID           string `json:"id"`
	Platform     string `json:"platform"`
	State        string `json:"state"`
	Problem      string `json:"problem"`
	Model        string `json:"model"`
	Manufacturer string `json:"manufacturer"`
	OS           string `json:"os_version"`
	Lease        *struct {
		Holder string    `json:"holder"`
		Until  time.Time `json:"until"`
	} `json:"lease"`
	Busy *time.Time `json:"busySince"`

	Run, Test string // of this project, that is under way on it
}

// Name is how people call it.
func (d device) Name() string {
	name := strings.TrimSpace(d.Manufacturer + " " + d.Model)
	if name == "" {
		return d.ID
	}
	return name
}

func (c *Console) devicesPage(q *request) error {
	var list []device
	if err := q.call("GET", "/devices", nil, &list); err != nil {
		return err
	}
	var records []jobs.Record
	if err := q.call("GET", "/runs?limit=50", nil, &records); err != nil {
		return err
	}
	names, err := q.names()
	if err != nil {
		return err
	}
	for i := range list {
		d := &list[i]
		if d.Lease != nil {
			d.Lease.Holder = names.Replace(d.Lease.Holder)
		}
		for _, r := range records {
			if at := slices.IndexFunc(r.Cases, func(k jobs.Case) bool { return k.State == jobs.Running && k.Device == d.ID }); at >= 0 && r.State != jobs.Ended {
				d.Run, d.Test = r.ID, r.Cases[at].Test
			}
		}
	}
	return q.show("devices", view{Title: "Devices", Tab: "devices", D: list})
}
