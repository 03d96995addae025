package console_test

import (
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/server/internal/console"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// rule is what each role gets on a route: who may use it, the status, and the form.
type rule struct {
	may    string // of owner, admin, member, viewer, stranger, operator; *: everyone, also without a login
	status int
	form   url.Values
}

// rules has a line for each route; destructive actions are requested by permitted roles in a way that fails.
func rules() map[string]rule {
	const all, people = "owner admin member viewer", "owner admin member viewer stranger operator"
	const p = "/console/p/{project}"
	return map[string]rule{
		"GET /console/assets/{name}": {"*", 200, nil},
		"GET /console/login":         {"*", 0, nil},
		"POST /console/login": {
			"*", 0, url.Values{"email": {"x@example.com"}, "password": {"wrong"}}},
		"GET /console/register":                            {"*", 200, nil},
		"POST /console/register":                           {"*", 0, url.Values{"email": {"x"}, "password": {"short"}}},
		"GET /console/confirm":                             {"*", 200, nil},
		"POST /console/confirm":                            {"*", 0, url.Values{"token": {"wrong"}}},
		"GET /console/reset":                               {"*", 200, nil},
		"POST /console/reset":                              {"*", 0, url.Values{"token": {"wrong"}, "password": {"short"}}},
		"GET /console/files/{project}/{ticket}/{path...}":  {"", 0, nil},
		"GET /console/files/{project}/index.html":          {"*", 303, nil},
		"GET /console/provider":                            {"*", 404, nil}, // this server has none
		"GET /console/provider/back":                       {"*", 404, nil},
		"POST /console/account/provider":                   {people, 404, url.Values{}},
		"GET /console/{$}":                                 {people, 303, nil},
		"POST /console/logout":                             {people, 303, nil},
		"GET /console/invitation":                          {people, 200, nil},
		"POST /console/invitation":                         {people, 400, url.Values{"token": {"wrong"}}},
		"GET /console/projects":                            {people, 200, nil},
		"POST /console/projects":                           {people, 400, url.Values{"name": {""}}},
		"GET /console/account":                             {people, 200, nil},
		"GET /console/account/export":                      {people, 200, nil},
		"POST /console/account/password":                   {people, 403, url.Values{"password": {"wrong"}, "new": {"x"}}},
		"POST /console/account/factor":                     {people, 403, url.Values{"password": {"wrong"}}},
		"POST /console/account/factor/on":                  {people, 409, url.Values{"code": {"000000"}}},
		"POST /console/account/factor/off":                 {people, 403, url.Values{"password": {"wrong"}}},
		"POST /console/account/sessions/{session}":         {people, 404, url.Values{}},
		"POST /console/account/logout":                     {people, 303, url.Values{}},
		"POST /console/account/delete":                     {people, 403, url.Values{"password": {"wrong"}}},
		"GET " + p + "/{$}":                                {all, 200, nil},
		"GET " + p + "/keys":                               {all, 200, nil},
		"POST " + p + "/keys":                              {"owner admin member", 400, url.Values{"name": {"k"}}},
		"POST " + p + "/keys/{key}/rotate":                 {"owner admin", 200, url.Values{"grace": {"7d"}}},
		"POST " + p + "/keys/{key}/revoke":                 {"owner admin", 0, url.Values{}},
		"GET " + p + "/usage":                              {all, 200, nil},
		"GET " + p + "/devices":                            {all, 200, nil},
		"GET " + p + "/farm":                               {all, 404, nil}, // this server is not a hub
		"POST " + p + "/devices/{device}/recording":        {"owner admin member", 404, url.Values{}},
		"POST " + p + "/devices/{device}/recording/stop":   {"owner admin member", 404, url.Values{}},
		"POST " + p + "/devices/{device}/recording/delete": {"owner admin member", 404, url.Values{}},
		"GET " + p + "/devices/{device}/video":             {all, 404, nil},
		"GET " + p + "/devices/{device}/studio":            {all, 200, nil},
		"GET " + p + "/api/{path...}":                      {all, 404, nil},
		"POST " + p + "/api/{path...}":                     {all, 404, url.Values{}},
		"GET " + p + "/runs":                               {all, 200, nil},
		"POST " + p + "/runs":                              {"owner admin member", 400, url.Values{}},
		"POST " + p + "/tests":                             {"owner admin member", 415, url.Values{}},
		"GET " + p + "/runs/{run}":                         {all, 200, nil},
		"GET " + p + "/runs/{run}/events":                  {all, 200, nil},
		"POST " + p + "/runs/{run}/cancel":                 {"owner admin member", 303, url.Values{}},
		"POST " + p + "/runs/{run}/rerun":                  {"owner admin member", 400, url.Values{}},
		"GET " + p + "/reports":                            {all, 200, nil},
		"POST " + p + "/reports":                           {"owner admin member", 415, url.Values{}},
		"GET " + p + "/reports/{run}/{path...}":            {all, 303, nil},
		"POST " + p + "/reports/{run}/delete":              {"owner admin member", 0, url.Values{}},
		"GET " + p + "/members":                            {all, 200, nil},
		"POST " + p + "/members":                           {"owner admin", 400, url.Values{"email": {"x"}}},
		"POST " + p + "/members/{account}/role":            {"owner admin", 400, url.Values{"role": {"owner"}}},
		"POST " + p + "/members/{account}/remove":          {"owner admin", 404, url.Values{}},
		"POST " + p + "/members/{account}/transfer":        {"owner", 404, url.Values{}},
		"POST " + p + "/invitations/{invitation}/withdraw": {"owner admin", 404, url.Values{}},
		"GET " + p + "/log":                                {"owner admin", 200, nil},
		"GET " + p + "/settings":                           {"owner admin", 200, nil},
		"POST " + p + "/settings":                          {"owner admin", 400, url.Values{"name": {"x"}, "days": {"none"}}},
		"POST " + p + "/delete":                            {"owner", 400, url.Values{"name": {"another one"}}},
		"GET /console/admin":                               {"operator", 200, nil},
		"GET /console/admin/accounts":                      {"operator", 200, nil},
		"POST /console/admin/accounts":                     {"operator", 400, url.Values{"email": {"x"}}},
		"POST /console/admin/accounts/{account}/{action}":  {"operator", 404, url.Values{}},
		"GET /console/admin/hosts":                         {"operator", 200, nil},
		"GET /console/admin/log":                           {"operator", 200, nil},
	}
}

// TestRoutesAndRoles calls every route of the console in every role: owner, admin, member and viewer of the project,
// the owner of another one, an admin of the service, without a login, and with a forged cookie.
func TestRoutesAndRoles(t *testing.T) {
	t.Parallel()
	// some seconds between two requests, because logins are rate limited
	var past atomic.Int64
	l := newLab(t, 1, func(o *service.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(past.Load())) }
	})
	owner := l.person("owner@example.com", false)
	mine, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := mine.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	run := l.runWith(made.Secret, firstTest)
	people := map[string]*service.Person{"owner": owner, "stranger": l.person("stranger@example.com", false),
		"operator": l.person("operator@example.com", true)}
	for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer} {
		people[string(role)] = l.person(string(role)+"@example.com", false)
		_, invitation, err := mine.Invite(t.Context(), people[string(role)].Account.Email, role)
		if err == nil {
			_, err = people[string(role)].Accept(t.Context(), invitation)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fill := strings.NewReplacer("{project}", mine.ID, "{key}", made.ID, "{run}", run, "{device}", "NOBODY", "{path...}",
		"index.html", "{name}", "console.css", "{$}", "", "{account}", "acc_none",
		"{session}", "ses_none", "{invitation}", "inv_none", "{ticket}", "forged", "{action}", "nothing")
	all := rules()
	// roles that may destroy something are last
	everybody := []string{"nobody", "forged", "stranger", "operator", "viewer", "member", "admin", "owner"}
	asked := 0
	for _, pattern := range console.Routes() {
		rule, ok := all[pattern]
		if !ok {
			t.Errorf("%s is not in the table", pattern)
			continue
		}
		method, path, _ := strings.Cut(fill.Replace(pattern), " ")
		if method == "POST" && rule.form == nil {
			rule.form = url.Values{}
		}
		for _, who := range everybody {
			may := rule.may == "*" || slices.Contains(strings.Fields(rule.may), who)
			cookie := strings.Repeat("A", 43)
			if p := people[who]; p != nil {
				cookie = l.cookie(p)
			} else if who == "nobody" {
				cookie = ""
			}
			past.Add(int64(7 * time.Second))
			a := l.ask(cookie, method, path, rule.form)
			asked++
			switch {
			case may && rule.status != 0 && a.status != rule.status:
				t.Errorf("%s as %s, who may: %s", pattern, who, a)
			case rule.may == "*", may:
			case strings.HasPrefix(pattern, "GET /console/files/"):
				if a.status != 401 {
					t.Errorf("%s with a forged ticket as %s: %s", pattern, who, a)
				}
			case people[who] == nil && strings.Contains(pattern, "/api/"):
				if a.status != 401 || !strings.Contains(a.body, `"missing_token"`) {
					t.Errorf("%s as %s: %s", pattern, who, a)
				}
			case people[who] == nil && (a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/console/login")):
				t.Errorf("%s as %s is not led to the log-in: %s", pattern, who, a)
			case people[who] != nil && a.status != 403 && a.status != 404:
				t.Errorf("%s as %s, who may not: %s", pattern, who, a)
			case (who == "stranger" || who == "operator") && strings.Contains(pattern, "{project}") && a.status != 404:
				t.Errorf("%s tells %s that there is such a project: %s", pattern, who, a)
			}
		}
	}
	for pattern := range all {
		if !slices.Contains(console.Routes(), pattern) {
			t.Errorf("%s is in the table, and there is no such route", pattern)
		}
	}
	if keys, err := mine.Keys(t.Context()); err != nil || keys[0].Revoked.IsZero() {
		t.Errorf("the key was not revoked by who may: %v %v", keys, err)
	}
	if a := l.ask(l.cookie(owner), "GET", "/console/p/"+mine.ID+"/runs/"+run, nil); a.status != 404 {
		t.Errorf("the reports were not deleted by who may: %s", a)
	}
	t.Logf("%d requests on %d routes", asked, len(all))
}
