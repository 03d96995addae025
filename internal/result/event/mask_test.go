package event

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func TestMaskFindsASecretInEveryForm(t *testing.T) {
	const secret = `p@ss "wörd"/1`
	var m Mask
	m.Hide(secret)
	quoted, err := json.Marshal(map[string]string{"password": secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, "typed " + secret + ".", string(quoted), "https://x/?p=" +
		url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("ada:" + secret)),
		base64.StdEncoding.EncodeToString([]byte("user:" + secret + "!")),
		base64.URLEncoding.EncodeToString([]byte("x" + secret + "yz"))} {
		if got := m.Text(text); got == text || strings.Contains(got, "wörd") || !strings.Contains(got, Hidden) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := m.Text("nothing to hide"); got != "nothing to hide" {
		t.Errorf("became %q", got)
	}
}

func TestMaskWriterHoldsBackUnfinishedLines(t *testing.T) {
	var m Mask
	m.Hide("lovelace")
	var out bytes.Buffer
	w := m.Writer(&out)
	for _, part := range []string{"pass=love", "lace\nnext lo", "velace"} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || strings.Contains(out.String(), "love") || strings.Count(out.String(), Hidden) != 2 {
		t.Errorf("%q, %v", out.String(), err)
	}
}
