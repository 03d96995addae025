package mailbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/taproot-dev/taproot/internal/mailurl"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// maxHeader is how much of a mail's header is read.
	maxHeader = 64 << 10
	// maxMail is how much of a mail is read: texts come before attachments.
	maxMail = 16 << 20
	// maxAnswer limits what a server may send for one command.
	maxAnswer = 64 << 20
	// maxNew is how many mails are looked at for one command; the newest count.
	maxNew = 1000
)

// imapBox is a mailbox of an IMAP server, opened for reading only.
type imapBox struct {
	server   mailurl.Server
	conn     *limitedConn
	client   *imapclient.Client
	validity uint32
	next     uint32 // the UID of the first mail that New has not returned; 0: it has returned none
	uidNext  uint32 // when the mailbox was opened
}

// limitedConn ends when a server sends more than it may for one command. It notes why reading ended, which the errors
// of the library do not keep.
type limitedConn struct {
	net.Conn
	left  atomic.Int64
	ended atomic.Pointer[error]
}

var errTooMuch = fmt.Errorf("the server sent more than %d MiB", maxAnswer>>20)

func (c *limitedConn) Read(p []byte) (int, error) {
	if c.left.Load() <= 0 {
		return 0, errTooMuch
	}
	n, err := c.Conn.Read(p)
	c.left.Add(-int64(n))
	if err != nil {
		c.ended.CompareAndSwap(nil, &err)
	}
	return n, err
}

// problem is an error of a command.
func (b *imapBox) problem(ctx context.Context, doing string, err error) error {
	var refused *imap.Error
	switch ended := b.conn.ended.Load(); {
	case errors.As(err, &refused):
		err = errors.New(printable(refused.Text))
	case b.conn.left.Load() <= 0:
		err = errTooMuch
	case ended != nil:
		err = *ended
	default:
		err = errors.New("the server sent something that is not IMAP: " + printable(err.Error()))
	}
	return problem(ctx, b.server, doing, err)
}

// printable is a text of a server on one line.
func printable(text string) string {
	return strconv.Quote(phrase.LimitRunes(strings.ToValidUTF8(text, "?"), 200))
}

func openIMAP(ctx context.Context, s mailurl.Server, o Options) (Box, error) {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	raw, err := dial(ctx, "tcp", s.Address)
	if err != nil {
		return nil, problem(ctx, s, "connect", err)
	}
	host, _, _ := net.SplitHostPort(s.Address)
	config := &tls.Config{ServerName: host, RootCAs: o.Roots, NextProtos: []string{"imap"}}
	b := &imapBox{server: s, conn: &limitedConn{}}
	b.conn.left.Store(maxAnswer)
	if s.Security == mailurl.TLS {
		encrypted := tls.Client(raw, config)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, problem(ctx, s, "encrypt the connection", err)
		}
		raw = encrypted
	}
	b.conn.Conn = raw
	if err := b.start(ctx, config); err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// start signs in and opens the mailbox.
func (b *imapBox) start(ctx context.Context, config *tls.Config) error {
	defer b.limit(ctx)()
	s := b.server
	if s.Security == mailurl.StartTLS {
		client, err := imapclient.NewStartTLS(b.conn, &imapclient.Options{TLSConfig: config})
		if err != nil {
			return b.notEncrypted(ctx, err)
		}
		b.client = client
	} else {
		b.client = imapclient.New(b.conn, nil)
	}
	if err := b.client.WaitGreeting(); err != nil {
		return b.problem(ctx, "read the greeting", err)
	}
	if err := b.signIn(ctx); err != nil {
		return err
	}
	data, err := b.client.Select(s.Mailbox, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return b.problem(ctx, "open the mailbox "+s.Mailbox, err)
	}
	b.validity, b.uidNext = data.UIDValidity, uint32(data.UIDNext)
	if b.uidNext == 0 { // older servers do not report it
		return b.findNext(ctx, data.NumMessages)
	}
	return nil
}

// notEncrypted is the error of STARTTLS.
func (b *imapBox) notEncrypted(ctx context.Context, err error) error {
	const doing = "encrypt the connection"
	var refused *imap.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &refused):
		return problem(ctx, b.server, doing, errors.New("the server does not offer it (STARTTLS), and the password "+
			"would be readable on the way; if that is meant, add ?tls=off to the URL"))
	case errors.As(err, &certificate):
		return problem(ctx, b.server, doing, err)
	}
	return b.problem(ctx, doing, err)
}

func (b *imapBox) signIn(ctx context.Context) error {
	if b.client.State() != imap.ConnStateNotAuthenticated { // the server knows who it is
		return nil
	}
	doing := "sign in as " + b.server.User
	if b.client.Caps().Has(imap.CapLoginDisabled) {
		return problem(ctx, b.server, doing, errors.New("the server takes no password on this connection: write "+
			"imaps://"))
	}
	err := b.client.Login(b.server.User, b.server.Password).Wait()
	var refused *imap.Error
	if errors.As(err, &refused) {
		return problem(ctx, b.server, doing, errors.New("the user or the password is wrong, or this user may not "+
			"sign in with a password: the server says "+printable(refused.Text)))
	}
	if err != nil {
		return b.problem(ctx, doing, err)
	}
	return nil
}

// findNext finds the UID behind that of the last mail.
func (b *imapBox) findNext(ctx context.Context, mails uint32) error {
	b.uidNext = 1
	if mails == 0 {
		return nil
	}
	last, err := b.client.Fetch(imap.SeqSetNum(mails), &imap.FetchOptions{UID: true}).Collect()
	if err != nil {
		return b.problem(ctx, "read the last mail", err)
	}
	for _, m := range last {
		b.uidNext = max(b.uidNext, uint32(m.UID)+1)
	}
	return nil
}

// limit sets what the server may send for a command, and ends the connection with the context. The caller calls the
// function that it returns after the command.
func (b *imapBox) limit(ctx context.Context) func() {
	b.conn.left.Store(maxAnswer)
	stop := context.AfterFunc(ctx, func() { _ = b.conn.Close() })
	return func() { stop() }
}

func (b *imapBox) Mark(context.Context) (Mark, error) {
	return Mark{After: time.Now(), known: true, validity: b.validity, next: b.uidNext}, nil
}

func (b *imapBox) New(ctx context.Context, after Mark) ([]Mail, error) {
	defer b.limit(ctx)()
	if err := b.client.Noop().Wait(); err != nil {
		return nil, b.problem(ctx, "look for mail", err)
	}
	exact := after.known && after.validity == b.validity
	set, err := b.unseen(ctx, after, exact)
	if err != nil || len(set) == 0 {
		return nil, err
	}
	section := &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader, Peek: true,
		Partial: &imap.SectionPartial{Size: maxHeader}}
	fetch := b.client.Fetch(set, &imap.FetchOptions{UID: true, InternalDate: true,
		BodySection: []*imap.FetchItemBodySection{section}})
	var all []Mail
	highest := b.next
	for message := fetch.Next(); message != nil; message = fetch.Next() {
		m, uid := readHeader(message)
		if uid == 0 || uid < b.next {
			continue // a server returns the last mail for n:*, whatever n is
		}
		highest = max(highest, uid+1)
		if exact || !m.Arrived.Before(after.After.Truncate(time.Second)) {
			all = append(all, m)
		}
		if len(all) > 2*maxNew {
			all = newest(all)
		}
	}
	if err := fetch.Close(); err != nil {
		return nil, b.problem(ctx, "look for mail", err)
	}
	b.next = highest
	return newest(all), nil
}

// newest are the last mails, in the order of their arrival.
func newest(all []Mail) []Mail {
	slices.SortStableFunc(all, func(a, b Mail) int { return cmp.Compare(a.Order, b.Order) })
	return all[max(0, len(all)-maxNew):]
}

// unseen are the mails that may be new; an empty set: there are none.
func (b *imapBox) unseen(ctx context.Context, after Mark, exact bool) (imap.UIDSet, error) {
	var set imap.UIDSet
	switch {
	case b.next > 0:
	case exact:
		b.next = max(after.next, 1)
	default: // the day before: servers may have another time zone
		found, err := b.client.UIDSearch(&imap.SearchCriteria{Since: after.After.AddDate(0, 0, -1)}, nil).Wait()
		if err != nil {
			return nil, b.problem(ctx, "search for mail", err)
		}
		uids := found.AllUIDs()
		slices.Sort(uids)
		set.AddNum(uids[max(0, len(uids)-maxNew):]...)
		if len(uids) == 0 {
			b.next = b.uidNext
		}
		return set, nil
	}
	set.AddRange(imap.UID(b.next), 0)
	return set, nil
}

// readHeader reads an answer to FETCH. The UID is 0 for one that has none.
func readHeader(message *imapclient.FetchMessageData) (Mail, uint32) {
	var m Mail
	var uid uint32
	for item := message.Next(); item != nil; item = message.Next() {
		switch item := item.(type) {
		case imapclient.FetchItemDataUID:
			uid = uint32(item.UID)
		case imapclient.FetchItemDataInternalDate:
			m.Arrived = item.Time
		case imapclient.FetchItemDataBodySection:
			if item.Literal == nil {
				continue
			}
			header, err := io.ReadAll(io.LimitReader(item.Literal, maxHeader))
			if err == nil {
				m.readHeader(bytes.NewReader(header))
			}
		}
	}
	m.ID, m.Order = strconv.FormatUint(uint64(uid), 10), int64(uid)
	return m, uid
}

func (b *imapBox) Content(ctx context.Context, m Mail) (Content, error) {
	defer b.limit(ctx)()
	section := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Size: maxMail}}
	fetch := b.client.Fetch(imap.UIDSetNum(imap.UID(m.Order)), &imap.FetchOptions{UID: true,
		BodySection: []*imap.FetchItemBodySection{section}})
	var content Content
	found := false
	for message := fetch.Next(); message != nil; message = fetch.Next() {
		for item := message.Next(); item != nil; item = message.Next() {
			body, is := item.(imapclient.FetchItemDataBodySection)
			if !is || body.Literal == nil {
				continue
			}
			data, err := io.ReadAll(io.LimitReader(body.Literal, maxMail))
			if err == nil {
				content, found = ReadContent(bytes.NewReader(data)), true
			}
		}
	}
	if err := fetch.Close(); err != nil {
		return Content{}, b.problem(ctx, "read a mail", err)
	}
	if !found {
		return Content{}, problem(ctx, b.server, "read a mail", errors.New("the mail is gone"))
	}
	return content, nil
}

// farewell is how long a server may take to answer LOGOUT.
const farewell = 2 * time.Second

func (b *imapBox) Close() error {
	if b.client == nil {
		return b.conn.Close()
	}
	_ = b.conn.SetDeadline(time.Now().Add(farewell))
	ended := time.AfterFunc(farewell, func() { _ = b.conn.Close() })
	defer ended.Stop()
	_ = b.client.Logout().Wait() // the mailbox was only read: nothing is lost
	return b.client.Close()
}
