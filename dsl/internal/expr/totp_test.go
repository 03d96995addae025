package expr

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
)

// The secrets of the test vectors of RFC 6238, appendix B, in base32.
const (
	seed20 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	seed32 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA===="
	seed64 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA="
)

// evalAt evaluates an expression at a time, and returns what is hidden.
func evalAt(t *testing.T, text string, vars map[string]any, at int64) (got any, hidden []string, err error) {
	t.Helper()
	s := &Scope{saved: vars, values: map[string]string{}, typed: map[string]any{}}
	s.codes.now = func() time.Time { return time.Unix(at, 0) }
	s.HideCodes(func(secrets ...string) { hidden = append(hidden, secrets...) })
	got, err = s.Eval(text, source.Pos{}, nil)
	return got, hidden, err
}

// TestTOTPVectors: the codes are those of RFC 6238; with six digits they are the last six.
func TestTOTPVectors(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		at                   int64
		sha1, sha256, sha512 string
	}{{59, "94287082", "46119246", "90693936"}, {1111111109, "07081804", "68084774", "25091201"},
		{1111111111, "14050471", "67062674", "99943326"}, {1234567890, "89005924", "91819424", "93441116"},
		{2000000000, "69279037", "90698825", "38618901"}, {20000000000, "65353130", "77737706", "47863826"}} {
		for expression, want := range map[string]string{
			"totp(S)": v.sha1[2:],
			`totp("otpauth://totp/Shop:ada?digits=8&secret=` + seed20 + `")`:                       v.sha1,
			`totp("otpauth://totp/Shop:ada?digits=8&algorithm=SHA256&secret=` + seed32[:52] + `")`: v.sha256,
			`totp("otpauth://totp/Shop:ada?digits=8&algorithm=SHA512&secret=` + seed64 + `")`:      v.sha512,
		} {
			got, hidden, err := evalAt(t, expression, map[string]any{"S": seed20}, v.at)
			if err != nil || got != want {
				t.Errorf("%s at %d: %v, %v, want %q", expression, v.at, got, err, want)
			}
			if !slices.Contains(hidden, want) {
				t.Errorf("%s at %d: %q is not hidden: %q", expression, v.at, want, hidden)
			}
		}
	}
}

// TestTOTPSecret: a secret may be written as apps show it, and its code is a text that keeps its zeros.
func TestTOTPSecret(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{seed20, strings.ToLower(seed20), "gezd gnbv gy3t qojq gezd gnbv gy3t qojq",
		"GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ", " " + seed20 + "\n", seed20 + "===="} {
		for _, expression := range []string{"totp(S)", "S | totp()", "totp(m.s)", `"" + totp(S)`} {
			got, hidden, err := evalAt(t, expression, map[string]any{"S": secret, "m": map[string]any{"s": secret}}, 1111111111)
			if err != nil || got != "050471" {
				t.Errorf("%s of %q: %v, %v", expression, secret, got, err)
			}
			for _, want := range []string{strings.TrimSpace(secret), seed20, strings.ToLower(seed20), "050471"} {
				if !slices.Contains(hidden, want) {
					t.Errorf("%s of %q: %q is not hidden: %q", expression, secret, want, hidden)
				}
			}
		}
	}
	// a number keeps the spelling of the file
	number := source.Value{Kind: source.Int, Text: "2345672345672345"}.Go()
	if got, _, err := evalAt(t, "totp(S)", map[string]any{"S": number}, 0); err != nil || len(got.(string)) != 6 {
		t.Errorf("a number: %v, %v", got, err)
	}
	// the name stays free for variables
	if got, _, err := evalAt(t, "totp + totp(S)", map[string]any{"S": seed20, "totp": "x"}, 59); err != nil ||
		got != "x287082" {
		t.Errorf("a variable with that name: %v, %v", got, err)
	}
	names := (Expr{Text: "totp(S) + totp"}).Names()
	if len(names) != 2 || names[0].Name != "S" || names[1].Name != "totp" {
		t.Errorf("names %v", names)
	}
}

// TestTOTPErrors: errors name the function and the fix, never the secret.
func TestTOTPErrors(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`totp("SECRET18")`: "not in base32",
		`totp("")`:         "is empty",
		`totp(" - ")`:      "is empty",
		`totp("otpauth://hotp/x?secret=GEZDGNBV")`:        "starts with otpauth://totp/",
		`totp("otpauth:%zz")`:                             "starts with otpauth://totp/",
		`totp("otpauth://totp/x?period=0&secret=GEZDGN")`: "period",
		`totp("otpauth://totp/x?digits=0&secret=GEZDGN")`: "digits",
		`totp("otpauth://totp/x?digits=40&secret=GEZDG")`: "digits",
		`totp("otpauth://totp/x")`:                        "is empty",
		`totp()`:                                          "totp takes one secret",
		`totp("a", "b")`:                                  "totp takes one secret",
		`totp(nil)`:                                       "is empty",
		`totp("GEZDGNBV") > 5`:                            "does not work between a text and a number",
		`totpp("GEZDGNBV")`:                               `there is no function "totpp"`,
		`totp(GEZDGNBV)`:                                  "the variable GEZDGNBV is not defined",
	} {
		_, _, err := evalAt(t, expression, map[string]any{}, 0)
		var bad *source.Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Msg, want) {
			t.Errorf("%s: %v, want %q", expression, err, want)
			continue
		}
		if strings.Contains(bad.Msg+bad.Hint, "SECRET18") {
			t.Errorf("%s: the error contains the secret: %v", expression, err)
		}
		if strings.Contains(bad.Msg, "of totp") && !strings.Contains(bad.Hint, "authenticators") {
			t.Errorf("%s: no hint: %+v", expression, bad)
		}
	}
	for text, want := range map[string]bool{"totp(S)": true, "totp (S)": true, "[totp(S)]": true, "totp": false,
		"x.totp(S)": false, `"totp(S)"`: false, "totp(": false} {
		if got := (Expr{Text: text}).ComputesCode(); got != want {
			t.Errorf("%s computes a code: %t", text, got)
		}
	}
	if _, constant := ConstantOf(Expr{Text: `totp("GEZDGNBV") == "1"`}, nil); constant {
		t.Error("a code is not constant")
	}
}
