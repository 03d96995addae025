package mailurl

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Server{
		"imaps://ada:lovelace@imap.example.com": {Address: "imap.example.com:993", User: "ada", Password: "lovelace",
			Mailbox: "INBOX"},
		"imaps://ada%40example.com:a%2Fb%40c@imap.example.com:9993/Archive/2026": {Address: "imap.example.com:9993",
			User: "ada@example.com", Password: "a/b@c", Mailbox: "Archive/2026"},
		"imap://ada:x@mail/INBOX": {Address: "mail:143", User: "ada", Password: "x", Mailbox: "INBOX",
			Security: StartTLS},
		"imap://ada:x@mail:3143?tls=off": {Address: "mail:3143", User: "ada", Password: "x", Mailbox: "INBOX",
			Security: Plain},
		"imap://ada:x@localhost:3143/Entw%C3%BCrfe": {Address: "localhost:3143", User: "ada", Password: "x",
			Mailbox:  "Entwürfe",
			Security: Plain},
		"imap://ada:x@[::1]:3143": {Address: "[::1]:3143", User: "ada", Password: "x", Mailbox: "INBOX", Security: Plain},
	} {
		got, err := Parse(text)
		got.written = ""
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"http://localhost:8025":               "http://localhost:8025/",
		"https://ada:x@mail.example.com/pit/": "https://mail.example.com/pit/",
		"http://[::1]:8025/a":                 "http://[::1]:8025/a/",
	} {
		if got, err := Parse(text); err != nil || got.Base == nil || got.String() != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// TestMistakes checks that mistakes are reported, without the password.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "does not start with",
		"ada:lovelace@example.com":  "does not start with",
		"smtp://ada:lovelace@host":  "does not start with",
		"imaps://host":              "needs a user and a password",
		"imaps://ada@host":          "needs a user and a password",
		"imaps://:lovelace@host":    "needs a user and a password",
		"imaps://ada:love/lace@h":   "as %40",
		"imaps://ada:love%lace@h":   "as %40",
		"imaps://ada:lovelace@":     "names no host",
		"imaps://ada:lovelace@h:x":  "as %40",
		"imaps://ada:lovelace@h:0":  "from 1 to 65535",
		"imaps://ada:love#lace@h":   "",
		"imaps://ada:lovelace@h?a":  "has no query",
		"imap://ada:lovelace@h?a":   "?tls=off is the only one",
		"http://ada:lovelace@h/?a":  "has a query",
		"imaps://ada:love%0Alace@h": "line break",
		"http://":                   "names no host",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
			continue
		}
		for _, part := range []string{"love", " lace", "/lace", "#lace"} {
			if strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v shows the password", text, err)
			}
		}
	}
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string][]string{
		"imaps://ada:lovelace@host/INBOX":  {"lovelace"},
		"imaps://ada:a%2Fb@host":           {"a%2Fb", "a/b"},
		"http://ada:a@b@host":              {"a@b"},
		"imaps://ada:${PASSWORD}@host":     {"${PASSWORD}"},
		"imaps://ada:wrong%zz@host":        {"wrong%zz"},
		"http://localhost:8025":            nil,
		"https://example.com/a:b@c":        nil,
		"ada:lovelace@host":                nil,
		"":                                 nil,
		"imaps://ada:in/the@path:9/INBOX?": nil,
	} {
		if got := Secrets(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("imaps://ada:lovelace@host/INBOX")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse(text); err == nil && s.Password != "" && len(Secrets(text)) == 0 {
			t.Errorf("%q has a password that is not hidden", text)
		}
	})
}
