package devices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

const inputDoc = `A WebSocket for the client that acts on a device, one action after the other. A message is {"id": 7,
"do": {"tap": {"point": "50%,30%"}}}: do is one action of the test syntax with its arguments, as in a step of a test and
in the bodies of POST /devices/{id}/…; id is any number of the client's. The response is {"id": 7, "outcome": {…}} or
{"id": 7, "error": {"error": …, "message": …}}, both as those paths return them. {"id": 8, "run": {"yaml": "…",
"fromLine": 7, "toLine": 9, "vars": {}}} performs steps of a test, all or those of some lines; {"id": 8, "step":
{"line": 7, "result": "pass", …}} reports each before the outcome; a step without a result is one that starts. Where
there is a project, "file": "suites/login.yaml" says where the test is or will be saved: relative paths of files start
at its folder. {"id": 9, "stop": 8} ends the current message, and has no response of its own. A message that does not
have this form ends the connection with code 1008. When the server ends the connection, the reason in the close frame
says why: the device was released or taken over (1013), the credential may not act any more (1008), the server shuts
down (1001).

The first message comes from the server, {"lease": "…", "holder": "…"}: requests that belong to the connection send that
lease as X-Lease. While the connection lasts, its client has leased the device, and no other client can act on it; all
can watch. It is free again when the connection closes, or at most ten seconds after it was lost. A client that sends
X-Lease acts under that lease instead. A device that is leased already responds with 409 device_busy before the
connection is made; ?take=true takes it from another connection of the same credential, such as a forgotten tab, which
is informed (GET /devices/{id}/lease says "mine" then).

A test with several devices needs all of them: with ?as=alice&with=bob=emulator-5556,carol=web-1 its device alice is
that of the path. The connection leases all of them or none, and its lease is for each. "run" then runs the steps on the
devices that the test names; {"id": 7, "device": "bob", "do": …} acts on bob, and without "device" on that of the path.
A step that ends has the "device" on which it ran, and of several at once the one that failed.`

const (
	inputLeaseTTL     = 10 * time.Second // duration of a lease unless it is renewed
	inputPingInterval = 3 * time.Second  // how often the client is pinged and the lease renewed
	inputPongTimeout  = 5 * time.Second  // wait for the pong; a lease that is not renewed ends in less than inputLeaseTTL
	inputQueue        = 64               // waiting messages
	inputBytes        = 64 << 10         // bytes of a message
)

// inputs lets clients act on devices over WebSockets.
type inputs struct {
	*actor
	project *os.Root // where Studio saves tests; nil: nowhere
}

// inputQuery describes the parameter by which a client takes the device from another connection.
func inputQuery() []*huma.Param {
	return []*huma.Param{
		{Name: "take", In: "query", Description: "Take the device from another connection of the same credential.",
			Schema: &huma.Schema{Type: huma.TypeBoolean}},
		{Name: "as", In: "query", Description: "Its name in a test with several devices.",
			Schema: &huma.Schema{Type: huma.TypeString}},
		{Name: "with", In: "query", Explode: new(false),
			Description: "The other devices of that test: NAME=ID, separated by commas.",
			Schema:      &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}}}
}

// inputAnswer is the response to one message.
type inputAnswer struct {
	ID      json.RawMessage `json:"id"`
	Step    *inputStep      `json:"step,omitempty"`
	Outcome *Outcome        `json:"outcome,omitempty"`
	Error   *rest.Error     `json:"error,omitempty"`
}

// input lets a client act on a device over a WebSocket.
func (s *inputs) input(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := checkDeviceID(id); err != nil {
		return err
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		if _, err := s.device(r.Context(), id); err != nil {
			return err
		}
		e := rest.Fault(http.StatusUpgradeRequired, rest.CodeInvalid, "this is a WebSocket: connect with ws:// or wss://")
		e.Headers = http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}
		return e
	}
	team, err := teamOf(id, r.URL.Query())
	if err != nil {
		return err
	}
	ctx, free := drivers.Bound(r.Context(), s.streams)
	defer free()
	hold, err := s.holdAll(ctx, team, r.URL.Query().Get("take") == "true")
	if err != nil {
		return err
	}
	if hold.own {
		defer s.dropAll(team, hold.who)
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: originHosts(s.o.Origins)})
	if err != nil {
		s.log.InfoContext(ctx, "cannot open a WebSocket", "error", err)
		return nil // the library has responded
	}
	defer conn.CloseNow()
	conn.SetReadLimit(inputBytes)
	i := &inputSocket{s: s, r: r, conn: conn, team: team, who: hold.who}
	if err := i.send(ctx, hold); err != nil {
		return nil // the connection was closed
	}
	return i.serve(ctx, hold.own)
}

// originHosts returns the hosts of the origins from which pages may connect, in addition to the server's own.
func originHosts(origins []string) (hosts []string) {
	for _, origin := range origins {
		if u, err := url.Parse(origin); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// inputSocket is one connection.
type inputSocket struct {
	s    *inputs
	r    *http.Request
	conn *websocket.Conn
	team team
	who  string
	now  running
}

func (i *inputSocket) serve(ctx context.Context, own bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	messages := make(chan []byte, inputQueue)
	go func() { cancel(i.read(messages)) }()
	go func() { cancel(i.ping(ctx, own)) }()
	for {
		if ctx.Err() != nil { // including the waiting actions
			i.closeWith(context.Cause(ctx))
			return nil
		}
		select {
		case <-ctx.Done():
		case text := <-messages:
			answer, err := i.act(ctx, text)
			if err != nil {
				i.closeWith(err)
				return nil
			}
			if err := i.send(ctx, answer); err != nil {
				return nil
			}
		}
	}
}

// errMessage is the reason to close a connection after an invalid message.
type errMessage struct{ what string }

func (e *errMessage) Error() string { return e.what }

func (i *inputSocket) closeWith(why error) {
	var bad *errMessage
	switch {
	case errors.As(why, &bad):
		_ = i.conn.Close(websocket.StatusPolicyViolation, bad.what)
	case errors.Is(why, rest.ErrNotAllowed):
		_ = i.conn.Close(websocket.StatusPolicyViolation, rest.ErrNotAllowed.Error())
	case i.s.streams.Err() != nil:
		_ = i.conn.Close(websocket.StatusGoingAway, "the server is shutting down")
	case errors.Is(why, errLeaseLost):
		_ = i.conn.Close(websocket.StatusTryAgainLater, errLeaseLost.Error())
	}
}

// read receives messages while actions run, so that a lost client is noticed in the middle of an action. It ends with
// the connection: reading with a context that ends would close it without a close frame.
func (i *inputSocket) read(messages chan<- []byte) error {
	for {
		kind, text, err := i.conn.Read(context.Background())
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return &errMessage{"send texts of JSON"}
		}
		var m struct {
			Stop json.RawMessage `json:"stop"`
		}
		if json.Unmarshal(text, &m) == nil && m.Stop != nil {
			i.now.stop(m.Stop)
			continue
		}
		select {
		case messages <- text:
		default:
			return &errMessage{fmt.Sprintf("more than %d actions are waiting", inputQueue)}
		}
	}
}

var errLeaseLost = errors.New("the device was released, or another client has leased it")

// ping pings the client and renews the lease.
func (i *inputSocket) ping(ctx context.Context, own bool) error {
	for {
		if err := drivers.Pause(ctx, inputPingInterval); err != nil {
			return err
		}
		asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), inputPongTimeout)
		err := i.conn.Ping(asked)
		cancel()
		if err != nil {
			return err
		}
		for _, device := range i.team.ids {
			if own && !i.s.devices.Extend(device, i.who, inputLeaseTTL) {
				return errLeaseLost
			}
		}
	}
}

// act performs one message. An error means that the message is invalid.
func (i *inputSocket) act(ctx context.Context, text []byte) (inputAnswer, error) {
	var m struct {
		ID     json.RawMessage            `json:"id"`
		Device string                     `json:"device"`
		Do     map[string]json.RawMessage `json:"do"`
		Run    *inputRun                  `json:"run"`
	}
	if err := json.Unmarshal(text, &m); err != nil || len(m.ID) == 0 || len(m.Do) > 1 ||
		(len(m.Do) == 1) == (m.Run != nil) {
		return inputAnswer{}, &errMessage{`send {"id": 1, "do": {"tap": {"label": "Sign in"}}}`}
	}
	device, known := i.team.named(m.Device)
	if !known {
		return inputAnswer{}, &errMessage{fmt.Sprintf("the connection has no device %.40q", m.Device)}
	}
	inner, done := i.now.begin(ctx, m.ID)
	defer done()
	answer, what := inputAnswer{ID: m.ID}, "run"
	var err error
	if m.Run != nil {
		answer.Outcome, err = i.run(inner, inputOn{device, m.Device != ""}, m.Run, func(step *inputStep) {
			if inner.Err() == nil {
				_ = i.send(ctx, inputAnswer{ID: m.ID, Step: step}) // a closed connection ends ctx
			}
		})
	}
	for name, args := range m.Do {
		what = rest.Cut(name, 40)
		answer.Outcome, err = i.perform(inner, device, name, args)
	}
	status := http.StatusOK
	switch {
	case inner.Err() != nil && ctx.Err() == nil: // in any state of the action
		answer.Outcome = &Outcome{Message: stopped}
	case err != nil:
		answer.Error = i.s.problems.Of(ctx, err)
		status = answer.Error.Status
	}
	i.s.audit.Add(ctx, "input "+what, i.r.URL.Path, status)
	return answer, nil
}

// stopped is the message of the outcome when the client has stopped the action.
const stopped = "stopped"

func (i *inputSocket) perform(ctx context.Context, device, name string, args json.RawMessage) (*Outcome, error) {
	def, ok := dsl.Lookup(name)
	if !ok || def.Interfaces&dsl.REST == 0 {
		return nil, rest.Invalid(fmt.Sprintf("there is no action %.50q", name))
	}
	v, err := source.FromJSON(args)
	if err != nil {
		return nil, rest.Invalid(markdown.Visible(err.Error(), rest.MaxMessage))
	}
	if v.Kind == source.Null {
		v = source.Value{Kind: source.Map}
	}
	v = def.Named(v)
	if err := ownArguments(v, def); err != nil {
		return nil, err
	}
	return i.s.do(i.r.WithContext(ctx), call{def: def, device: device, args: v, who: i.who})
}

// send sends one message. It may be called concurrently. The context does not end a message in the middle, which would
// close the connection without a close frame.
func (i *inputSocket) send(ctx context.Context, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), i.s.o.Uploads.Patience)
	defer cancel()
	return i.conn.Write(ctx, websocket.MessageText, data)
}
