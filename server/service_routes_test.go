package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/service"
)

// visitor is a caller with a credential in some state.
type visitor struct {
	header string // the credential's
	reads  string // scopes, one after the other, that it covers
	writes string
	person bool
	good   bool // the credential is
}

// TestEveryRouteRoleAndCredential walks every operation of the document as every role, with credentials in every state:
// an invalid credential is 401 everywhere, a missing scope or role 403, and a caller with permission gets neither.
func TestEveryRouteRoleAndCredential(t *testing.T) {
	t.Parallel()
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 1, with)
	project, visitors := visitorsOf(t, s)
	asked := 0
	for i, o := range l.operations() {
		shared := strings.HasPrefix(o.path, "/devices/{id}/") || strings.HasPrefix(o.path, "/web/") // actions are one handler
		if o.scope == "" || o.path == "/account/logout" || testing.Short() && shared && i%10 != 0 {
			continue
		}
		var body any
		if o.body {
			body = "{}"
		}
		for name, v := range visitors {
			h := []string{"X-Project", project}
			if v.header != "" {
				h = append(h, "Authorization", "Bearer "+v.header)
			}
			if o.upload {
				h = append(h, "Content-Type", "multipart/form-data; boundary=x")
			}
			asked++
			if a := l.ask(o.method, o.at("NOBODY"), body, h...); !v.fits(o, name, a.status) {
				t.Errorf("%s %s (%s) as %s: %s", o.method, o.path, o.scope, name, a)
			}
		}
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
	t.Logf("%d requests", asked)
}

// fits reports whether a visitor may get this status.
func (v visitor) fits(o operation, name string, status int) bool {
	what, how, _ := strings.Cut(o.scope, ":")
	scopes := v.reads
	if how == "write" {
		scopes = v.writes
	}
	switch {
	case !v.good:
		return status == 401
	case name == "stranger":
		return status != 401 && status != 200 && status != 201 && status != 202 && status != 204 || o.scope == "person"
	case o.scope == "person":
		return (status == 403) == !v.person || v.person && status != 401 // a role may be missing within
	case o.scope == "server:read":
		return status == 403
	}
	may := scopes == "*" || slices.Contains(strings.Fields(scopes), what)
	return status != 401 && (status == 403) == !may
}

// visitorsOf creates a project with members and keys, and callers that must have no access to it.
func visitorsOf(t *testing.T, s *service.Service) (project string, all map[string]visitor) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	owner, token := newAccount(t, s, "owner@example.com")
	must(s.Operator().SetPlan(t.Context(), service.PlanChange{Account: owner.Account.ID, Plan: service.PlanEnterprise,
		PerMinute: 1_000_000}))
	mine, err := owner.Project(t.Context(), "")
	must(err)
	all = map[string]visitor{"owner": {token, "*", "*", true, true}, "nobody": {}, "no key": {header: "tap_live_x"},
		"an unsigned token":              {header: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."},
		"a token with another signature": {header: token[:len(token)-6] + "AAAAAA"}}
	var removed *service.Person
	for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer, "removed"} {
		p, token := newAccount(t, s, string(role)+"@example.com")
		as := role
		if role == "removed" {
			removed, as = p, service.RoleMember
		}
		_, invitation, err := mine.Invite(t.Context(), p.Account.Email, as)
		must(err)
		_, err = p.Accept(t.Context(), invitation)
		must(err)
		v := visitor{token, "*", "*", true, true}
		if role == service.RoleViewer {
			v.writes = ""
		}
		if role != "removed" {
			all[string(role)] = v
		}
	}
	_, stranger := newAccount(t, s, "stranger@example.com")
	all["stranger"] = visitor{header: stranger, person: true, good: true}
	key := func(p *service.Project, scopes []string, expires time.Time) service.MadeKey {
		made, err := p.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: scopes, Expires: expires})
		must(err)
		return made
	}
	good, reads, uploads := key(mine, []string{"*"}, time.Time{}), key(mine, []string{"runs:read"}, time.Time{}),
		key(mine, []string{"reports:write", "usage:read"}, time.Now().Add(time.Hour))
	all["key"] = visitor{good.Secret, "*", "*", false, true}
	all["reading key"] = visitor{reads.Secret, "runs", "", false, true}
	all["uploading key"] = visitor{uploads.Secret, "usage", "reports", false, true}
	all["key with a wrong sum"] = visitor{header: good.Secret[:len(good.Secret)-1] + "!"}
	revoked, rotated := key(mine, []string{"*"}, time.Time{}), key(mine, []string{"*"}, time.Time{})
	must(mine.RevokeKey(t.Context(), revoked.ID))
	next, err := mine.RotateKey(t.Context(), rotated.ID, "now")
	must(err)
	all["revoked key"], all["key before its rotation"], all["key after its rotation"] = visitor{header: revoked.Secret},
		visitor{header: rotated.Secret}, visitor{next.Secret, "*", "*", false, true}
	grace, err := mine.RotateKey(t.Context(), key(mine, []string{"*"}, time.Time{}).ID, "1h")
	must(err)
	all["key after a rotation with grace"] = visitor{grace.Secret, "*", "*", false, true}
	theirs, err := removed.Project(t.Context(), mine.ID)
	must(err)
	left := key(theirs, []string{"*"}, time.Time{})
	must(mine.RemoveMember(t.Context(), removed.Account.ID))
	all["key of who left"] = visitor{header: left.Secret}
	return mine.ID, all
}
