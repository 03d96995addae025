package auth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/taproot-dev/taproot/server/internal/auth"
)

const (
	key    = "tap_test_0123456789abcdef"
	secret = "a secret of more than thirty-two bytes"
)

func gate(t *testing.T, c auth.Config) *auth.Gate {
	t.Helper()
	g, err := auth.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func bearer(credential string) http.Header {
	return http.Header{"Authorization": {"Bearer " + credential}}
}

func sign(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func soon() int64 { return time.Now().Add(time.Hour).Unix() }

func TestKeys(t *testing.T) {
	sum := sha256.Sum256([]byte("kept as a hash"))
	g := gate(t, auth.Config{Keys: []string{" " + key + " ", "", "second-key-of-the-list", "sha256:" +
		hex.EncodeToString(sum[:])}})
	for _, good := range []http.Header{bearer(key), {"X-Api-Key": {key}}, {"X-Api-Key": {"second-key-of-the-list"}},
		bearer("kept as a hash"),
		{"Authorization": {"bearer " + key}}} {
		who, err := g.Identify(good)
		if err != nil || !who.May("devices:write") || !strings.HasPrefix(who.Name, "key:") ||
			strings.Contains(who.Name, key) {
			t.Errorf("%v: %+v, %v", good, who, err)
		}
	}
	for _, bad := range []http.Header{bearer(key + "x"), bearer(key[:10]), bearer(""), {"Authorization": {"Basic " + key}},
		{"X-Api-Key": {""}},
		{"Authorization": {key}}, {"X-Api-Key": {key, key}}, {"Authorization": {"Bearer " + key, "Bearer x"}},
		bearer(strings.ToUpper(key)),
		bearer(hex.EncodeToString(sum[:])), bearer("sha256:" + hex.EncodeToString(sum[:])),
		bearer(strings.Repeat("x", 1<<20))} {
		if _, err := g.Identify(bad); !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("%.80v: %v", bad, err)
		}
	}
	for _, none := range []http.Header{{}, {"Cookie": {"token=" + key}}} {
		if _, err := g.Identify(none); !errors.Is(err, auth.ErrMissing) {
			t.Errorf("%v: %v", none, err)
		}
	}
}

func TestNobodyCouldComeIn(t *testing.T) {
	for _, c := range []auth.Config{{}, {Keys: []string{"", " "}}, {Issuer: "me"}} {
		if _, err := auth.New(c); !errors.Is(err, auth.ErrNoCredentials) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, c := range []auth.Config{{Keys: []string{"sha256:12"}}, {Keys: []string{"with a blank"}},
		{PublicKey: []byte("junk")}} {
		if _, err := auth.New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestWeakCredentialsAreTold(t *testing.T) {
	g := gate(t, auth.Config{Keys: []string{"short"}, Secret: []byte("short, too")})
	if weak := g.Weak(); len(weak) != 2 || strings.Contains(strings.Join(weak, ""), "short, too") {
		t.Errorf("%q", weak)
	}
}

func TestTokens(t *testing.T) {
	g := gate(t, auth.Config{Secret: []byte(secret), Issuer: "https://id.example.com", Audience: "taproot"})
	good := func() jwt.MapClaims {
		return jwt.MapClaims{"sub": "ada", "exp": soon(), "iss": "https://id.example.com",
			"aud": []string{"taproot", "other"}, "scope": "devices:read runs:write"}
	}
	with := func(key string, value any) jwt.MapClaims {
		c := good()
		if c[key] = value; value == nil {
			delete(c, key)
		}
		return c
	}
	who, err := g.Identify(bearer(sign(t, jwt.SigningMethodHS256, []byte(secret), good())))
	if err != nil || who.Name != "jwt:ada" || !who.May("devices:read") || !who.May("runs:write") ||
		who.May("devices:write") {
		t.Errorf("%+v, %v", who, err)
	}
	none := sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good())
	other := sign(t, jwt.SigningMethodHS256, []byte("another secret that is long enough, too"), good())
	crit := jwt.NewWithClaims(jwt.SigningMethodHS256, good())
	crit.Header["crit"] = []string{"exp"}
	critical, _ := crit.SignedString([]byte(secret))
	whole := sign(t, jwt.SigningMethodHS256, []byte(secret), good())
	parts := strings.Split(whole, ".")
	for name, token := range map[string]string{
		"alg none": none, "none with a signature": none + parts[2], "another secret": other, "crit": critical,
		"no signature": parts[0] + "." + parts[1] + ".",
		"expired": sign(t, jwt.SigningMethodHS256, []byte(secret),
			with("exp", time.Now().Add(-2*time.Minute).Unix())),
		"no exp":            sign(t, jwt.SigningMethodHS256, []byte(secret), with("exp", nil)),
		"exp text":          sign(t, jwt.SigningMethodHS256, []byte(secret), with("exp", "never")),
		"not yet":           sign(t, jwt.SigningMethodHS256, []byte(secret), with("nbf", soon())),
		"issued later":      sign(t, jwt.SigningMethodHS256, []byte(secret), with("iat", soon())),
		"issuer":            sign(t, jwt.SigningMethodHS256, []byte(secret), with("iss", "https://evil.example.com")),
		"no issuer":         sign(t, jwt.SigningMethodHS256, []byte(secret), with("iss", nil)),
		"audience":          sign(t, jwt.SigningMethodHS256, []byte(secret), with("aud", "other")),
		"no audience":       sign(t, jwt.SigningMethodHS256, []byte(secret), with("aud", nil)),
		"scopes of numbers": sign(t, jwt.SigningMethodHS256, []byte(secret), with("scope", []int{1})),
		"changed": parts[0] + "." + base64.RawURLEncoding.EncodeToString(
			[]byte(`{"sub":"root","exp":9999999999,"scope":"*"}`)) + "." + parts[2],
		"junk": "a.b.c", "dots": "..", "empty": "",
	} {
		if who, err := g.Identify(bearer(token)); !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
}

// TestTokenReasons checks that clocks may differ by a minute, and that the error beyond that has both values.
func TestTokenReasons(t *testing.T) {
	g := gate(t, auth.Config{Secret: []byte(secret), Issuer: "https://id.example.com", Audience: "taproot"})
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for name, c := range map[string]struct {
		claim string
		value any
		says  string // "": accepted
	}{
		"issued 2 s ahead":     {"iat", in(2 * time.Second), ""},
		"issued 50 s ahead":    {"iat", in(50 * time.Second), ""},
		"valid 2 s ahead":      {"nbf", in(2 * time.Second), ""},
		"expired 30 s ago":     {"exp", in(-30 * time.Second), ""},
		"issued an hour ahead": {"iat", in(time.Hour), "issued in the future"},
		"valid in an hour":     {"nbf", in(time.Hour), "not valid yet"},
		"expired an hour ago":  {"exp", in(-time.Hour), "it expired 1h0m"},
		"never expires":        {"exp", nil, "no exp claim"},
		"another issuer": {"iss", "https://other.example.com",
			`"https://other.example.com", and this server requires "https://id.example.com"`},
		"no issuer":        {"iss", nil, "iss"},
		"another audience": {"aud", "shop", `"shop", and this server requires "taproot"`},
		"no audience":      {"aud", nil, "aud"},
	} {
		claims := jwt.MapClaims{"sub": "ada", "exp": in(time.Hour), "iss": "https://id.example.com", "aud": "taproot"}
		if claims[c.claim] = c.value; c.value == nil {
			delete(claims, c.claim)
		}
		_, err := g.Identify(bearer(sign(t, jwt.SigningMethodHS256, []byte(secret), claims)))
		if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, auth.ErrInvalid) ||
			!strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		// The claims of a token with an invalid signature are not quoted.
		_, err = g.Identify(bearer(sign(t, jwt.SigningMethodHS256, []byte("another secret that is long enough, too"),
			claims)))
		if err == nil || !strings.Contains(err.Error(), "not signed by a key that this server trusts") {
			t.Errorf("%s, forged: %v", name, err)
		}
	}
	keysOnly := gate(t, auth.Config{Keys: []string{"a-key-that-is-long-enough"}})
	for credential, says := range map[string]string{
		sign(t, jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"exp": in(time.Hour)}): "takes only API keys",
		"another-key-that-is-long": "not one of this server's API keys",
	} {
		if _, err := keysOnly.Identify(bearer(credential)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func TestScopesOfTokens(t *testing.T) {
	g := gate(t, auth.Config{Secret: []byte(secret)})
	for _, c := range []struct {
		claim string
		value any
		may   bool
	}{
		{"scope", "devices:write", true}, {"scope", "runs:read devices:write", true}, {"scopes", []string{"devices:write"},
			true}, {"scp", "devices:write", true},
		{"scope", "*", true}, {"scope", "devices:read", false}, {"scope", "devices", false}, {"scope", "", false},
		{"roles", "devices:write", false},
	} {
		who, err := g.Identify(
			bearer(sign(t, jwt.SigningMethodHS512, []byte(secret), jwt.MapClaims{"exp": soon(), c.claim: c.value})))
		if err != nil || who.May("devices:write") != c.may {
			t.Errorf("%v: %+v, %v", c, who, err)
		}
	}
}

// TestPublicKeys checks that a token is verified with the algorithms of the configured key, whatever its header says.
func TestPublicKeys(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		public  any
		private any
		good    []jwt.SigningMethod
	}{
		{"rsa", &rsaKey.PublicKey, rsaKey, []jwt.SigningMethod{jwt.SigningMethodRS256, jwt.SigningMethodPS512}},
		{"ecdsa", &ecKey.PublicKey, ecKey, []jwt.SigningMethod{jwt.SigningMethodES256}},
		{"ed25519", edPublic, edKey, []jwt.SigningMethod{jwt.SigningMethodEdDSA}},
	} {
		der, err := x509.MarshalPKIXPublicKey(c.public)
		if err != nil {
			t.Fatal(err)
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		g := gate(t, auth.Config{PublicKey: text})
		for _, method := range c.good {
			if _, err := g.Identify(bearer(sign(t, method, c.private, jwt.MapClaims{"exp": soon()}))); err != nil {
				t.Errorf("%s %s: %v", c.name, method.Alg(), err)
			}
		}
		// The public key is public: it must not be accepted as a secret.
		for _, asSecret := range [][]byte{text, der, []byte(strings.TrimSpace(string(text)))} {
			if _, err := g.Identify(bearer(sign(t, jwt.SigningMethodHS256, asSecret, jwt.MapClaims{"exp": soon()}))); !errors.Is(
				err, auth.ErrInvalid) {
				t.Errorf("%s: a token signed with the public key: %v", c.name, err)
			}
		}
	}
	if _, err := auth.New(auth.Config{
		PublicKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})}); err == nil {
		t.Error("a private key was accepted")
	}
}

func FuzzIdentify(f *testing.F) {
	g, err := auth.New(auth.Config{Keys: []string{key}, Secret: []byte(secret)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Bearer "+key, "")
	f.Add("Bearer eyJhbGciOiJub25lIn0.eyJleHAiOjk5OTk5OTk5OTl9.", key)
	f.Fuzz(func(t *testing.T, authorization, apiKey string) {
		who, err := g.Identify(http.Header{"Authorization": {authorization}, "X-Api-Key": {apiKey}})
		if err == nil && who.Name == "" || err != nil && who.May("devices:read") {
			t.Fatalf("%+v, %v", who, err)
		}
	})
}
