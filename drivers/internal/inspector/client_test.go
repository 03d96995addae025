package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// daemon is the other end of a client's connection.
type daemon struct {
	t    *testing.T
	conn net.Conn
	got  chan Message
}

// connected returns a client and the daemon with which it speaks.
func connected(t *testing.T) (*Client, *daemon) {
	t.Helper()
	ours, theirs := net.Pipe()
	d := &daemon{t, theirs, make(chan Message, 64)}
	go func() {
		defer close(d.got)
		for {
			m, err := Read(theirs)
			if err != nil {
				return
			}
			d.got <- m
		}
	}()
	c, err := Connect(ours)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); theirs.Close() })
	return c, d
}

func (d *daemon) tell(selector string, argument map[string]any) {
	d.t.Helper()
	if err := Write(d.conn, Message{selector, argument}); err != nil {
		d.t.Fatal(err)
	}
}

// await waits for a message.
func (d *daemon) await(selector string) map[string]any {
	d.t.Helper()
	for m := range d.got {
		if m.Selector == selector {
			return m.Argument
		}
	}
	d.t.Fatalf("no %s", selector)
	return nil
}

func (d *daemon) data(sender, text string) {
	d.t.Helper()
	d.tell("_rpc_applicationSentData:", map[string]any{keyApp: "PID:1", keyDest: sender, keyData: []byte(text)})
}

func (d *daemon) app(page map[string]any) {
	d.t.Helper()
	d.tell("_rpc_applicationConnected:", map[string]any{keyApp: "PID:1", keyBundle: "com.example.shop"})
	d.await("_rpc_forwardGetListing:")
	list := map[string]any{"2": map[string]any{keyPage: 2, keyType: "WIRTypeServiceWorker"}}
	if page != nil {
		list["1"] = page
	}
	d.tell("_rpc_applicationSentListing:", map[string]any{keyApp: "PID:1", keyListing: list})
}

func onePage() map[string]any {
	return map[string]any{keyPage: 1, keyType: "WIRTypeWebPage", keyURL: "http://shop", keyTitle: "Shop"}
}

// TestPagesAreReportedLate: they are waited for, for a second after an app is asked about first; one that is a proxy of
// another's counts as that one's.
func TestPagesAreReportedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, d := connected(t)
		began := time.Now()
		if list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"}); list != nil || err != nil ||
			time.Since(began) != listingLate {
			t.Errorf("%v, %v after %v", list, err, time.Since(began))
		}
		if list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"}); list != nil || err != nil ||
			time.Since(began) != listingLate {
			t.Errorf("%v, %v after %v", list, err, time.Since(began))
		}
		c.Expect()
		go func() {
			time.Sleep(listingLate / 2)
			d.app(onePage())
		}()
		if list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"}); len(list) != 1 || list[0].ID != 1 ||
			err != nil {
			t.Errorf("%v, %v", list, err)
		}
		d.tell("_rpc_applicationConnected:", map[string]any{keyApp: "PID:2", keyBundle: "com.apple.WebKit.WebContent",
			keyHost: "PID:1"})
		d.await("_rpc_forwardGetListing:")
		page := onePage()
		page[keyPage] = 5
		d.tell("_rpc_applicationSentListing:", map[string]any{keyApp: "PID:2", keyListing: map[string]any{"5": page}})
		synctest.Wait()
		if list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"}); len(list) != 2 || list[0].ID != 5 ||
			err != nil {
			t.Errorf("%v, %v", list, err)
		}
		d.tell("_rpc_applicationDisconnected:", map[string]any{keyApp: "PID:1"})
		synctest.Wait()
		if list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"}); len(list) != 0 || err != nil {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// opened opens the only page, with the target page-1.
func opened(t *testing.T, c *Client, d *daemon) (*Connection, string) {
	t.Helper()
	d.app(onePage())
	list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	sender := make(chan string, 1)
	go func() {
		to := text(d.await("_rpc_forwardSocketSetup:"), keySender)
		d.data(to, `{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"frame-1","type":"frame"}}}`)
		d.data(to, `{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"page-1","type":"page"}}}`)
		sender <- to
	}()
	s, err := c.Open(t.Context(), list[0])
	if err != nil {
		t.Fatal(err)
	}
	return s, <-sender
}

// asked waits for a command, and returns its target, its own number and that of what it came in.
func (d *daemon) asked() (target string, inner, outer int) {
	d.t.Helper()
	var m struct {
		ID     int
		Params struct {
			Target  string `json:"targetId"`
			Message string
		}
	}
	var command struct{ ID int }
	if err := json.Unmarshal(bytesOf(d.await("_rpc_forwardSocketData:"), keySocketData), &m); err != nil {
		d.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(m.Params.Message), &command); err != nil {
		d.t.Fatal(err)
	}
	return m.Params.Target, command.ID, m.ID
}

func wrapped(target, message string) string {
	data, _ := json.Marshal(map[string]any{"method": "Target.dispatchMessageFromTarget", "params": map[string]any{
		"targetId": target, "message": message}})
	return string(data)
}

// TestAnswersOfAPage: values, errors that are thrown, refusals of the target and of the page, and responses in chunks.
func TestAnswersOfAPage(t *testing.T) {
	c, d := connected(t)
	s, sender := opened(t, c, d)
	for name, a := range map[string]struct {
		answer func(inner, outer int) string
		want   string
		check  func(error) bool
	}{
		"value": {func(inner, _ int) string {
			return wrapped("page-1", jsonOf(inner, `"result":{"result":{"type":"number","value":7}}`))
		}, "7", nil},
		"thrown": {func(inner, _ int) string {
			return wrapped("page-1", jsonOf(inner, `"result":{"result":{"description":"TypeError: x\n at y"},"wasThrown":true}`))
		}, "", func(err error) bool { return err.Error() == "TypeError: x" }},
		"refused": {func(inner, _ int) string {
			return wrapped("page-1", jsonOf(inner, `"error":{"code":-32000,"message":"Missing injected script"}`))
		}, "",
			func(err error) bool {
				return errors.As(err, new(*Refusal)) && err.Error() == "Runtime.evaluate: Missing injected script"
			}},
		"no target": {func(_, outer int) string {
			return jsonOf(outer, `"error":{"code":-32000,"message":"Missing target for given targetId"}`)
		}, "",
			func(err error) bool { return errors.As(err, new(*Refusal)) }},
	} {
		t.Run(name, func(t *testing.T) {
			go func() {
				_, inner, outer := d.asked()
				text := a.answer(inner, outer)
				half := len(text) / 2
				d.tell("_rpc_applicationSentData:", map[string]any{keyDest: sender, keyData: []byte(text[:half]),
					keyDataType: "WIRMessageDataTypeChunk"})
				d.tell("_rpc_applicationSentData:", map[string]any{keyDest: sender, keyData: []byte(text[half:]),
					keyDataType: "WIRMessageDataTypeFinalChunk"})
			}()
			value, err := s.Value(t.Context(), "1+6", 0)
			if string(value) != a.want || (err != nil) != (a.check != nil) || err != nil && !a.check(err) {
				t.Errorf("%s, %v", value, err)
			}
		})
	}
}

func jsonOf(id int, rest string) string {
	n, _ := json.Marshal(id)
	return `{"id":` + string(n) + `,` + rest + `}`
}

// TestTargetThatIsSwapped: a page that is on its way to another site continues to respond; once it is there, what the
// old one was asked gets no response, and the next question goes to the new one.
func TestTargetThatIsSwapped(t *testing.T) {
	c, d := connected(t)
	s, sender := opened(t, c, d)
	d.data(sender,
		`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"page-2","type":"page","isProvisional":true}}}`)
	d.data(sender,
		wrapped("page-1",
			`{"method":"Runtime.executionContextCreated","params":{"context":{"id":3,"type":"normal","frameId":"0.1"}}}`))
	d.data(sender,
		wrapped("page-2",
			`{"method":"Runtime.executionContextCreated","params":{"context":{"id":1,"isPageContext":true,"frameId":"0.1"}}}`))
	go func() {
		if target, _, _ := d.asked(); target != "page-1" {
			t.Errorf("%s was asked", target)
		}
		d.data(sender,
			`{"method":"Target.didCommitProvisionalTarget","params":{"oldTargetId":"page-1","newTargetId":"page-2"}}`)
		d.data(sender, `{"method":"Target.targetDestroyed","params":{"targetId":"page-1"}}`)
		target, inner, _ := d.asked()
		if target != "page-2" {
			t.Errorf("%s was asked", target)
		}
		d.data(sender, wrapped("page-1", jsonOf(inner, `"result":{"result":{"value":"old"}}`)))
		d.data(sender, wrapped("page-2", jsonOf(inner, `"result":{"result":{"value":"new"}}`)))
	}()
	if value, err := s.Value(t.Context(), "x", 0); !errors.Is(err, ErrLeft) {
		t.Errorf("%s, %v", value, err)
	}
	if value, err := s.Value(t.Context(), "x", 0); string(value) != `"new"` || err != nil {
		t.Errorf("%s, %v", value, err)
	}
	if list := s.Contexts(); s.Target() != "page-2" || len(list) != 1 || list[0].ID != 1 {
		t.Errorf("%s, %v", s.Target(), list)
	}
}

// TestPageThatGoesAway: a page that is not listed any more, an app that ends, and a connection that ends, answer
// nothing; nor does one that is asked in vain keep its caller longer than its time.
func TestPageThatGoesAway(t *testing.T) {
	for name, end := range map[string]func(d *daemon){
		"unlisted": func(d *daemon) {
			d.tell("_rpc_applicationSentListing:", map[string]any{keyApp: "PID:1", keyListing: map[string]any{}})
		},
		"ended":  func(d *daemon) { d.tell("_rpc_applicationDisconnected:", map[string]any{keyApp: "PID:1"}) },
		"closed": func(d *daemon) { d.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			c, d := connected(t)
			s, _ := opened(t, c, d)
			brief, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("no time"))
			defer cancel()
			if _, err := s.Value(brief, "x", 0); err == nil || err.Error() != "no time" {
				t.Error(err)
			}
			go func() {
				d.asked()
				d.asked()
				end(d)
			}()
			if _, err := s.Value(t.Context(), "x", 0); !errors.Is(err, ErrGone) {
				t.Error(err)
			}
			if _, err := s.Value(t.Context(), "x", 0); !errors.Is(err, ErrGone) {
				t.Error(err)
			}
		})
	}
}

// TestTakenPage: one that another connection inspects is not opened.
func TestTakenPage(t *testing.T) {
	c, d := connected(t)
	page := onePage()
	page[keyConnection] = "of Safari"
	d.app(page)
	list, err := c.Pages(t.Context(), App{Bundle: "com.example.shop"})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := c.Open(t.Context(), list[0]); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
}
