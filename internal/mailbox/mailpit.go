package mailbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/internal/mailurl"
)

const (
	// pageOfMails is how many mails are listed at once, maxPages how many such lists are read in a row.
	pageOfMails = 100
	maxPages    = maxNew / pageOfMails
	// maxList limits the answer with a list.
	maxList = 8 << 20
)

// mailpit is the mailbox of a Mailpit, by its REST API.
type mailpit struct {
	server   mailurl.Server
	client   *http.Client
	returned map[string]bool
}

func openMailpit(s mailurl.Server, o Options) *mailpit {
	client := o.Client
	if client == nil {
		client = http.DefaultClient
	}
	return &mailpit{server: s, client: client, returned: map[string]bool{}}
}

// summary is a mail in a list of Mailpit.
type summary struct {
	ID      string
	Subject string
	Created time.Time
	From    *recipient
	To      []recipient
	Cc      []recipient
	Bcc     []recipient
}

type recipient struct{ Address string }

func (s summary) mail() Mail {
	m := Mail{ID: s.ID, Order: s.Created.UnixNano(), Subject: s.Subject, Arrived: s.Created}
	if s.From != nil {
		m.From = s.From.Address
	}
	for _, r := range slices.Concat(s.To, s.Cc, s.Bcc) {
		m.To = append(m.To, r.Address)
	}
	return m
}

// Mark notes the newest mail. Several may have arrived at the same time.
func (b *mailpit) Mark(ctx context.Context) (Mark, error) {
	mark := Mark{After: time.Now(), known: true}
	list, err := b.list(ctx, 0)
	if err != nil {
		return Mark{}, err
	}
	for _, s := range list {
		if mark.newest.IsZero() {
			mark.newest = s.Created
		}
		if s.Created.Equal(mark.newest) {
			mark.ids = append(mark.ids, s.ID)
		}
	}
	return mark, nil
}

func (b *mailpit) New(ctx context.Context, after Mark) ([]Mail, error) {
	var all []Mail
	for page := range maxPages {
		list, err := b.list(ctx, page*pageOfMails)
		if err != nil {
			return nil, err
		}
		old := false
		for _, s := range list { // the newest comes first
			if !after.precedes(s) {
				old = true
			} else if !b.returned[s.ID] {
				b.returned[s.ID] = true
				all = append(all, s.mail())
			}
		}
		if old || len(list) < pageOfMails {
			break
		}
	}
	slices.Reverse(all)
	return newest(all), nil
}

// precedes reports whether a mail arrived after the mark.
func (m Mark) precedes(s summary) bool {
	if !m.known {
		return !s.Created.Before(m.After.Truncate(time.Second))
	}
	return s.Created.After(m.newest) || s.Created.Equal(m.newest) && !slices.Contains(m.ids, s.ID)
}

func (b *mailpit) list(ctx context.Context, start int) ([]summary, error) {
	const doing = "list the mail"
	query := url.Values{"start": {strconv.Itoa(start)}, "limit": {strconv.Itoa(pageOfMails)}}
	data, err := b.get(ctx, doing, "api/v1/messages?"+query.Encode(), maxList)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Messages *[]summary `json:"messages"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || answer.Messages == nil {
		return nil, problem(ctx, b.server, doing, errors.New("its answer is not that of Mailpit: "+
			printable(string(data[:min(len(data), 400)]))))
	}
	return *answer.Messages, nil
}

func (b *mailpit) Content(ctx context.Context, m Mail) (Content, error) {
	data, err := b.get(ctx, "read a mail", "api/v1/message/"+url.PathEscape(m.ID)+"/raw", maxMail)
	if err != nil {
		return Content{}, err
	}
	return ReadContent(bytes.NewReader(data)), nil
}

// get reads an answer. A mail may be longer than its limit: then the beginning counts.
func (b *mailpit) get(ctx context.Context, doing, path string, limit int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.Base.String()+path, nil)
	if err != nil {
		return nil, problem(ctx, b.server, doing, errors.New("the URL is wrong"))
	}
	if b.server.User != "" || b.server.Password != "" {
		request.SetBasicAuth(b.server.User, b.server.Password)
	}
	answer, err := b.client.Do(request)
	if err != nil {
		return nil, problem(ctx, b.server, doing, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit))
	switch {
	case err != nil:
		return nil, problem(ctx, b.server, doing, err)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, problem(ctx, b.server, doing, errors.New("the user or the password is wrong: status "+answer.Status))
	case answer.StatusCode == http.StatusNotFound:
		return nil, problem(ctx, b.server, doing, errors.New("there is no API of Mailpit at this URL: status "+
			""+answer.Status))
	case answer.StatusCode != http.StatusOK:
		return nil, problem(ctx, b.server, doing, fmt.Errorf("status %s", answer.Status))
	}
	return data, nil
}

func (b *mailpit) Close() error { return nil }
