package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"

	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server/internal/auth"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// The scopes of tokens.
const (
	ReadServer   = "server:read"
	ReadDevices  = "devices:read"
	WriteDevices = "devices:write"
	ReadRuns     = "runs:read"
	WriteRuns    = "runs:write"
	ReadReports  = "reports:read"
	WriteReports = "reports:write"
)

// ScopePerson is the scope of what persons do with their account and projects, which keys cannot.
const ScopePerson = "person"

// Access is what a route requires of a request.
type Access struct {
	Scope   string // scope that the credential must have; "": the route is public; "-": any valid credential
	Upload  bool   // accepts multipart/form-data of any length
	Free    bool   // not counted against rate limits
	Stream  bool   // continues until the client disconnects
	Pattern string
}

// Caller is the sender of a request.
type Caller struct {
	auth.Identity
	Addr    string
	Lease   string               // the ID of the lease that the request shows in X-Lease
	Member  *service.Caller      // with accounts: the person or key, and the project
	Project *service.ProjectInfo // on a host of a farm: the project that the hub named
	Admin   bool                 // on a host of a farm: the hub says that the caller is an admin of the project
}

// IsAdmin reports whether the caller is a person who is an admin of the project.
func (c Caller) IsAdmin() bool {
	return c.Admin || c.Member != nil && c.Member.Person != nil && c.Member.Project != nil &&
		c.Member.Project.Role.Covers(service.RoleAdmin)
}

type callerKey struct{}

// WithCaller returns the context of a request of a caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the sender of the request with this context.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Who names the caller in logs and leases.
func (c Caller) Who() string {
	if c.Name == "" {
		return "anonymous"
	}
	return c.Name
}

// RateKey is the key under which the caller's requests are counted for rate limits: the name of its credential, or else
// its IP address. The owner of one IPv6 address can use all 2^64 addresses of its /64 network, so requests are counted
// per network.
func (c Caller) RateKey() string {
	if c.Name != "" {
		return c.Name
	}
	if ip, err := netip.ParseAddr(c.Addr); err == nil && ip.Is6() {
		return "address " + netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
	}
	return "address " + c.Addr
}

// MayTakeBack reports whether the caller may end a reservation of the project that was made by the named credential.
func (c Caller) MayTakeBack(by string) bool { return by == c.Name || c.IsAdmin() }

// CallerHeader is the header in which a hub names the sender of a request to a host.
const CallerHeader = "Taproot-Caller"

// callerInfo is the content of CallerHeader. The hub has already authenticated, authorized and counted the caller.
type callerInfo struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Project string `json:"project"`
	Days    int    `json:"days"` // how many days its reports are kept
	Runs    int    `json:"runs"`
	Admin   bool   `json:"admin,omitempty"` // is an admin of the project
}

// Encode encodes a caller of a project for CallerHeader.
func (c Caller) Encode(project string) string {
	i := callerInfo{Name: c.Name, Address: c.Addr, Project: project, Admin: c.IsAdmin()}
	if c.Member != nil && c.Member.Project != nil {
		i.Days, i.Runs = c.Member.Project.ReportDays, c.Member.Project.ReportRuns
	}
	text, err := json.Marshal(i)
	if err != nil {
		return "" // the host rejects it
	}
	return string(text)
}

// admitHub returns the caller that the hub named. Only hubs can open NATS connections to a host, so the header is
// trusted on these connections only.
func admitHub(r *http.Request) (Caller, *Error) {
	var i callerInfo
	conn, ok := r.Context().Value(connKey{}).(*strictConn)
	if ok {
		_, ok = conn.Conn.(*wire.Conn)
	}
	all := r.Header.Values(CallerHeader)
	if !ok || len(all) != 1 || json.Unmarshal([]byte(all[0]), &i) != nil || i.Project != "" && !wire.IsName(i.Project) {
		return Caller{}, Fault(http.StatusUnauthorized, CodeMissingToken, "a host accepts requests of hubs only")
	}
	c := Caller{Identity: auth.Identity{Name: i.Name}, Addr: i.Address, Admin: i.Admin, Lease: r.Header.Get("X-Lease")}
	if i.Project != "" {
		c.Project = &service.ProjectInfo{ID: i.Project, ReportDays: i.Days, ReportRuns: i.Runs}
	}
	return c, nil
}

// HostHeader names the host on which a page is opened or open. Without it, that is this machine.
const HostHeader = "X-Host"
