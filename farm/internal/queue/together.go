package queue

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/seats"
)

// named is what a case requires of one of its several devices.
type named struct {
	Name string
	Needs
}

// each returns what a case requires of each of its devices; nil when it has one.
func (n Needs) each() (list []named) {
	for _, e := range n.Devices {
		in, labels, need := e.Need.Placed()
		if in == "" {
			in = n.Pool
		}
		list = append(list, named{e.Name, Needs{Platform: e.Platform, Browser: e.Browser, Avoid: n.Avoid, Need: need,
			Pool: in, Labels: slices.Concat(n.Labels, labels), Local: "devices of remotes are for tests with one device"}})
	}
	return list
}

// unmetAll returns why a device is for none of a case's entries, or "" if it is for one.
func unmetAll(entries []named, project string, d Device) string {
	var why []string
	for _, e := range entries {
		unmet := e.Unmet(project, d)
		if unmet == "" {
			return ""
		}
		why = append(why, e.Name+": "+unmet)
	}
	return strings.Join(why, ", ")
}

// choices lists the devices that suit each entry.
func choices(entries []named, project string, devices []Device) [][]Device {
	list := make([][]Device, len(entries))
	for i, e := range entries {
		for _, d := range devices {
			if e.Unmet(project, d) == "" {
				list[i] = append(list[i], d)
			}
		}
	}
	return list
}

// together picks a different device for each entry, in their order; nil: there are not enough. Phones with Android can
// be on any hosts. All other devices are on the host that runs the test (runsOn), because only the connection of adb
// leads to another host. Devices of one host are preferred: their calls take no detour.
func together(entries []named, project string, devices []Device) []Device {
	all := choices(entries, project, devices)
	hosts := map[string]bool{}
	for _, list := range all {
		for _, d := range list {
			hosts[d.Host] = true
		}
	}
	for _, spread := range []bool{false, true} {
		for _, host := range slices.Sorted(maps.Keys(hosts)) {
			near := make([][]Device, len(all))
			for i, list := range all {
				for _, d := range list {
					if d.Host == host || spread && lendable(d) {
						near[i] = append(near[i], d)
					}
				}
			}
			if picked := seats.Assign(near, Device.key); !slices.Contains(picked, -1) {
				out := make([]Device, len(picked))
				for i, n := range picked {
					out[i] = near[i][n]
				}
				return out
			}
		}
	}
	return nil
}

// lendable reports whether a host can lend the device to another one.
func lendable(d Device) bool { return d.Platform == dsl.Android }

// runsOn returns the device of which the host runs a case with these devices: one that cannot be lent, else the first.
func runsOn(devices []Device) Device {
	if i := slices.IndexFunc(devices, func(d Device) bool { return !lendable(d) }); i >= 0 {
		return devices[i]
	}
	return devices[0]
}

// places returns the devices of the entries.
func places(entries []named, devices []Device) (list []seats.Seat) {
	for i, d := range devices {
		list = append(list, seats.Seat{Name: entries[i].Name, Host: d.Host, Device: d.ID})
	}
	return list
}

// placesIn reads the column of a case's devices; "" is a case with one.
func placesIn(text string) (list []seats.Seat, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &list)
	}
	return list, err
}

// devicesOf names the devices of a running case.
func devicesOf(device string, several []seats.Seat) string {
	if len(several) == 0 {
		return device
	}
	words := make([]string, len(several))
	for i, p := range several {
		words[i] = p.String()
	}
	return strings.Join(words, ", ")
}

// keyOf is the key of a Device.
func keyOf(p seats.Seat) string { return Device{Host: p.Host, ID: p.Device}.key() }

// together picks free devices for the head of a line with several; nil: there are not enough.
func (b *board) together(l *line) []Device {
	late := l.heads[0].created <= b.late
	var free []Device
	for _, c := range b.classes {
		if slices.Contains(c.lines, l) && (late || !kept(c, l)) {
			free = append(free, c.free...)
		}
	}
	return together(l.needs.each(), l.of.name, free)
}

// hold keeps free devices for the case with several that has waited longest, if it has waited for too long: else cases
// with one device could take each of them for ever. Only one case holds devices, so that no two wait for each other.
func (b *board) hold() {
	var oldest *line
	for _, l := range b.lines {
		if len(l.needs.Devices) > 0 && len(l.heads) > 0 && !l.of.full() && l.heads[0].created <= b.late &&
			(oldest == nil || l.heads[0].created < oldest.heads[0].created) {
			oldest = l
		}
	}
	if oldest == nil || b.together(oldest) != nil {
		return
	}
	var free []Device
	for _, c := range b.classes {
		free = append(free, c.free...)
	}
	list := choices(oldest.needs.each(), oldest.of.name, free)
	for i, n := range seats.Assign(list, Device.key) {
		if n >= 0 {
			b.remove(list[i][n])
		}
	}
}

// remove takes a device out of the free ones.
func (b *board) remove(d Device) {
	for _, c := range b.classes {
		i := slices.IndexFunc(c.free, func(one Device) bool { return one.key() == d.key() })
		if i < 0 {
			continue
		}
		c.free = slices.Delete(c.free, i, i+1)
		for _, l := range c.lines {
			l.free--
		}
	}
}

// lacking says, of a case with several devices, which of them no host has; "": there are enough.
func (a asked) lacking(all []Device) string {
	entries := a.needs.each()
	if together(entries, a.project, all) != nil {
		return ""
	}
	var lacks []string
	for _, e := range entries {
		one := asked{project: a.project, needs: e.Needs}
		if fit, lacking := one.suitable(all); len(fit) == 0 {
			lacks = append(lacks, e.Name+": "+one.none(lacking))
		}
	}
	if len(lacks) == 0 {
		lacks = []string{"each is there, but not all at once: a device is for one of them, and those that are not phones " +
			"with Android must be on one host"}
	}
	return fmt.Sprintf("the test needs %d devices at once, and the hosts do not have all: %s", len(entries),
		strings.Join(lacks, "; "))
}

// whySeveral says why a case with several devices waits.
func (a asked) whySeveral(all []Device) string {
	all = slices.DeleteFunc(slices.Clone(all), func(d Device) bool { return d.kept(a.project) })
	if lacks := a.lacking(all); lacks != "" {
		return lacks
	}
	if a.most > 0 && a.running >= a.most {
		return a.limited()
	}
	free := slices.DeleteFunc(slices.Clone(all), func(d Device) bool { _, taken := a.held[d.key()]; return taken })
	entries := a.needs.each()
	if together(entries, a.project, free) != nil {
		return fmt.Sprintf("it starts next, or after other projects; before it: %s of its project",
			phrase.Plural(a.before, "case"))
	}
	var list []string
	for i, suits := range choices(entries, a.project, all) {
		var used []string
		for _, d := range suits {
			who, taken := a.held[d.key()]
			by := "leased or reserved"
			switch {
			case !taken:
				continue
			case who == a.project:
				by = "by its project"
			case who != "":
				by = "by another project"
			}
			used = append(used, fmt.Sprintf("%s@%s (%s)", d.ID, d.Host, by))
		}
		if len(used) > 0 {
			list = append(list, entries[i].Name+": "+strings.Join(used, ", "))
		}
	}
	return fmt.Sprintf("it waits for devices that are in use: %s; before it: %s of its project", strings.Join(list, "; "),
		phrase.Plural(a.before, "case"))
}
