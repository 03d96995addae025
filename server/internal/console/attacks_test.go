package console_test

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// target is the project of another person, which attackers try to reach.
type target struct {
	*lab
	victim         *service.Person
	project        *service.Project
	key            service.MadeKey
	run            string
	cookie         string // of the victim
	tokens         service.Tokens
	eve            *service.Person
	evil, evilBase string // the attacker's cookie, and the pages of the attacker's project
	evilKey        service.MadeKey
	evilToken      string
	past           *atomic.Int64
}

func newTarget(t *testing.T) *target {
	t.Helper()
	past := &atomic.Int64{}
	g := &target{past: past, lab: newLab(t, 1, func(o *service.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(past.Load())) }
	})}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	g.victim, g.eve = g.person("ada@example.com", false), g.person("eve@example.com", false)
	g.project, err = g.victim.Project(t.Context(), "")
	must(err)
	g.key, err = g.project.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	must(err)
	g.run = g.runWith(g.key.Secret, firstTest)
	g.tokens, err = g.service.NewTokens(t.Context(), g.victim)
	must(err)
	own, err := g.eve.Project(t.Context(), "")
	must(err)
	g.evilKey, err = own.CreateKey(t.Context(), service.NewKey{Name: "evil", Scopes: []string{"*"}})
	must(err)
	tokens, err := g.service.NewTokens(t.Context(), g.eve)
	must(err)
	g.evilToken, g.evilBase = tokens.Access, "/console/p/"+own.ID
	g.cookie, g.evil = g.session(g.victim), g.session(g.eve)
	return g
}

func (g *target) session(p *service.Person) string { return g.lab.cookie(p) }

// later lets a minute pass, so that no attack is stopped by the rate limit of a previous one.
func (g *target) later() { g.past.Add(int64(61 * time.Second)) }

// json sends a request of the API with a credential.
func (g *target) json(credential, method, path string, body any, headers ...string) answer {
	g.t.Helper()
	text := ""
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		text = string(data)
	}
	h := append([]string{"Content-Type", "application/json", "Sec-Fetch-Site", "none"}, headers...)
	if credential != "" {
		h = append(h, "Authorization", "Bearer "+credential)
	}
	return g.send(method, path, text, h...)
}

func (g *target) send(method, path, body string, headers ...string) answer {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.http.URL, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.URL.Opaque = path
	if !strings.HasPrefix(path, "/") {
		g.t.Fatal(path)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return g.do(r)
}

// refused reports whether a response reveals nothing.
func refused(a answer) bool {
	return slices.Contains([]int{400, 401, 403, 404, 405, 409, 415, 422}, a.status)
}

// led reports whether the console rejected the request: with an error page, or a redirect to the login form.
func led(a answer) bool {
	return refused(a) || a.status == http.StatusSeeOther && strings.HasPrefix(a.header.Get("Location"), "/console/login")
}

// TestAttacks makes more than sixty attempts to reach another person's data; none may succeed.
func TestAttacks(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	n := 0
	attack := func(name string, fails bool) {
		t.Helper()
		n++
		if !fails {
			t.Errorf("an attack succeeded: %s", name)
		}
		g.later()
	}
	g.strangersIDs(attack)
	g.otherSites(attack)
	g.sessions(attack)
	g.tokensAndKeys(attack)
	g.guesses(attack)
	g.assignment(attack)
	g.paths(attack)
	g.texts(attack)
	g.packs(attack)
	if n < 60 {
		t.Errorf("only %d attacks", n)
	}
	t.Logf("%d attacks", n)
	// The attacked data is unchanged.
	if a := g.json(g.key.Secret, "GET", "/api/runs/"+g.run, nil); a.status != 200 ||
		!strings.Contains(a.body, `"result":"pass"`) {
		t.Error(a)
	}
	members, err := g.project.Members(t.Context())
	if err != nil || len(members) != 1 {
		t.Error(members, err)
	}
}

// strangersIDs uses every ID of another person's data, by pages and by the API.
func (g *target) strangersIDs(attack func(string, bool)) {
	theirs, p := "/console/p/"+g.project.ID, g.project.ID
	for _, path := range []string{"/", "/keys", "/runs/" + g.run, "/runs/" + g.run + "/events", "/reports/" + g.run +
		"/index.html", "/log", "/settings", "/members"} {
		attack("read the page "+path+" of another project", led(g.ask(g.evil, "GET", theirs+path, nil)))
	}
	for _, path := range []string{"/keys/" + g.key.ID + "/revoke", "/keys/" + g.key.ID + "/rotate", "/runs/" + g.run +
		"/cancel", "/reports/" + g.run + "/delete", "/members/" + g.eve.Account.ID + "/role",
		"/members/" + g.victim.Account.ID + "/remove", "/members/" + g.eve.Account.ID + "/transfer", "/delete", "/settings"} {
		form := url.Values{"grace": {"now"}, "role": {"owner"}, "name": {g.project.Name}, "days": {"1"}, "runs": {"1"}}
		attack("send the form "+path+" of another project", led(g.ask(g.evil, "POST", theirs+path, form)))
	}
	attack("another project's run below one's own", led(g.ask(g.evil, "GET", g.evilBase+"/runs/"+g.run, nil)))
	attack("another project's report below one's own",
		led(g.ask(g.evil, "GET", g.evilBase+"/reports/"+g.run+"/index.html", nil)))
	attack("another project's key below one's own",
		led(g.ask(g.evil, "POST", g.evilBase+"/keys/"+g.key.ID+"/revoke", url.Values{})))
	attack("end somebody's session", led(g.ask(g.evil, "POST", "/console/account/sessions/"+g.victim.Session,
		url.Values{})))
	for _, path := range []string{"/api/runs/" + g.run, "/api/reports/" + g.run + "/index.html", "/api/projects/" + p,
		"/api/projects/" + p + "/log"} {
		attack("read "+path+" with another key", refused(g.json(g.evilKey.Secret, "GET", path, nil)))
		attack("read "+path+" with another token", refused(g.json(g.evilToken, "GET", path, nil)))
	}
	attack("name another project with a key", refused(g.json(g.evilKey.Secret, "GET", "/api/runs", nil, "X-Project", p)))
	attack("name another project with a token", refused(g.json(g.evilToken, "GET", "/api/runs", nil, "X-Project", p)))
	attack("delete another project's reports", refused(g.json(g.evilKey.Secret, "DELETE", "/api/reports/"+g.run, nil)))
	attack("revoke a key of another project", refused(g.json(g.evilToken, "DELETE", "/api/keys/"+g.key.ID, nil)))
	attack("do with a key what is for people",
		refused(g.json(g.key.Secret, "POST", "/api/keys", map[string]any{"name": "x", "scopes": []string{"*"}})))
	attack("administrate without being an admin",
		led(g.ask(g.evil, "POST", "/console/admin/accounts/"+g.eve.Account.ID+"/admin", url.Values{})))
	attack("metrics of the server", refused(g.json(g.evilToken, "GET", "/metrics", nil)))
}

// otherSites uses forms and scripts of other sites, in the victim's browser.
func (g *target) otherSites(attack func(string, bool)) {
	path, form := "/console/p/"+g.project.ID+"/keys", url.Values{"name": {"evil"}, "scopes": {"runs:read"}}
	for name, h := range map[string][]string{
		"cross-site":   {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example.com"},
		"another port": {"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:1"},
		"a sandbox":    {"Sec-Fetch-Site", "cross-site", "Origin", "null"}, "an old browser": {"Sec-Fetch-Site", "", "Origin",
			"https://evil.example.com"},
	} {
		attack("a form of another site, "+name, refused(g.ask(g.cookie, "POST", path, form, h...)))
	}
	attack("a form as JSON", refused(g.send("POST", path, `{"name":"evil"}`, "Content-Type", "application/json", "Cookie",
		"taproot_session="+g.cookie, "Sec-Fetch-Site", "same-origin")))
	attack("an order by GET", refused(g.ask(g.cookie, "GET", path+"/"+g.key.ID+"/revoke", nil)))
	attack("the cookie for the API", refused(g.ask(g.cookie, "GET", "/api/runs", nil)))
	a := g.ask("", "GET", "/console/login", nil, "Origin", "https://evil.example.com", "Sec-Fetch-Site", "cross-site")
	attack("read a page from another site", a.header.Get("Access-Control-Allow-Origin") == "")
	policy := a.header.Get("Content-Security-Policy")
	attack("frame a page", strings.Contains(policy, "frame-ancestors 'none'") &&
		a.header.Get("X-Frame-Options") == "DENY" && !strings.Contains(policy, "unsafe"))
	for _, to := range []string{"//evil.example.com/console/", "https://evil.example.com/console/",
		`/\evil.example.com/console/`, "/console/\t//evil", "javascript:alert(1)", "/console/../../evil"} {
		in := g.ask("", "POST", "/console/login", url.Values{"email": {"eve@example.com"}, "password": {password},
			"next": {to}})
		where := in.header.Get("Location")
		attack("be sent elsewhere after the log-in: "+to, in.status == 303 && strings.HasPrefix(where, "/console/") &&
			!strings.Contains(where, "\\"))
	}
}

// sessions uses cookies that were planted or stolen, or have expired.
func (g *target) sessions(attack func(string, bool)) {
	planted := strings.Repeat("Z", 43)
	in := g.ask(planted, "POST", "/console/login", url.Values{"email": {"eve@example.com"}, "password": {password}})
	attack("fixation", session(in) != planted && led(g.ask(planted, "GET", "/console/account", nil)))
	cookie := in.header.Get("Set-Cookie")
	attack("read the cookie by a script, or have it sent by another site", strings.Contains(cookie, "HttpOnly") &&
		strings.Contains(cookie, "SameSite=Lax"))
	before := session(in)
	again := g.ask(before, "POST", "/console/login", url.Values{"email": {"eve@example.com"}, "password": {password}})
	attack("the session from before a log-in", session(again) != before &&
		led(g.ask(before, "GET", "/console/account", nil)))
	g.ask(session(again), "POST", "/console/logout", url.Values{})
	attack("the session after a log-out", led(g.ask(session(again), "GET", "/console/account", nil)))
	attack("a second cookie beside the victim's, set for a part of the site",
		led(g.ask("", "GET", "/console/account", nil, "Cookie", "taproot_session="+g.evil+"; taproot_session="+g.cookie)))
	opened := g.ask(g.cookie, "GET", "/console/p/"+g.project.ID+"/reports/"+g.run+"/", nil)
	ticket := opened.header.Get("Location")
	attack("a report's address for another file of the server",
		refused(g.ask("", "GET", strings.Replace(ticket, "index.html", "..%2f..%2f..%2fservice.db", 1), nil)))
	parts := strings.Split(ticket, "/")
	forged := slices.Clone(parts)
	forged[4] = forged[4][:len(forged[4])-2] + "AA"
	attack("a changed ticket", refused(g.ask("", "GET", strings.Join(forged, "/"), nil)))
	forged = slices.Clone(parts)
	forged[3] = strings.TrimPrefix(g.evilBase, "/console/p/")
	attack("a ticket for another project", refused(g.ask("", "GET", strings.Join(forged, "/"), nil)))
	page := g.ask("", "GET", ticket, nil)
	attack("a report's script as the console's own", page.status == 200 &&
		strings.HasPrefix(page.header.Get("Content-Security-Policy"), "sandbox ") &&
		!strings.Contains(page.header.Get("Content-Security-Policy"), "allow-same-origin"))
	g.past.Add(int64(2 * time.Hour))
	attack("a ticket of two hours ago", refused(g.ask("", "GET", ticket, nil)))
}

// tokensAndKeys uses forged, replayed and changed tokens.
func (g *target) tokensAndKeys(attack func(string, bool)) {
	fresh, err := g.service.NewTokens(g.t.Context(), g.victim)
	if err != nil {
		g.t.Fatal(err)
	}
	parts := strings.Split(fresh.Access, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		g.t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil {
		g.t.Fatal(err)
	}
	var h map[string]any
	decode(g.t, string(header), &h)
	jwks := g.json("", "GET", "/.well-known/jwks.json", nil)
	var keys struct{ Keys []struct{ X string } }
	decode(g.t, jwks.body, &keys)
	public, err := base64.RawURLEncoding.DecodeString(keys.Keys[0].X)
	if err != nil {
		g.t.Fatal(err)
	}
	head := func(alg string, more ...any) string {
		m := map[string]any{"alg": alg, "typ": "JWT", "kid": h["kid"]}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		data, _ := json.Marshal(m)
		return b64(data)
	}
	try := func(token string) bool { return refused(g.json(token, "GET", "/api/account", nil)) }
	attack("alg none", try(head("none")+"."+parts[1]+"."))
	attack("alg None", try(head("None")+"."+parts[1]+"."))
	mac := hmac.New(sha256.New, public)
	mac.Write([]byte(head("HS256") + "." + parts[1]))
	attack("the public key as a secret", try(head("HS256")+"."+parts[1]+"."+b64(mac.Sum(nil))))
	pub, own, _ := ed25519.GenerateKey(rand.Reader)
	signed := func(head string) string {
		return head + "." + parts[1] + "." + b64(ed25519.Sign(own, []byte(head+"."+parts[1])))
	}
	attack("a key of one's own", try(signed(head("EdDSA"))))
	attack("a key of one's own in the header",
		try(signed(head("EdDSA", "jwk", map[string]string{"kty": "OKP", "crv": "Ed25519", "x": b64(pub)}))))
	attack("the name of a key that is a path", try(signed(head("EdDSA", "kid", "../../dev/null"))))
	attack("the name of a key with SQL", try(signed(head("EdDSA", "kid", "' OR 1=1 --"))))
	attack("a changed payload",
		try(parts[0]+"."+b64([]byte(strings.Replace(string(payload), g.victim.Account.ID, g.eve.Account.ID, 1)))+"."+
			parts[2]))
	attack("a refresh token as an access token", try(fresh.Refresh))
	next := g.json("", "POST", "/api/auth/refresh", map[string]string{"refreshToken": fresh.Refresh})
	if next.status != 200 {
		g.t.Fatal(next)
	}
	g.later()
	attack("a refresh token a second time",
		refused(g.json("", "POST", "/api/auth/refresh", map[string]string{"refreshToken": fresh.Refresh})))
	var tokens service.Tokens
	decode(g.t, next.body, &tokens)
	attack("what came of a refresh token that was used twice", try(tokens.Access))
	g.past.Add(int64(20 * time.Minute))
	attack("an access token that has ended", try(g.tokens.Access))
	rotated, err := g.project.RotateKey(g.t.Context(), g.key.ID, "now")
	if err != nil {
		g.t.Fatal(err)
	}
	attack("a key from before its rotation", refused(g.json(g.key.Secret, "GET", "/api/runs", nil)))
	g.key = rotated
	attack("a key with another checksum", refused(g.json(g.key.Secret[:len(g.key.Secret)-1]+"!", "GET", "/api/runs", nil)))
	attack("the id of one key with the secret of another",
		refused(g.json(strings.Replace(g.evilKey.Secret, g.evilKey.ID, g.key.ID, 1), "GET", "/api/runs", nil)))
	attack("a key in the address", refused(g.json("", "GET", "/api/runs?api_key="+g.key.Secret, nil)))
	attack("two credentials", refused(g.json(g.evilKey.Secret, "GET", "/api/runs", nil, "X-Api-Key", g.key.Secret)))
}

// guesses guesses addresses and passwords.
func (g *target) guesses(attack func(string, bool)) {
	known := g.ask("", "POST", "/console/login", url.Values{"email": {"ada@example.com"}, "password": {"wrong"}})
	g.later()
	unknown := g.ask("", "POST", "/console/login", url.Values{"email": {"nob@example.com"}, "password": {"wrong"}})
	attack("learn by a log-in who has an account", known.status == unknown.status && strings.ReplaceAll(known.body, "ada@",
		"nob@") == unknown.body)
	known = g.ask("", "POST", "/console/register", url.Values{"email": {"ada@example.com"}, "password": {password}})
	unknown = g.ask("", "POST", "/console/register", url.Values{"email": {"new@example.com"}, "password": {password}})
	attack("learn by registering who has an account", known.status == unknown.status &&
		known.header.Get("Location") == unknown.header.Get("Location"))
	known = g.ask("", "POST", "/console/reset", url.Values{"email": {"ada@example.com"}})
	unknown = g.ask("", "POST", "/console/reset", url.Values{"email": {"nob@example.com"}})
	attack("learn by a reset who has an account", known.status == unknown.status &&
		known.header.Get("Location") == unknown.header.Get("Location"))
	attack("log in after registering an address again",
		led(g.ask("", "POST", "/console/login", url.Values{"email": {"ada@example.com"}, "password": {"another password"}})))
	let := 0
	for i := range 15 {
		if a := g.ask("", "POST", "/console/login", url.Values{"email": {"ada@example.com"},
			"password": {fmt.Sprint("guess ", i)}}, "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i)); a.status == 401 {
			let++
		}
	}
	attack("guess passwords from invented addresses", let <= 10)
	let = 0
	for range 15 {
		if a := g.ask(g.evil, "POST", "/console/account/delete", url.Values{"password": {"guess"}}); a.status == 403 {
			let++
		}
	}
	attack("guess the password of a session that was left open", let <= 10)
}

// assignment sends additional fields.
func (g *target) assignment(attack func(string, bool)) {
	a := g.json("", "POST", "/api/auth/register", map[string]any{"email": "mass@example.com", "password": password,
		"admin": true, "plan": "enterprise", "state": "active"})
	attack("register as an admin", refused(a))
	g.ask("", "POST", "/console/register", url.Values{"email": {"mass2@example.com"}, "password": {password},
		"admin": {"true"}, "plan": {"enterprise"}})
	p, err := g.service.LogIn(g.t.Context(), service.LogIn{Email: "mass2@example.com", Password: password})
	attack("register as an admin by the form", err == nil && !p.Account.Admin && p.Account.Plan == service.PlanFree)
	attack("an owner by the form",
		led(g.ask(g.evil, "POST", g.evilBase+"/members", url.Values{"email": {"x@example.com"}, "role": {"owner"}})))
	attack("a scope that there is not",
		led(g.ask(g.evil, "POST", g.evilBase+"/keys", url.Values{"name": {"x"}, "scopes": {"server:read"}})))
	attack("a project of somebody else in a body",
		refused(g.json(g.evilToken, "POST", "/api/keys", map[string]any{"name": "x", "scopes": []string{"*"},
			"project": g.project.ID})))
	attack("a field by the query", led(g.ask(g.evil, "POST", g.evilBase+"/settings?name=evil&days=9&runs=9",
		url.Values{})))
}

// paths uses unusual paths and headers.
func (g *target) paths(attack func(string, bool)) {
	for _, path := range []string{"/api/reports/..%2f..%2fservice.db/x", "/api/reports/" + g.run +
		"/..%2f..%2f..%2f..%2fservice.db", "/api/reports/" + g.run + "/first/%2e%2e/%2e%2e/%2e%2e/service.key",
		"/console/assets/..%2fpage.go",
		"/console/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/api/reports/" + g.run + "/first/.live", "/console/p/%2e%2e/x",
		"/api//reports", "/console/p/" + g.project.ID + "%00/keys"} {
		a := g.send("GET", path, "", "Authorization", "Bearer "+g.key.Secret, "Sec-Fetch-Site", "none", "Cookie",
			"taproot_session="+g.evil)
		attack("the path "+path, led(a) || a.status >= 300 && a.status < 400 && !strings.Contains(a.header.Get("Location"),
			"evil"))
	}
	attack("another name of the host in a letter or address",
		!strings.Contains(g.ask(g.evil, "GET", g.evilBase+"/keys", nil, "Host", "evil.example.com").body, "evil.example.com"))
	attack("another method by a header", led(g.ask(g.evil, "GET", g.evilBase+"/keys/"+g.evilKey.ID+"/revoke", nil,
		"X-HTTP-Method-Override", "POST")))
	a := g.send("GET", "/console/login?next=%0d%0aSet-Cookie:%20taproot_session=x", "", "Sec-Fetch-Site", "none")
	attack("split a header", a.header.Get("Set-Cookie") == "")
}

// texts puts SQL and scripts into every field.
func (g *target) texts(attack func(string, bool)) {
	admin := g.session(g.person("operator@example.com", true))
	for _, text := range []string{`'; DROP TABLE accounts; --`, `" OR ""="`, `%' OR '1'='1`, `\'; SELECT 1; --`} {
		attack("SQL in an address: "+text,
			led(g.ask("", "POST", "/console/login", url.Values{"email": {text}, "password": {text}})))
		attack("SQL in a token: "+text, led(g.ask("", "POST", "/console/confirm", url.Values{"token": {text}})))
		found := g.ask(admin, "GET", "/console/admin/accounts?text="+url.QueryEscape(text), nil)
		attack("SQL in a search: "+text, found.status == 200 && strings.Contains(found.body, "No account matches"))
		attack("SQL in a project: "+text, led(g.ask(g.evil, "GET", "/console/p/"+url.PathEscape(text)+"/", nil)))
	}
	for _, text := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`,
		`{{.Person.Email}}`} {
		g.ask(g.evil, "POST", g.evilBase+"/keys", url.Values{"name": {text}, "scopes": {"runs:read"}})
		page := g.ask(g.evil, "GET", g.evilBase+"/keys", nil)
		attack("script in a name: "+text, !strings.Contains(page.body, "<script>alert") &&
			!strings.Contains(page.body, "<img src=x") && !strings.Contains(page.body, `href="javascript:`))
		page = g.ask("", "POST", "/console/login", url.Values{"email": {text}, "password": {"x"}, "next": {text}})
		attack("script in a form that comes back: "+text, !strings.Contains(page.body, "<script>alert") &&
			!strings.Contains(page.body, "<img src=x"))
	}
}

// packs uploads archives with paths outside of their folder.
func (g *target) packs(attack func(string, bool)) {
	base := "/api"
	for name, files := range map[string]map[string]string{
		"a file above": {"../../evil": "x"}, "an absolute path": {"/tmp/evil": "x"}, "a file of Windows": {`..\evil`: "x"},
		"no pack": {"x/readme.md": "x"}, "a page in the place of a summary": {"x/summary.json": "<script>"},
	} {
		attack("a pack with "+name, refused(g.upload(base+"/reports/upload", "pack", archiveOf(g.t, files))))
	}
	attack("tests above their folder",
		refused(g.upload(base+"/tests", "tests", archiveOf(g.t, map[string]string{"../../../evil.yaml": "id: x"}))))
	attack("an archive that is none", refused(g.upload(base+"/tests", "tests", []byte("hello"))))
	run := g.runWith(g.evilKey.Secret, "id: x\nplatform: web\nsteps:\n  - openBrowser: file:///etc/passwd\n")
	attack("a test that reads a file of the server",
		!strings.Contains(g.json(g.evilKey.Secret, "GET", "/api/runs/"+run, nil).body, `"result":"pass"`))
}

// upload sends an archive with the attacker's key.
func (g *target) upload(path, part string, archive []byte) answer {
	g.t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"" + part +
		"\"; filename=\"x.tar.gz\"\r\nContent-Type: application/gzip\r\n\r\n" + string(archive) + "\r\n--b--\r\n"
	return g.send("POST", path, body, "Content-Type", "multipart/form-data; boundary=b", "Authorization", "Bearer "+
		g.evilKey.Secret, "Sec-Fetch-Site", "none")
}
