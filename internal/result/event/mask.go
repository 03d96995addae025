package event

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Hidden replaces a secret.
const Hidden = "•••"

// Mask removes secrets from texts, in every form in which they are likely to be written: as they are, escaped for JSON,
// for a URL, and in base64, alone or within a longer text. Safe for concurrent use; the zero value masks nothing.
type Mask struct {
	mu       sync.RWMutex
	secrets  []string
	replacer *strings.Replacer
}

// Hide adds secrets.
func (m *Mask) Hide(secrets ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range secrets {
		if s != "" && !slices.Contains(m.secrets, s) {
			m.secrets = append(m.secrets, s)
		}
	}
	var forms []string
	for _, s := range m.secrets {
		forms = append(forms, formsOf(s)...)
	}
	// the longer ones first: one may contain another
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, Hidden)
	}
	m.replacer = strings.NewReplacer(pairs...)
}

// Empty reports whether there is nothing to hide.
func (m *Mask) Empty() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.secrets) == 0
}

// Text returns the text without the secrets.
func (m *Mask) Text(s string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.secrets) == 0 {
		return s
	}
	return m.replacer.Replace(s)
}

// Shows reports whether a text contains a secret in plain form.
func (m *Mask) Shows(s string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.ContainsFunc(m.secrets, func(secret string) bool { return strings.Contains(s, secret) })
}

func formsOf(s string) []string {
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s), hex.EncodeToString([]byte(s))}
	if quoted, err := json.Marshal(s); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	forms = append(forms, strings.Trim(fmt.Sprintf("%q", s), `"`), strings.Trim(strconv.QuoteToGraphic(s), `"`))
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 { // the secret within a longer text may start at any of three offsets
			if core := base64Core(enc, s, shift); len(core) >= 6 {
				forms = append(forms, core)
			}
		}
	}
	return forms
}

// base64Core returns the characters that depend on the secret alone, when shift bytes precede it.
func base64Core(enc *base64.Encoding, s string, shift int) string {
	text := enc.EncodeToString(append(make([]byte, shift), s...))
	from := (shift*8 + 5) / 6
	to := (shift + len(s)) * 8 / 6
	if from >= to {
		return ""
	}
	return text[from:to]
}

// Event returns e with every text masked.
func (m *Mask) Event(e Event) (Event, error) {
	if m.Empty() {
		return e, nil
	}
	line, err := Marshal(e)
	if err != nil {
		return e, err
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return e, err
	}
	if line, err = Marshal(m.values(tree)); err != nil {
		return e, err
	}
	masked := Event{}
	err = json.Unmarshal(line, &masked)
	return masked, err
}

// values masks the texts in decoded JSON. Keys are not masked: they come from Taproot.
func (m *Mask) values(v any) any {
	switch v := v.(type) {
	case string:
		return m.Text(v)
	case []any:
		for i := range v {
			v[i] = m.values(v[i])
		}
	case map[string]any:
		for k := range v {
			if k != "time" && k != "path" { // a file's name is masked before it becomes one
				v[k] = m.values(v[k])
			}
		}
	}
	return v
}

// Writer returns a writer that masks, line by line, what is written to w. Close writes the last line.
func (m *Mask) Writer(w io.Writer) io.WriteCloser { return &maskWriter{mask: m, to: w} }

type maskWriter struct {
	mask *Mask
	to   io.Writer
	line []byte
}

// maxMaskedLine limits the line that is buffered; a longer one is masked in parts.
const maxMaskedLine = 1 << 20

func (w *maskWriter) Write(p []byte) (int, error) {
	w.line = append(w.line, p...)
	end := bytes.LastIndexByte(w.line, '\n') + 1
	if end == 0 && len(w.line) > maxMaskedLine {
		end = len(w.line)
	}
	if end == 0 {
		return len(p), nil
	}
	_, err := io.WriteString(w.to, w.mask.Text(string(w.line[:end])))
	w.line = append(w.line[:0], w.line[end:]...)
	return len(p), err
}

func (w *maskWriter) Close() error {
	_, err := io.WriteString(w.to, w.mask.Text(string(w.line)))
	w.line = nil
	return err
}
