package console

import (
	"slices"
	"time"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// keyPages has the page of a project's keys, and its forms.
type keyPages struct{}

// keys is the data of the page of the project's keys.
type keys struct {
	Keys, Gone []key
	Scopes     []scope
	Name       string
	Days       string
	Made       *service.MadeKey // shown only once
	Curl       string
	Rotated    bool
}

type key struct {
	service.Key
	Author string
	Mine   bool // the person may change it
	Old    bool // expired
}

type scope struct {
	Name, Says string
	Chosen     bool
}

// scopes returns the scopes that a key can have, with descriptions.
func scopes(chosen []string) []scope {
	says := map[string]string{"devices:read": "see devices and their screens", "devices:write": "use devices",
		"runs:read": "see runs and tests", "runs:write": "run tests",
		"reports:read": "read reports", "reports:write": "upload and delete reports", "usage:read": "see the usage"}
	var list []scope
	for _, name := range service.Scopes() {
		list = append(list, scope{name, says[name], slices.Contains(chosen, name)})
	}
	return list
}

func (c *keyPages) page(q *request) error {
	return c.show(q, keys{Scopes: scopes(service.Scopes())}, nil)
}

func (c *keyPages) show(q *request, k keys, failed error) error {
	list, err := q.project.Keys(q.r.Context())
	if err != nil {
		return err
	}
	members, err := q.project.Members(q.r.Context())
	if err != nil {
		return err
	}
	v := view{Title: "API keys", Tab: "keys"}
	for _, one := range list {
		o := key{Key: one, Author: "a former member", Mine: q.project.Role.Covers(service.RoleAdmin) ||
			one.By == q.person.Account.ID,
			Old: !one.Expires.IsZero() && one.Expires.Before(time.Now())}
		if i := slices.IndexFunc(members, func(m service.Member) bool { return m.Account == one.By }); i >= 0 {
			o.Author = members[i].Email
		}
		if one.Revoked.IsZero() {
			k.Keys = append(k.Keys, o)
		} else {
			k.Gone = append(k.Gone, o)
		}
	}
	v.D = k
	if failed != nil {
		return q.showFormAgain("keys", v, failed)
	}
	return q.show("keys", v)
}

// lifetimes are the options of the form, in days; empty: unlimited.
var lifetimes = map[string]int{"": 0, "7": 7, "30": 30, "90": 90, "365": 365}

func (c *keyPages) create(q *request) error {
	chosen := q.r.PostForm["scopes"]
	k := keys{Name: q.field("name"), Days: q.field("days"), Scopes: scopes(chosen)}
	days, ok := lifetimes[k.Days]
	if !ok {
		return c.show(q, k, invalid("Choose how long the key is valid from the list."))
	}
	n := service.NewKey{Name: k.Name, Scopes: chosen}
	if days > 0 {
		n.Expires = time.Now().AddDate(0, 0, days)
	}
	made, err := q.project.CreateKey(q.r.Context(), n)
	if err != nil {
		return c.show(q, k, err)
	}
	return c.show(q, keys{Scopes: scopes(service.Scopes()), Made: &made, Curl: q.curl(made)}, nil)
}

// curl returns a command that works with the key.
func (q *request) curl(k service.MadeKey) string {
	path := "/api/plans"
	for _, one := range []struct{ scope, path string }{{"devices:read", "/api/devices"}, {"runs:read", "/api/runs"},
		{"reports:read", "/api/reports"}, {"usage:read", "/api/usage"}} {
		if slices.Contains(k.Scopes, one.scope) || slices.Contains(k.Scopes, service.ScopeAll) {
			path = one.path
			break
		}
	}
	return "curl --fail-with-body -H 'Authorization: Bearer " + k.Secret + "' " + q.publicURL() + path
}

func (c *keyPages) rotate(q *request) error {
	made, err := q.project.RotateKey(q.r.Context(), q.r.PathValue("key"), q.field("grace"))
	k := keys{Scopes: scopes(service.Scopes())}
	if err != nil {
		return c.show(q, k, err)
	}
	k.Made, k.Curl, k.Rotated = &made, q.curl(made), true
	return c.show(q, k, nil)
}

func (c *keyPages) revoke(q *request) error {
	if err := q.project.RevokeKey(q.r.Context(), q.r.PathValue("key")); err != nil {
		return c.show(q, keys{Scopes: scopes(service.Scopes())}, err)
	}
	return q.done(q.base()+"/keys", "key-revoked")
}
