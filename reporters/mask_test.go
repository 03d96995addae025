package reporters

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMaskFindsASecretInEveryForm(t *testing.T) {
	const secret = `p@ss "wörd"/1`
	var m Mask
	m.Hide(secret)
	quoted, err := json.Marshal(map[string]string{"password": secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, "typed " + secret + ".", string(quoted), "https://x/?p=" + url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("ada:" + secret)),
		base64.StdEncoding.EncodeToString([]byte("user:" + secret + "!")), base64.URLEncoding.EncodeToString([]byte("x" + secret + "yz"))} {
		if got := m.Text(text); got == text || strings.Contains(got, "wörd") || !strings.Contains(got, hidden) {
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
	if err := w.Close(); err != nil || strings.Contains(out.String(), "love") || strings.Count(out.String(), hidden) != 2 {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestPackHidesSecrets(t *testing.T) {
	dir, err := NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var seen []Event
	p, err := dir.NewPack(Case{ID: "a", Pack: "a"}, PackOptions{Observe: func(_ Case, e Event) { seen = append(seen, e) }})
	if err != nil {
		t.Fatal(err)
	}
	p.Mask().Hide("lovelace")
	for _, e := range []Event{
		{Kind: CaseStarted, Case: &Case{ID: "a", Pack: "a", Steps: []Step{{N: 1, Action: "input", Args: "lovelace"}}}},
		{Kind: StepStarted, Step: 1}, {Kind: Logged, Message: "typed lovelace"},
		{Kind: StepEnded, Step: 1, Verdict: Fail, Problem: &Problem{Message: "not lovelace", Actual: "lovelace"}},
		{Kind: CaseEnded, Verdict: Fail, Problem: &Problem{Message: "not lovelace"}},
	} {
		if err := p.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"events.ndjson", "run.md", "summary.json"} {
		if data := readFileOf(t, p.Dir(), name); strings.Contains(data, "lovelace") || !strings.Contains(data, hidden) {
			t.Errorf("%s: %s", name, data)
		}
	}
	if text, err := json.Marshal(seen); err != nil || bytes.Contains(text, []byte("lovelace")) {
		t.Errorf("observed %s, %v", text, err)
	}
}

func readFileOf(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
