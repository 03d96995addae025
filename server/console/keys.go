package console

import (
	"slices"
	"time"

	"github.com/taproot-dev/taproot/server/service"
)

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

func (c *Console) keysPage(q *request) error {
	return q.keysWith(keys{Scopes: scopes(service.Scopes())}, nil)
}

func (q *request) keysWith(k keys, failed error) error {
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

func (c *Console) createKey(q *request) error {
	chosen := q.r.PostForm["scopes"]
	k := keys{Name: q.field("name"), Days: q.field("days"), Scopes: scopes(chosen)}
	days, ok := lifetimes[k.Days]
	if !ok {
		return q.keysWith(k, invalid("Choose how long the key is valid from the list."))
	}
	n := service.NewKey{Name: k.Name, Scopes: chosen}
	if days > 0 {
		n.Expires = time.Now().AddDate(0, 0, days)
	}
	made, err := q.project.CreateKey(q.r.Context(), n)
	if err != nil {
		return q.keysWith(k, err)
	}
	return q.keysWith(keys{Scopes: scopes(service.Scopes()), Made: &made, Curl: q.curl(made)}, nil)
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

func (c *Console) rotateKey(q *request) error {
	made, err := q.project.RotateKey(q.r.Context(), q.r.PathValue("key"), q.field("grace"))
	k := keys{Scopes: scopes(service.Scopes())}
	if err != nil {
		return q.keysWith(k, err)
	}
	k.Made, k.Curl, k.Rotated = &made, q.curl(made), true
	return q.keysWith(k, nil)
}

func (c *Console) revokeKey(q *request) error {
	if err := q.project.RevokeKey(q.r.Context(), q.r.PathValue("key")); err != nil {
		return q.keysWith(keys{Scopes: scopes(service.Scopes())}, err)
	}
	return q.done(q.base()+"/keys", "key-revoked")
}
