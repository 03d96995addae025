package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/jobs"
)

// device is the record of a device in the API, and who uses it.
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
	LeasedSince  *time.Time `json:"leasedSince"`
	Reservations []struct {
		From, Until time.Time
		Holder, Why string
	} `json:"reservations"`
	Recording *struct {
		State, Problem string
		Since, Until   time.Time
		Size           int64
	} `json:"recording"`

	Host   string     `json:"host"` // of a farm
	Pool   string     `json:"pool"`
	Use    string     `json:"use"`
	Why    string     `json:"why"` // why it is blocked
	Holder string     `json:"holder"`
	Since  *time.Time `json:"since"`

	Run, Test string // of this project, that is running on it
}

// Name returns the name of the device for people.
func (d device) Name() string {
	name := strings.TrimSpace(d.Manufacturer + " " + d.Model)
	if name == "" {
		return d.ID
	}
	return name
}

// name returns the name of the holder, or of the owner of the reservation, as people know them.
func (d *device) name(names *strings.Replacer) {
	d.Holder = names.Replace(d.Holder)
	if d.Lease != nil {
		d.Lease.Holder = names.Replace(d.Lease.Holder)
	}
	for i := range d.Reservations {
		d.Reservations[i].Holder = names.Replace(d.Reservations[i].Holder)
	}
}

// IsRecorded reports whether the screen is being recorded.
func (d device) IsRecorded() bool {
	return d.Recording != nil && (d.Recording.State == "recording" || d.Recording.State == "writing")
}

func (c *Console) devicesPage(q *request) error { return q.devicesWith(nil) }

func (q *request) devicesWith(failed error) error {
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
		d.name(names)
		for _, r := range records {
			if at := slices.IndexFunc(r.Cases, func(k jobs.Case) bool {
				return k.State == jobs.Running &&
					k.Device == d.ID
			}); at >= 0 && r.State != jobs.Ended {
				d.Run, d.Test = r.ID, r.Cases[at].Test
			}
		}
	}
	v := view{Title: "Devices", Tab: "devices", D: list}
	if failed != nil {
		return q.showFormAgain("devices", v, failed)
	}
	return q.show("devices", v)
}

// ofDevice returns a path of the API below a device. IDs may contain spaces.
func (q *request) ofDevice(rest string) string { return "/devices/" + q.r.PathValue("device") + rest }

// record starts a recording of a device's screen.
func (c *Console) record(q *request) error {
	if err := q.call("POST", q.ofDevice("/recording"), nil, nil); err != nil {
		return q.devicesWith(err)
	}
	return q.done(q.base()+"/devices", "recording")
}

func (c *Console) stopRecording(q *request) error {
	if err := q.call("POST", q.ofDevice("/recording/stop"), nil, nil); err != nil {
		return q.devicesWith(err)
	}
	return q.done(q.base()+"/devices", "recorded")
}

func (c *Console) deleteRecording(q *request) error {
	if err := q.call("DELETE", q.ofDevice("/recording"), nil, nil); err != nil {
		return q.devicesWith(err)
	}
	return q.done(q.base()+"/devices", "recording-deleted")
}

// recordingVideo passes a video on without changes.
func (c *Console) recordingVideo(q *request) error {
	if err := q.send(q.ask(http.MethodHead, q.ofDevice("/recording/video"), nil, ""), nil); err != nil {
		return err
	}
	r := q.ask(q.r.Method, q.ofDevice("/recording/video"), nil, "")
	if part := q.r.Header.Get("Range"); part != "" {
		r.Header.Set("Range", part)
	}
	c.o.API(q.w, r, q.person.In(q.project))
	return nil
}
