package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/service"
)

// callerHeader is the header in which a hub names the sender of a request to a host.
const callerHeader = "Taproot-Caller"

// callerInfo is the content of callerHeader. The hub has already authenticated, authorized and counted the caller.
type callerInfo struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Project string `json:"project"`
	Days    int    `json:"days"` // how many days its reports are kept
	Runs    int    `json:"runs"`
	Admin   bool   `json:"admin,omitempty"` // is an admin of the project
}

// encodeCaller encodes a caller for callerHeader.
func (s *Server) encodeCaller(c caller) string {
	i := callerInfo{Name: c.Name, Address: c.addr, Project: s.o.projectID, Admin: c.isAdmin()}
	if c.member != nil && c.member.Project != nil {
		i.Days, i.Runs = c.member.Project.ReportDays, c.member.Project.ReportRuns
	}
	text, err := json.Marshal(i)
	if err != nil {
		return "" // the host rejects it
	}
	return string(text)
}

// admitHub returns the caller that the hub named. Only hubs can open NATS connections to a host, so the header is
// trusted on these connections only.
func (s *Server) admitHub(r *http.Request) (caller, *Error) {
	var i callerInfo
	conn, ok := r.Context().Value(connKey{}).(*strictConn)
	if ok {
		_, ok = conn.Conn.(*wire.Conn)
	}
	all := r.Header.Values(callerHeader)
	if !ok || len(all) != 1 || json.Unmarshal([]byte(all[0]), &i) != nil || i.Project != "" && !wire.IsName(i.Project) {
		return caller{}, fault(http.StatusUnauthorized, codeMissingToken, "a host accepts requests of hubs only")
	}
	c := caller{Identity: auth.Identity{Name: i.Name}, addr: i.Address, admin: i.Admin, lease: r.Header.Get("X-Lease")}
	if i.Project != "" {
		c.project = &service.ProjectInfo{ID: i.Project, ReportDays: i.Days, ReportRuns: i.Runs}
	}
	return c, nil
}

// FarmDevices lists the devices of this host for hubs.
func (s *Server) FarmDevices(ctx context.Context) ([]wire.Device, error) {
	infos, err := s.devices.List(ctx)
	list := []wire.Device{}
	for _, info := range infos {
		if info.Platform == dsl.Web { // pages belong to one project
			continue
		}
		d := wire.Device{Info: info}
		if h, busy := s.pool.Busy(info.ID); busy {
			since := s.pool.There(h.Since).UTC()
			d.LeasedSince = &since
		}
		for _, r := range s.pool.Reservations(info.ID) {
			d.Reserved = append(d.Reserved, wire.Lease{Project: r.Project, Holder: r.Who, Why: r.Why, ID: reservationID(r),
				By: r.By, Since: r.From, Until: r.Until})
		}
		list = append(list, d)
	}
	for project, own := range s.spaces.all(s) {
		list = own.addTo(list, project)
	}
	return list, err
}

// all returns the servers of the projects, and the one without a project.
func (p *spaces) all(s *Server) map[string]*Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]*Server{"": s}
	for id, own := range p.byID {
		all[id] = own
	}
	return all
}

// addTo adds to the devices what a project sees of them, and its pages.
func (s *Server) addTo(list []wire.Device, project string) []wire.Device {
	open := s.opened()
	for i := range list {
		d := &list[i]
		record := s.deviceRecord(d.Info, open, caller{})
		if l := record.Lease; l != nil {
			d.Leases = append(d.Leases, wire.Lease{Project: project, Holder: l.Holder, Since: l.Since, Until: l.Until})
		}
		if d.Only == "" && (record.Open || record.Lease != nil || record.Recording != nil) {
			record.addRecord(d, project)
		}
	}
	for _, status := range open {
		if status.Info.Platform != dsl.Web {
			continue
		}
		d := wire.Device{Info: status.Info, Only: project}
		s.deviceRecord(status.Info, open, caller{}).addRecord(&d, project)
		list = append(list, d)
	}
	return list
}

// addRecord adds the record that a project sees.
func (d Device) addRecord(to *wire.Device, project string) {
	text, err := json.Marshal(d)
	if err != nil {
		return // the device then has no record
	}
	if to.Records == nil {
		to.Records = map[string]json.RawMessage{}
	}
	to.Records[project] = text
}
