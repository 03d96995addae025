package action

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/mailbox"
	"github.com/taproot-dev/taproot/internal/mailurl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	// mailPace is between two reads of a mailbox.
	mailPace = 500 * time.Millisecond
	// mailGrace is how long a read may take beyond the time of the step: the last one starts at its end.
	mailGrace = 2 * time.Second
	// markLimit is how long a server may take to say which mail it has before the first step.
	markLimit = 15 * time.Second
	// maxListed is how many mails a failure lists.
	maxListed = 10
)

// Mails are what a test knows of mailboxes: which mail was there before its first step, and which its steps have taken.
// Safe for concurrent use.
type Mails struct {
	from time.Time

	mu    sync.Mutex
	marks map[string]markResult // by the server's URL
	taken map[string]bool       // server and id
	last  map[dsl.WaitForMail]int64
	older map[string]bool // those before a taken one, of steps that wait for the same mail
}

type markResult struct {
	mark mailbox.Mark
	err  error
}

// NewMails takes the mail that arrives from this time on.
func NewMails(from time.Time) *Mails {
	return &Mails{from: from, marks: map[string]markResult{}, taken: map[string]bool{},
		last: map[dsl.WaitForMail]int64{}, older: map[string]bool{}}
}

// Note notes which mail the servers of these URLs have. A server that cannot be used fails the step that needs it, not
// this call.
func (m *Mails) Note(ctx context.Context, s *Performer, urls []string) {
	ctx, cancel := context.WithTimeout(ctx, markLimit)
	defer cancel()
	var work sync.WaitGroup
	for _, url := range urls {
		server, err := mailurl.Parse(url)
		if err != nil {
			continue // the step reports it
		}
		work.Go(func() {
			var r markResult
			if panicked := Guard(func() error { r = note(ctx, s, server); return nil }); panicked != nil {
				r.err = panicked
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			m.marks[url] = r
		})
	}
	work.Wait()
}

func note(ctx context.Context, s *Performer, server mailurl.Server) (r markResult) {
	box, err := mailbox.Open(ctx, server, mailOptions(s))
	if err != nil {
		return markResult{err: err}
	}
	defer box.Close()
	r.mark, r.err = box.Mark(ctx)
	return r
}

// mark returns what was noted of a server. One that was not known before the first step has a time.
func (m *Mails) mark(url string) (mailbox.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, noted := m.marks[url]
	if !noted {
		return mailbox.Mark{After: m.from}, nil
	}
	if r.err != nil {
		return mailbox.Mark{}, fmt.Errorf("which mail was there before the first step could not be found out: %w", r.err)
	}
	return r.mark, nil
}

// free reports whether no step has taken a mail, nor a later one that it asked for in the same way.
func (m *Mails) free(a dsl.WaitForMail, mail mailbox.Mail) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, before := m.last[a.Which()]
	return !m.taken[mailKey(a, mail)] && (!before || mail.Order >= last && !m.older[olderKey(a, mail)])
}

func mailKey(a dsl.WaitForMail, mail mailbox.Mail) string { return a.Server + "\x00" + mail.ID }

func olderKey(a dsl.WaitForMail, mail mailbox.Mail) string {
	return strings.Join([]string{mailKey(a, mail), a.To, a.Subject, string(a.Match)}, "\x00")
}

// take takes a mail, unless another step was faster. Those before it are too old for steps that wait for the same mail:
// they may have arrived at the same moment.
func (m *Mails) take(a dsl.WaitForMail, mail mailbox.Mail, before []mailbox.Mail) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken[mailKey(a, mail)] {
		return false
	}
	m.taken[mailKey(a, mail)] = true
	for _, old := range before {
		m.older[olderKey(a, old)] = true
	}
	m.last[a.Which()] = mail.Order
	return true
}

// mailOptions are how the session may reach mail servers.
func mailOptions(s *Performer) mailbox.Options {
	return mailbox.Options{Dial: s.Access.Dial, Client: s.Client()}
}

// waitForMail looks into a mailbox until a mail is there that the test has not taken.
func waitForMail(ctx context.Context, s *Performer, a dsl.WaitForMail) error {
	w, err := newMailWait(s, a)
	if err != nil {
		return refusedMail(err)
	}
	defer w.close()
	limited, cancel := context.WithTimeout(ctx, s.Timeout+mailGrace)
	defer cancel()
	err = pollEvery(limited, s.Timeout, mailPace, func() error { return w.lookForMail(limited) })
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errWait) && w.lost != nil:
		return w.lost
	case errors.Is(err, errWait):
		return w.failure()
	}
	return refusedMail(err)
}

// refusedMail makes a refusal of the guard of connections a failure of the test.
func refusedMail(err error) error {
	var refused *guard.RefusedError
	if errors.As(err, &refused) {
		return &refusal{Failure{event.Problem{Message: err.Error(), Kind: event.Refused}}, err}
	}
	return err
}

// mailWait is a running waitForMail.
type mailWait struct {
	s        *Performer
	a        dsl.WaitForMail
	server   mailurl.Server
	mark     mailbox.Mark
	fits     func(subject string) bool
	extract  *regexp.Regexp // nil: nothing is taken from the text
	inbox    mailbox.Box    // nil: not connected
	worked   bool           // it was connected before
	lost     error          // why it is not any more
	arrived  []mailbox.Mail // since the mark
	contents map[string]mailbox.Content
}

func newMailWait(s *Performer, a dsl.WaitForMail) (*mailWait, error) {
	w := &mailWait{s: s, a: a, contents: map[string]mailbox.Content{}}
	var err error
	if w.server, err = mailurl.Parse(a.Server); err != nil {
		return nil, &Failure{problem("the URL of the mail server is wrong: %v", err)}
	}
	if w.fits, err = (screen.Query{Selector: dsl.Selector{Label: a.Subject, Match: a.Match}}).Texts(); err != nil {
		return nil, &Failure{problem("subject: %v", err)}
	}
	if a.Extract != "" {
		if w.extract, err = regexp.Compile(a.Extract); err != nil {
			return nil, &Failure{problem("extract: %v", err)}
		}
	}
	if s.Mails == nil {
		s.Mails = NewMails(time.Now())
	}
	if w.mark, err = s.Mails.mark(a.Server); err != nil {
		return nil, err
	}
	if !w.mark.Exact() {
		s.note("the mail server was not known before the first step: its clock says which mail is new")
	}
	return w, nil
}

func (w *mailWait) close() {
	if w.inbox != nil {
		_ = w.inbox.Close() // it was only read
	}
}

// lookForMail reads the mailbox once. errWait: the mail is not there. A connection that is lost is made again.
func (w *mailWait) lookForMail(ctx context.Context) error {
	err := w.lookOnce(ctx)
	var broken *mailbox.Error
	if w.worked && errors.As(err, &broken) && broken.Passing && ctx.Err() == nil {
		w.close()
		w.inbox, w.lost = nil, err
		w.s.noteOnce("the connection to the mail server was lost, and made again")
		return errWait
	}
	return err
}

func (w *mailWait) lookOnce(ctx context.Context) error {
	if w.inbox == nil {
		box, err := mailbox.Open(ctx, w.server, mailOptions(w.s))
		if err != nil {
			return err
		}
		w.inbox = box
	}
	fresh, err := w.inbox.New(ctx, w.mark)
	if err != nil {
		return err
	}
	w.worked, w.lost = true, nil
	for _, mail := range fresh {
		if !slices.ContainsFunc(w.arrived, func(m mailbox.Mail) bool { return m.ID == mail.ID }) {
			w.arrived = append(w.arrived, mail)
		}
	}
	for i, mail := range slices.Backward(w.arrived) {
		if !w.isFor(mail) || !w.s.Mails.free(w.a, mail) {
			continue
		}
		value, found, err := w.value(ctx, mail)
		if err != nil {
			return err
		}
		if found && w.s.Mails.take(w.a, mail, w.arrived[:i]) {
			w.s.Value = value
			w.s.note("mail %s, arrived at %s", describeMail(mail), mail.Arrived.UTC().Format(time.RFC3339))
			return nil
		}
	}
	return errWait
}

// isFor reports whether a mail has the recipient and the subject.
func (w *mailWait) isFor(mail mailbox.Mail) bool {
	return (w.a.To == "" || mail.SentTo(w.a.To)) && (w.a.Subject == "" || w.fits(mail.Subject))
}

// value is what as saves of a mail.
func (w *mailWait) value(ctx context.Context, mail mailbox.Mail) (any, bool, error) {
	content, read := w.contents[mail.ID]
	if !read {
		var err error
		if content, err = w.inbox.Content(ctx, mail); err != nil {
			return nil, false, err
		}
		w.contents[mail.ID] = content
	}
	texts := content.Texts()
	if w.extract == nil {
		text := ""
		if len(texts) > 0 {
			text = texts[0]
		}
		return map[string]any{"from": mail.From, "to": strings.Join(mail.To, ", "), "subject": mail.Subject,
				"text": text},
			true, nil
	}
	for _, text := range texts {
		if m := w.extract.FindStringSubmatch(text); m != nil {
			return m[min(1, len(m)-1)], true, nil
		}
	}
	return nil, false, nil
}

func describeMail(mail mailbox.Mail) string {
	to := "nobody"
	if len(mail.To) > 0 {
		to = phrase.LimitRunes(mail.To[0], 80)
	}
	if len(mail.To) > 1 {
		to += fmt.Sprintf(" and %d more", len(mail.To)-1)
	}
	return screen.Quote(mail.Subject) + " to " + to
}

// failure says which mail has arrived instead.
func (w *mailWait) failure() error {
	want := "a mail"
	if w.a.To != "" {
		want += " to " + w.a.To
	}
	if w.a.Subject != "" {
		want += " with the subject " + screen.Quote(w.a.Subject)
	}
	p := problem("")
	p.Assertion = true
	p.Expected = want
	if w.extract != nil {
		p.Expected += " and a text that fits " + w.a.Extract
	}
	p.Actual = w.others()
	p.Message = fmt.Sprintf("%s did not arrive at %s within %s: %s", want, w.server,
		phrase.Duration(w.s.Timeout), p.Actual)
	if mail, text, wrong := w.notExtracted(); wrong {
		p.Actual = screen.Quote(text)
		p.Message = fmt.Sprintf("the mail %s arrived, and %s matches nothing of its text within %s: %s",
			describeMail(mail),
			w.a.Extract, phrase.Duration(w.s.Timeout), p.Actual)
	}
	return &Failure{p}
}

// notExtracted is the newest mail that only lacks what extract needs.
func (w *mailWait) notExtracted() (mailbox.Mail, string, bool) {
	for _, mail := range slices.Backward(w.arrived) {
		if content, read := w.contents[mail.ID]; read && w.isFor(mail) && w.s.Mails.free(w.a, mail) {
			return mail, strings.Join(content.Texts(), "\n"), true
		}
	}
	return mailbox.Mail{}, "", false
}

// others lists the mail that has arrived, the newest first.
func (w *mailWait) others() string {
	if len(w.arrived) == 0 {
		return "no mail arrived since the start of the test"
	}
	var list []string
	hint := ""
	for _, mail := range slices.Backward(w.arrived) {
		text := describeMail(mail)
		if w.isFor(mail) {
			text += " (an earlier step took it, or a later one)"
		} else if w.a.Subject != "" && !w.fits(mail.Subject) && hint == "" && screen.TextShows(mail.Subject,
			w.a.Subject) {
			hint = "; a part of a subject needs match: words"
		}
		list = append(list, text)
	}
	more := ""
	if len(list) > maxListed {
		more = fmt.Sprintf(" and %d older", len(list)-maxListed)
		list = list[:maxListed]
	}
	return "since the start of the test arrived " + strings.Join(list, ", ") + more + hint
}
