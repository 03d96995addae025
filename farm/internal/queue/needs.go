package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Needs is what a case requires of its device. Cases with the same needs wait in one line.
type Needs struct {
	Platform dsl.Platform `json:"platform"`
	Browser  string       `json:"browser,omitempty"`
	Device   string       `json:"device,omitempty"` // only this one, by its id
	Avoid    string       `json:"avoid,omitempty"`  // not this one: the case has lost it
	Need     dsl.Need     `json:"need,omitzero"`    // system, model, size
	Pool     string       `json:"pool,omitempty"`
	Labels   []string     `json:"labels,omitempty"` // all of them
	Local    string       `json:"local,omitempty"`  // why no device of a remote can run it; "": one can
	// Devices are those of a case with several. Pool, Labels and Avoid are for each of them, Platform is the first one's.
	Devices []dsl.Entry `json:"devices,omitempty"`
}

// Device is a device of a host.
type Device struct {
	Host         string
	ID           string
	Platform     dsl.Platform
	Model        string
	Manufacturer string // tests may use it in the model's name
	OS           string // version
	Width        int    // of the screen, pixels
	Height       int
	Pool         string
	Labels       []string
	Remote       string   // that it is a session of; "": it is the host's own
	Browsers     []string // for pages; empty: unknown
	Projects     []string // that may use it; empty: all
	Blocked      string   // why no case can run on it now; "": it is not blocked
}

// key identifies the device in the table and among the free devices.
func (d Device) key() string { return d.Host + "/" + d.ID }

// kept reports whether only other projects may use it.
func (d Device) kept(project string) bool {
	return len(d.Projects) > 0 && !slices.Contains(d.Projects, project)
}

// Kept reports whether a case names a device that only other projects may use.
func (n Needs) Kept(project string, all []Device) bool {
	named := slices.DeleteFunc(slices.Clone(all), func(d Device) bool {
		return n.Device != d.ID && n.Device != d.ID+"@"+
			d.Host
	})
	return len(named) > 0 && !slices.ContainsFunc(named, func(d Device) bool { return !d.kept(project) })
}

// class returns a text that is the same for devices that no case distinguishes.
func (d Device) class() string {
	return fmt.Sprintf("%s|%s|%s|%s|%dx%d|%s|%q|%t|%q|%q", d.Platform, d.Manufacturer, d.Model, d.OS, d.Width, d.Height,
		d.Pool, d.Labels, d.Remote != "", d.Browsers, d.Projects)
}

// Unmet returns what a device lacks for a project's case, or "" if it is suitable. A device that the case has lost is
// not suitable, unless it is of a remote: that opens a new session each time.
// For a case with several devices, it is suitable if one of them can be it.
func (n Needs) Unmet(project string, d Device) string {
	if len(n.Devices) > 0 {
		return unmetAll(n.each(), project, d)
	}
	switch {
	case n.Platform != d.Platform:
		return fmt.Sprintf("%s is wanted, and it is %s", n.Platform, d.Platform)
	case n.Device != "" && n.Device != d.ID && n.Device != d.ID+"@"+d.Host:
		return "another device was named"
	case n.Avoid != "" && d.Remote == "" && (n.Avoid == d.ID || n.Avoid == d.ID+"@"+d.Host):
		return "the test was lost with it before"
	case d.kept(project):
		return "it belongs to other projects"
	case n.Pool != "" && n.Pool != d.Pool:
		return fmt.Sprintf("pool %s is wanted, and it is in %s", n.Pool, orNone(d.Pool))
	case n.Browser != "" && len(d.Browsers) > 0 && !slices.Contains(d.Browsers, n.Browser):
		if d.Remote != "" {
			return fmt.Sprintf("%s is wanted, and the remote %s has another browser", n.Browser, d.Remote)
		}
		return n.Browser + " is wanted, and its host has none"
	case n.Local != "" && d.Remote != "":
		return n.Local
	}
	for _, l := range n.Labels {
		if !slices.Contains(d.Labels, l) {
			return fmt.Sprintf("label %s is wanted", l)
		}
	}
	why := n.Need.Unmet(dsl.DeviceFacts{OS: d.OS, Manufacturer: d.Manufacturer, Model: d.Model, Width: d.Width,
		Height: d.Height})
	if why == "" && d.Blocked != "" {
		return "it is blocked: " + d.Blocked
	}
	return why
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// String describes the needs: "android, model Pixel *, pool lab".
func (n Needs) String() string {
	if len(n.Devices) > 0 {
		var all []string
		for _, e := range n.each() {
			all = append(all, e.Name+": "+e.Needs.String())
		}
		return strings.Join(all, "; ")
	}
	words := []string{string(n.Platform)}
	for _, w := range [][2]string{{"browser", n.Browser}, {"device", n.Device}, {"not", n.Avoid}, {"os", n.Need.OS},
		{"model", n.Need.Model}, {"size", n.Need.Size}, {"pool", n.Pool}, {"labels", strings.Join(n.Labels, " ")}} {
		if w[1] != "" {
			words = append(words, w[0]+" "+w[1])
		}
	}
	return strings.Join(words, ", ")
}

// kind returns the key of the line with these needs, and the needs as JSON.
func (n Needs) kind() (kind, text string) {
	n.Labels = slices.Compact(slices.Sorted(slices.Values(n.Labels)))
	data, _ := json.Marshal(n) // cannot fail: strings only
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12]), string(data)
}
