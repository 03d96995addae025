package mailboxtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Mailpit has the part of the REST API of Mailpit that the tests need.
type Mailpit struct {
	*httptest.Server
	// User and Key are asked for when they are not empty.
	User, Key string

	mu    sync.Mutex
	mails []pitMail // the oldest first
	asked []string
}

type pitMail struct {
	id, to, subject, body string
	created               time.Time
}

// NewMailpit starts one, at the path /pit/.
func NewMailpit(t testing.TB) *Mailpit {
	p := &Mailpit{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, r.Method+" "+r.URL.String())
		if user, key, _ := r.BasicAuth(); p.User != "" && (user != p.User || key != p.Key) {
			http.Error(w, "Unauthorized.", http.StatusUnauthorized)
			return
		}
		rest, below := strings.CutPrefix(r.URL.Path, "/pit/api/v1/")
		id, raw := strings.CutSuffix(strings.TrimPrefix(rest, "message/"), "/raw")
		at := slices.IndexFunc(p.mails, func(m pitMail) bool { return m.id == id })
		switch {
		case rest == "send" && r.Method == http.MethodPost:
			p.send(w, r)
		case !below || r.Method != http.MethodGet:
			http.NotFound(w, r)
		case rest == "messages":
			p.list(w, r)
		case raw && at >= 0:
			m := p.mails[at]
			_, _ = fmt.Fprintf(w, "To: %s\r\nSubject: %s\r\n%s", m.to, m.subject, strings.ReplaceAll(m.body, "\n", "\r\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// Base is the URL of the API.
func (p *Mailpit) Base() string { return p.URL + "/pit" }

// Deliver adds a mail; body starts with further lines of its header, or with an empty line.
func (p *Mailpit) Deliver(to, subject, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(to, subject, body)
}

func (p *Mailpit) add(to, subject, body string) string {
	id := fmt.Sprintf("mail%dx", len(p.mails))
	p.mails = append(p.mails, pitMail{id: id, to: to, subject: subject, body: body,
		created: time.Now().Truncate(time.Millisecond)})
	return id
}

// send takes a mail of an app.
func (p *Mailpit) send(w http.ResponseWriter, r *http.Request) {
	var m struct {
		To            []struct{ Email string }
		Subject, Text string
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || len(m.To) != 1 {
		http.Error(w, "a mail with one recipient is wanted", http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"ID": p.add(m.To[0].Email, m.Subject, "\n"+m.Text)})
}

// Asked returns the requests until now.
func (p *Mailpit) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p *Mailpit) list(w http.ResponseWriter, r *http.Request) {
	start, err := strconv.Atoi(r.URL.Query().Get("start"))
	limit, err2 := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || err2 != nil {
		http.Error(w, "start and limit are wanted", http.StatusBadRequest)
		return
	}
	list := []map[string]any{}
	for i, m := range slices.Backward(p.mails) {
		if nth := len(p.mails) - 1 - i; nth >= start && nth < start+limit {
			list = append(list, map[string]any{"ID": m.id, "Subject": m.subject,
				"Created": m.created.Format(time.RFC3339Nano),
				"From":    map[string]string{"Name": "Shop", "Address": "shop@example.com"},
				"To":      []map[string]string{{"Name": "", "Address": m.to}}, "Cc": []any{}, "Bcc": nil, "Read": false,
				"Size": 7})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"total": len(p.mails), "messages_count": len(p.mails), "start": start,
		"messages": list})
}
