package console_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/oidc"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// idp is an identity provider that enforces the rules: the redirect, the secret, PKCE, codes that are valid once.
type idp struct {
	t    *testing.T
	http *httptest.Server
	key  *rsa.PrivateKey

	mu    sync.Mutex
	codes map[string]url.Values // of the request by which they came
	// change damages the next token.
	change func(claims jwt.MapClaims, token *jwt.Token) any
	claims jwt.MapClaims // of who logs in
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{t: t, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.http.URL, "authorization_endpoint": p.http.URL +
			"/authorize", "token_endpoint": p.http.URL + "/token", "jwks_uri": p.http.URL + "/jwks",
			"id_token_signing_alg_values_supported": []string{"RS256"}, "response_types_supported": []string{"code"},
			"subject_types_supported": []string{"public"}})
	})
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		b64 := base64.RawURLEncoding.EncodeToString
		_ = json.NewEncoder(w).Encode(map[string]any{
			"keys": []any{map[string]string{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": b64(key.N.Bytes()),
				"e": b64(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", p.token)
	p.http = httptest.NewServer(mux)
	t.Cleanup(func() { p.http.CloseClientConnections(); p.http.Close() })
	return p
}

func (p *idp) options(o *server.Options, base string) {
	var err error
	o.OIDC, err = oidc.New(oidc.Options{Issuer: p.http.URL, ClientID: "taproot", Secret: "the secret of the client",
		Name: "Example ID", Redirect: base + "/console/provider/back", Client: p.http.Client()})
	if err != nil {
		p.t.Fatal(err)
	}
}

// authorize is what the provider does when a person logs in: it returns the query of the redirect back.
func (p *idp) authorize(address string) url.Values {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, p.http.URL+"/authorize?") {
		p.t.Fatalf("sent to %q: %v", address, err)
	}
	q := u.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != "taproot" || q.Get("code_challenge_method") != "S256" ||
		len(q.Get("state")) < 40 || len(q.Get("nonce")) < 40 || !strings.Contains(q.Get("scope"), "openid") {
		p.t.Errorf("asked for %v", q)
	}
	code := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.codes[code] = q
	return url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.http.URL}}
}

func (p *idp) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || id != "taproot" || secret != "the secret of the client" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") ||
		r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := jwt.MapClaims{"iss": p.http.URL, "aud": "taproot", "exp": time.Now().Add(time.Minute).Unix(),
		"iat": time.Now().Unix(), "nonce": asked.Get("nonce")}
	for name, value := range p.claims {
		claims[name] = value
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = "1"
	var key any = p.key
	if p.change != nil {
		if other := p.change(claims, token); other != nil {
			key = other
		}
	}
	text, err := token.SignedString(key)
	if err != nil {
		p.t.Error(err)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": text,
		"expires_in": 60})
}

// visit goes to the provider and back, with a browser's cookies; query may be changed on the way.
func (l *lab) visit(p *idp, cookie string, begin answer, change ...func(url.Values)) answer {
	l.t.Helper()
	address := begin.header.Get("Location")
	if address == "" {
		_, rest, _ := strings.Cut(begin.body, `href="`+p.http.URL)
		rest, _, _ = strings.Cut(rest, `"`)
		address = p.http.URL + html.UnescapeString(rest)
	}
	flow, _, _ := strings.Cut(begin.header.Get("Set-Cookie"), ";")
	query := p.authorize(address)
	for _, c := range change {
		c(query)
	}
	if cookie != "" {
		flow += "; taproot_session=" + cookie
	}
	return l.ask("", "GET", "/console/provider/back?"+query.Encode(), nil, "Cookie", flow, "Sec-Fetch-Site", "cross-site",
		"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
}

// sessionOf finds the session cookie of a response.
func sessionOf(a answer) string {
	for _, c := range a.header["Set-Cookie"] {
		if rest, ok := strings.CutPrefix(c, "taproot_session="); ok {
			value, _, _ := strings.Cut(rest, ";")
			return value
		}
	}
	return ""
}

// TestProvider: a new person, a known one, an account that existed before, and invalid responses.
func TestProvider(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	var past atomic.Int64
	l := newLabWith(t, 0, p.options, func(o *service.Options) {
		o.OpenRegistration = false
		o.Now = func() time.Time { return time.Now().Add(time.Duration(past.Load())) }
	})
	begin := func() answer {
		past.Add(int64(7 * time.Second))
		return l.ask("", "GET", "/console/provider?next=/console/account", nil)
	}
	if a := l.ask("", "GET", "/console/login", nil); !strings.Contains(a.body, "Log in with Example ID") {
		t.Error(a)
	}
	p.claims = jwt.MapClaims{"sub": "7", "email": "New@example.com", "email_verified": true}
	in := l.visit(p, "", begin())
	if in.status != 303 || in.header.Get("Location") != "/console/account" {
		t.Fatal(in)
	}
	if a := l.ask(sessionOf(in), "GET", "/console/account", nil); !strings.Contains(a.body, "new@example.com") ||
		!strings.Contains(a.body, "connected") {
		t.Error(a)
	}
	p.claims = jwt.MapClaims{"sub": "7", "email": "renamed@example.com", "email_verified": false}
	if a := l.ask(sessionOf(l.visit(p, "", begin())), "GET", "/console/account", nil); !strings.Contains(a.body,
		"new@example.com") {
		t.Errorf("the same person with another address: %s", a)
	}
	for _, wrong := range []string{"", password, "x"} {
		past.Add(int64(time.Minute))
		if a := l.ask("", "POST", "/console/login", url.Values{"email": {"new@example.com"},
			"password": {wrong}}); a.status != 401 {
			t.Errorf("an account without a password is entered by %q: %s", wrong, a)
		}
	}

	// Responses that do not log in.
	p.claims = jwt.MapClaims{"sub": "8", "email": "eight@example.com", "email_verified": true}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(jwt.MapClaims, *jwt.Token) any{
		"another key": func(jwt.MapClaims, *jwt.Token) any { return other },
		"no signature": func(_ jwt.MapClaims, k *jwt.Token) any {
			k.Method, k.Header["alg"] = jwt.SigningMethodNone, "none"
			return jwt.UnsafeAllowNoneSignatureType
		},
		"a shared secret": func(_ jwt.MapClaims, k *jwt.Token) any {
			k.Method, k.Header["alg"] = jwt.SigningMethodHS256, "HS256"
			return p.key.N.Bytes()
		},
		"another audience": func(c jwt.MapClaims, _ *jwt.Token) any { c["aud"] = "another"; return nil },
		"another issuer":   func(c jwt.MapClaims, _ *jwt.Token) any { c["iss"] = "https://evil.example.com"; return nil },
		"too old": func(c jwt.MapClaims, _ *jwt.Token) any {
			c["exp"] = time.Now().Add(-time.Hour).Unix()
			return nil
		},
		"another nonce":   func(c jwt.MapClaims, _ *jwt.Token) any { c["nonce"] = "x"; return nil },
		"no nonce":        func(c jwt.MapClaims, _ *jwt.Token) any { delete(c, "nonce"); return nil },
		"nobody":          func(c jwt.MapClaims, _ *jwt.Token) any { c["sub"] = ""; return nil },
		"no address":      func(c jwt.MapClaims, _ *jwt.Token) any { delete(c, "email"); return nil },
		"not vouched for": func(c jwt.MapClaims, _ *jwt.Token) any { c["email_verified"] = false; return nil },
		"a list for an id": func(c jwt.MapClaims, _ *jwt.Token) any {
			c["email"] = []string{"eight@example.com"}
			return nil
		},
	} {
		p.change = change
		if a := l.visit(p, "", begin()); a.status != 403 || sessionOf(a) != "" {
			t.Errorf("%s: %s", name, a)
		}
	}
	p.change = nil
	for name, change := range map[string]func(url.Values){
		"another state": func(q url.Values) { q.Set("state", "x") }, "no state": func(q url.Values) { q.Del("state") },
		"no code": func(q url.Values) { q.Del("code") }, "another code": func(q url.Values) { q.Set("code", "x") },
		"another provider": func(q url.Values) { q.Set("iss", "https://evil.example.com") }, "refused": func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
		},
	} {
		if a := l.visit(p, "", begin(), change); a.status != 403 || sessionOf(a) != "" {
			t.Errorf("%s: %s", name, a)
		}
	}
	// The response of another login, in a browser that has started none, or another one.
	theirs := p.authorize(begin().header.Get("Location"))
	if a := l.ask("", "GET", "/console/provider/back?"+theirs.Encode(), nil); a.status != 403 {
		t.Errorf("without a cookie: %s", a)
	}
	if a := l.visit(p, "", begin(), func(q url.Values) { q.Set("code", theirs.Get("code")) }); a.status != 403 {
		t.Errorf("a code of another log-in: %s", a)
	}

	// An existing account is connected by its owner, and by no other person.
	ada := l.person("ada@example.com", false)
	p.claims = jwt.MapClaims{"sub": "9", "email": "ada@example.com", "email_verified": true}
	if a := l.visit(p, "", begin()); a.status != 409 || sessionOf(a) != "" {
		t.Errorf("an account is handed over for its address: %s", a)
	}
	past.Add(int64(time.Minute))
	cookie := l.cookie(ada)
	if a := l.ask(cookie, "GET", "/console/account/provider", nil); a.status != 405 && a.status != 404 {
		t.Errorf("connected by a link: %s", a)
	}
	if a := l.visit(p, l.cookie(l.person("eve@example.com", false)), l.ask(cookie, "POST", "/console/account/provider",
		url.Values{})); a.status != 403 {
		t.Errorf("connected in another session: %s", a)
	}
	if a := l.visit(p, cookie, l.ask(cookie, "POST", "/console/account/provider", url.Values{})); a.status != 303 {
		t.Errorf("connect: %s", a)
	}
	if a := l.ask(sessionOf(l.visit(p, "", begin())), "GET", "/console/account", nil); !strings.Contains(a.body,
		"ada@example.com") {
		t.Errorf("connected, and not let in: %s", a)
	}
	// A person registered an address of another person, and waits for its owner to log in.
	past.Add(int64(time.Minute))
	if a := l.ask("", "POST", "/console/register", url.Values{"email": {"victim@example.com"},
		"password": {password}}); a.status != 303 {
		t.Fatal(a)
	}
	p.claims = jwt.MapClaims{"sub": "10", "email": "victim@example.com", "email_verified": true}
	if a := l.visit(p, "", begin()); a.status != 303 {
		t.Error(a)
	}
	if a := l.ask("", "POST", "/console/login", url.Values{"email": {"victim@example.com"},
		"password": {password}}); a.status != 401 {
		t.Errorf("who registered an address of somebody else gets into the owner's account: %s", a)
	}
	if err := l.service.Operator().Block(t.Context(), "victim@example.com"); err != nil {
		t.Fatal(err)
	}
	if a := l.visit(p, "", begin()); a.status != 401 || sessionOf(a) != "" {
		t.Errorf("a blocked account: %s", a)
	}
	p.http.CloseClientConnections()
}
