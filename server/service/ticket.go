package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// ticketLife is how long the URL of a report's page works.
const ticketLife = time.Hour

// ticket lets its bearer read the files of one run for a while, as long as the session that made it lasts. Report pages
// are in a sandbox and send no cookies, so their URL contains a ticket instead.
type ticket struct {
	Session string `json:"s"`
	Project string `json:"p"`
	Run     string `json:"r"`
	Ends    int64  `json:"e"`
}

const ticketPlace = "ticket"

// Ticket returns a part of a URL for the run's files that needs no cookie.
func (p *Person) Ticket(project *Project, run string) string {
	text, _ := json.Marshal(ticket{p.Session, project.ID, run, p.s.now().Add(ticketLife).Unix()}) // never fails
	return base64.RawURLEncoding.EncodeToString(p.s.seal.Seal(nil, nil, text, []byte(ticketPlace)))
}

// maxTicket limits the length of a ticket.
const maxTicket = 1000

// OpenTicket returns who may read which run. It returns ErrInvalid when the ticket or its session has ended,
// ErrNotFound when the person has left the project.
func (s *Service) OpenTicket(ctx context.Context, text string, from From) (*Person, *Project, string, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(text) > maxTicket {
		return nil, nil, "", ErrInvalid
	}
	plain, err := s.seal.Open(nil, nil, data, []byte(ticketPlace))
	var t ticket
	if err != nil || json.Unmarshal(plain, &t) != nil || s.now().Unix() >= t.Ends {
		return nil, nil, "", ErrInvalid
	}
	now := s.now()
	p, err := s.person(ctx, "s.id = $1 AND s.kind = '"+kindConsole+"' AND s.expires > $2 AND s.used > $3",
		[]any{t.Session, store.Time(now), store.Time(now.Add(-consoleIdle))}, from)
	if err != nil {
		return nil, nil, "", err
	}
	project, err := p.Project(ctx, t.Project)
	return p, project, t.Run, err
}
