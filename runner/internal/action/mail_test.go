package action

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// mailStep performs waitForMail as a step of a test.
func mailStep(t *testing.T, s *Performer, a dsl.WaitForMail) (any, error) {
	t.Helper()
	s.Outcome = Outcome{Detail: &event.Detail{}}
	err := waitForMail(t.Context(), s, a)
	return s.Value, err
}

func TestWaitForMail(t *testing.T) {
	t.Parallel()
	p := mailboxtest.NewMailpit(t)
	p.Deliver("ada@example.com", "Your code", "\ncode 111111\n")
	s := &Performer{Timeout: 50 * time.Millisecond, Settings: Settings{Mails: NewMails(time.Now())}}
	s.Mails.Note(t.Context(), s, []string{p.Base()})
	code := dsl.WaitForMail{Server: p.Base(), To: "ADA@example.com", Subject: "your  code", Extract: `code (\d+)`}

	_, err := mailStep(t, s, code)
	says(t, "a mail from before the test", err, event.Fail, "a mail to ADA@example.com with the subject \"your  "+
		"code\" did not "+
		"arrive at "+p.Base()+"/ within 50ms: no mail arrived since the start of the test")

	p.Deliver("bob@example.com", "Your code", "\ncode 222222\n")
	p.Deliver("ada@example.com", "Your code is here", "\ncode 333333\n")
	_, err = mailStep(t, s, code)
	says(t, "other mail", err, event.Fail, `"Your code is here" to ada@example.com, "Your code" to bob@example.com`,
		"match: words")

	p.Deliver("ada@example.com", "Your code", "\nno digits\n")
	_, err = mailStep(t, s, code)
	says(t, "a text that does not fit", err, event.Fail,
		`the mail "Your code" to ada@example.com arrived, and code (\d+) matches nothing`, `"no digits`)

	// Two codes: the newest counts, and none is taken twice, also not the older one.
	p.Deliver("ada@example.com", "Your code", "\ncode 444444\n")
	p.Deliver("ada@example.com", "Your code", "Content-Type: text/html\n\n<p>code <b>555555</b></p><a "+
		"href='https://shop/c?1'>x</a>\n")
	if got, err := mailStep(t, s, code); err != nil || got != "555555" {
		t.Errorf("the newest code: %v, %v", got, err)
	}
	_, err = mailStep(t, s, code)
	says(t, "the same code again", err, event.Fail, "an earlier step took it")
	go func() {
		time.Sleep(100 * time.Millisecond)
		p.Deliver("ada@example.com", "Your code", "\ncode 666666\n")
	}()
	s.Timeout = 20 * time.Second
	if got, err := mailStep(t, s, code); err != nil || got != "666666" {
		t.Errorf("a code that is sent again: %v, %v", got, err)
	}
	s.Timeout = 50 * time.Millisecond

	// Other steps, other mail.
	part := dsl.WaitForMail{Server: p.Base(), To: "ada@example.com", Subject: "code is", Match: dsl.MatchWords}
	got, err := mailStep(t, s, part)
	if want := "map[from:shop@example.com subject:Your code is here text:code 333333\n " +
		"to:ada@example.com]"; err != nil ||
		fmt.Sprint(got) != want {
		t.Errorf("without extract: %v, %v", got, err)
	}
	link := dsl.WaitForMail{Server: p.Base(), Subject: "(welcome|invitation)", Match: dsl.MatchRegex,
		Extract: `https://\S+`}
	p.Deliver("cy@example.com", "Welcome", "Content-Type: text/html\n\n<p>Hi</p><a "+
		"href='https://shop/c?1'>Confirm</a>\n")
	if got, err := mailStep(t, s, link); err != nil || got != "https://shop/c?1" {
		t.Errorf("a link: %v, %v", got, err)
	}
}

// says checks the result and the text of an error.
func says(t *testing.T, name string, err error, result event.Result, parts ...string) {
	t.Helper()
	if ResultOf(err) != result {
		t.Errorf("%s: %s: %v", name, ResultOf(err), err)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v does not say %s", name, err, part)
		}
	}
}

// A server that was not known before the first step is asked by time, and says so.
func TestWaitForMailByTime(t *testing.T) {
	t.Parallel()
	p := mailboxtest.NewMailpit(t)
	s := &Performer{Timeout: 50 * time.Millisecond}
	p.Deliver("ada@example.com", "early", "\nx\n")
	a := dsl.WaitForMail{Server: p.Base(), Subject: "early"}
	s.Mails = NewMails(time.Now().Add(time.Hour))
	_, err := mailStep(t, s, a)
	says(t, "before", err, event.Fail, "no mail arrived")
	s.Mails = NewMails(time.Now().Add(-time.Minute))
	if _, err := mailStep(t, s, a); err != nil || !strings.Contains(fmt.Sprint(s.Detail.Notes), "its clock says") {
		t.Error(err, s.Detail.Notes)
	}
}

// A server that cannot be used is an error, also when it was so before the first step; one that comes back is asked
// again.
func TestWaitForMailWithoutServer(t *testing.T) {
	t.Parallel()
	p := mailboxtest.NewMailpit(t)
	target, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	var broken atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := asked.Add(1); broken.Load() || n >= 3 && n <= 5 {
			panic(http.ErrAbortHandler) // the connection breaks off
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	server := strings.Replace(front.URL, "http://", "http://ada:lovelace@", 1) + "/pit"
	a := dsl.WaitForMail{Server: server, Subject: "Late"}
	s := &Performer{Timeout: 30 * time.Second, Settings: Settings{Mails: NewMails(time.Now())}}
	s.Mails.Note(t.Context(), s, []string{server})
	go func() {
		for asked.Load() < 6 {
			time.Sleep(10 * time.Millisecond)
		}
		p.Deliver("ada@example.com", "Late", "\nx\n")
	}()
	if _, err := mailStep(t, s, a); err != nil || !strings.Contains(fmt.Sprint(s.Detail.Notes), "made again") {
		t.Errorf("%v, %v", err, s.Detail.Notes)
	}
	broken.Store(true)
	_, err = mailStep(t, s, a)
	says(t, "at once", err, event.Error, "mail server "+front.Listener.Addr().String(), "closed the connection")
	s.Mails.Note(t.Context(), s, []string{server})
	_, err = mailStep(t, s, a)
	says(t, "before the first step", err, event.Error, "before the first step", front.Listener.Addr().String())
	for _, err := range []error{err} {
		if strings.Contains(err.Error(), "lovelace") {
			t.Errorf("%v shows the password", err)
		}
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("SIGINT"))
	s.Mails = NewMails(time.Now())
	if err := waitForMail(ended, s, a); err == nil || err.Error() != "SIGINT" {
		t.Errorf("an interrupted step: %v", err)
	}
}

// A caller from elsewhere reaches no mail server that its requests may not reach.
func TestWaitForMailIsGuarded(t *testing.T) {
	t.Parallel()
	dialed := false
	s := &Performer{Timeout: time.Second, Settings: Settings{Mails: NewMails(time.Now()), Access: Access{
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialed = true
			return guard.NewDialer(guard.Policy{}).DialContext(ctx, network, address)
		}}}}
	for _, server := range []string{"imap://ada:lovelace@127.0.0.1:143", "imaps://ada:lovelace@[::1]",
		"http://127.0.0.1:8025",
		"imap://ada:lovelace@169.254.169.254:80?tls=off"} {
		dialed = false
		_, err := mailStep(t, s, dsl.WaitForMail{Server: server, Subject: "x"})
		var refused *guard.RefusedError
		if !dialed || !errors.As(err, &refused) || ResultOf(err) != event.Fail || strings.Contains(err.Error(),
			"lovelace") {
			t.Errorf("%s: %v", server, err)
		}
		s.Mails.Note(t.Context(), s, []string{server})
		if _, err := mailStep(t, s, dsl.WaitForMail{Server: server, Subject: "x"}); !errors.As(err, &refused) ||
			ResultOf(err) != event.Fail {
			t.Errorf("%s, noted: %v", server, err)
		}
		s.Mails = NewMails(time.Now())
	}
}
