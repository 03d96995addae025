package console

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// devicePages has the pages of a project's devices, and passes requests of Studio's page on to the API.
type devicePages struct {
	api        apiCall
	studioPage func(w http.ResponseWriter, device, base string, acts bool)
	farm       *hub.Hub // nil: there is none
}

// device is the record of a device in the API, and who uses it.
type device struct {
	ID           string `json:"id"`
	Platform     string `json:"platform"`
	State        string `json:"state"`
	Problem      string `json:"problem"`
	Remote       string `json:"remote"`
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

func (c *devicePages) page(q *request) error { return c.show(q, nil) }

func (c *devicePages) show(q *request, failed error) error {
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
func (c *devicePages) record(q *request) error {
	if err := q.call("POST", q.ofDevice("/recording"), nil, nil); err != nil {
		return c.show(q, err)
	}
	return q.done(q.base()+"/devices", "recording")
}

func (c *devicePages) stopRecording(q *request) error {
	if err := q.call("POST", q.ofDevice("/recording/stop"), nil, nil); err != nil {
		return c.show(q, err)
	}
	return q.done(q.base()+"/devices", "recorded")
}

func (c *devicePages) deleteRecording(q *request) error {
	if err := q.call("DELETE", q.ofDevice("/recording"), nil, nil); err != nil {
		return c.show(q, err)
	}
	return q.done(q.base()+"/devices", "recording-deleted")
}

// video passes a video on without changes.
func (c *devicePages) video(q *request) error {
	if err := q.send(q.ask(http.MethodHead, q.ofDevice("/recording/video"), nil, ""), nil); err != nil {
		return err
	}
	r := q.ask(q.r.Method, q.ofDevice("/recording/video"), nil, "")
	if part := q.r.Header.Get("Range"); part != "" {
		r.Header.Set("Range", part)
	}
	c.api(q.w, r, q.person.In(q.project))
	return nil
}

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
func (c *devicePages) farmPage(q *request) error {
	if c.farm == nil {
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

// studio is the page on which a device is shown live.
func (c *devicePages) studio(q *request) error {
	c.studioPage(q.w, q.r.PathValue("device"), q.base(), q.project.Role.Covers(service.RoleMember))
	return nil
}

// pass handles a request of the API by Studio's page: those about devices, and the validation of a test. The API checks
// the permission.
func (c *devicePages) pass(q *request) error {
	at := "/" + q.r.PathValue("path")
	if path.Clean(at) != at || !strings.HasPrefix(at, "/devices/") && at != "/tests/validate" {
		return service.ErrNotFound
	}
	r := q.ask(q.r.Method, "", nil, "")
	r.URL.Path, r.URL.RawQuery = at, q.r.URL.RawQuery
	r.Header = q.r.Header.Clone()
	for _, credential := range []string{"Cookie", "Authorization", "X-Api-Key", "X-Project"} {
		r.Header.Del(credential)
	}
	r.Body, r.ContentLength = q.r.Body, q.r.ContentLength
	c.api(q.w, r, q.person.In(q.project))
	return nil
}
