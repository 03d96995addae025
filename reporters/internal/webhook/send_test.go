package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// reply is one answer of a fake chat.
type reply struct {
	status int
	body   string
	header map[string]string
}

// chat is a fake server: it sends its responses in turn, then repeats the last one.
type chat struct {
	*httptest.Server
	mu      sync.Mutex
	replies []reply
	got     []*http.Request
	bodies  []string
}

func newChat(t *testing.T, replies ...reply) *chat {
	t.Helper()
	c := &chat{replies: replies}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.got, c.bodies = append(c.got, r), append(c.bodies, string(body))
		a := c.replies[0]
		if len(c.replies) > 1 {
			c.replies = c.replies[1:]
		}
		for k, v := range a.header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *chat) send(t *testing.T, fragment string) Sent {
	t.Helper()
	env := map[string]string{"NOTIFY_URLS": c.URL + "/hook/t0ken-t0ken?key=s3cret-key#" + fragment}
	targets, errs := Targets(func(name string) string { return env[name] })
	if len(targets) != 1 || len(errs) != 0 {
		t.Fatal(targets, errs)
	}
	d := NewDigest(runtest.Synthetic(10), "https://ci.example/run/7")
	sent := Send(t.Context(), targets, d, Options{Client: c.Client(), Now: func() time.Time { return moment },
		Wait: time.Millisecond})
	data, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"t0ken-t0ken", "s3cret-key", "hush-hush", "http://", "127.0.0.1"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%q is in %s", secret, data)
		}
	}
	return sent[0]
}

// Every product's ways to say yes, and to say no, with status 200 too.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		product Product
		reply   reply
		ok      bool
		tries   int
		why     string
	}{
		{Slack, reply{status: 200, body: "ok"}, true, 1, ""},
		{Slack, reply{status: 200, body: "<html>a captive portal"}, false, 1,
			"200, but not accepted: <html>a captive portal"},
		{Slack, reply{status: 400, body: "invalid_payload"}, false, 1, "400 Bad Request: invalid_payload"},
		{Slack, reply{status: 403, body: "action_prohibited"}, false, 1, "403 Forbidden: action_prohibited"},
		{Slack, reply{status: 404, body: "no_service"}, false, 1, "404 Not Found: no_service"},
		{Slack, reply{status: 410, body: "channel_is_archived"}, false, 1, "410 Gone: channel_is_archived"},
		{Slack, reply{status: 429, body: "rate_limited"}, false, 3, "429 Too Many Requests: rate_limited"},
		{Slack, reply{status: 500, body: "rollup_error"}, false, 3, "500 Internal Server Error: rollup_error"},
		{Slack, reply{status: 302, header: map[string]string{"Location": "https://evil.example"}}, false, 1, "302 Found"},
		{Feishu, reply{status: 200, body: `{"code":0,"msg":"success","data":{}}`}, true, 1, ""},
		{Feishu, reply{status: 200, body: `{"StatusCode":0,"StatusMessage":"success","code":0,"data":{},"msg":"success"}`},
			true, 1, ""},
		{Feishu, reply{
			status: 200, body: `{"code":19021,"msg":"sign match fail or timestamp is not within one hour from current time"}`},
			false, 1, "code 19021: sign match fail"},
		{Feishu, reply{status: 200, body: `{"code":19022,"msg":"Ip Not Allowed"}`}, false, 1, "not on the bot's list"},
		{Feishu, reply{status: 200, body: `{"code":19024,"msg":"Key Words Not Found"}`}, false, 1, "requires a keyword"},
		{Feishu, reply{status: 200, body: `{"code":9499,"msg":"Bad Request","data":{}}`}, false, 1, "code 9499: Bad Request"},
		{Feishu, reply{status: 200, body: `{"code":11232,"msg":"frequency limited"}`}, false, 3, "code 11232"},
		{Feishu, reply{status: 200, body: `{}`}, false, 1, "without the code"},
		{Feishu, reply{status: 200, body: `ok`}, false, 1, "without the code"},
		{Feishu, reply{status: 502, body: `<html>`}, false, 3, "502 Bad Gateway"},
		{DingTalk, reply{status: 200, body: `{"errcode":0,"errmsg":"ok"}`}, true, 1, ""},
		{DingTalk, reply{status: 200, body: `{"errcode":310000,"errmsg":"sign not match"}`}, false, 1,
			"requires a signature"},
		{DingTalk, reply{status: 200, body: `{"errcode":130101,"errmsg":"send too fast"}`}, false, 1, "errcode 130101"},
		{DingTalk, reply{status: 200, body: `{"errcode":-1,"errmsg":"system busy"}`}, false, 3, "errcode -1"},
		{DingTalk, reply{status: 200, body: `{"status":1111,"punish":"t0ken-t0ken"}`}, false, 1, "without the code"},
		{WeCom, reply{status: 200, body: `{"errcode":0,"errmsg":"ok"}`}, true, 1, ""},
		{WeCom, reply{status: 200, body: `{"errcode":93000,"errmsg":"invalid webhook url s3cret-key"}`}, false, 1,
			"errcode 93000: invalid webhook url ***"},
		{WeCom, reply{status: 200, body: `{"errcode":45009,"errmsg":"api freq out of limit"}`}, false, 1, "errcode 45009"},
		{Discord, reply{status: 200, body: `{"id":"1"}`}, true, 1, ""},
		{Discord, reply{status: 204}, true, 1, ""},
		{Discord, reply{status: 400, body: `{"message":"Cannot send an empty message","code":50006}`}, false, 1,
			"400: Cannot send an empty message"},
		{Discord, reply{status: 401, body: `{"message":"Invalid Webhook Token","code":50027}`}, false, 1,
			"401: Invalid Webhook Token"},
		{Discord, reply{status: 404, body: `{"message":"Unknown Webhook","code":10015}`}, false, 1, "404: Unknown Webhook"},
		{Discord, reply{status: 429, body: `{"message":"You are being rate limited.","retry_after":0.002,"global":false}`},
			false, 3, "429: You are being rate limited."},
		{Teams, reply{status: 202}, true, 1, ""},
		{Teams, reply{status: 200, body: "1"}, true, 1, ""},
		{Teams, reply{
			status: 200, body: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error " +
				"429"}, false, 3, "200, but not accepted: Webhook message"},
		{Teams, reply{status: 200, body: "Webhook message delivery failed with error: HTTP error 413"}, false, 1,
			"error 413"},
		{Teams, reply{status: 400, body: `{"error":{"code":"TriggerInputSchemaMismatch"}}`}, false, 1, "400 Bad Request"},
		{Generic, reply{status: 204}, true, 1, ""},
		{Generic, reply{status: 401, body: "no \x1b[31m" + strings.Repeat("x", 5000)}, false, 1,
			"401 Unauthorized: no ␛[31mxxx"},
		{Generic, reply{status: 503}, false, 3, "503 Service Unavailable"},
	} {
		t.Run(fmt.Sprintf("%s %d %.30s", c.product, c.reply.status, c.reply.body), func(t *testing.T) {
			chat := newChat(t, c.reply)
			sent := chat.send(t, "product="+string(c.product)+"&secret=hush-hush")
			if sent.OK != c.ok || sent.Attempts != c.tries || !strings.Contains(sent.Why, c.why) || len(sent.Why) > 400 ||
				len(chat.got) != c.tries {
				t.Errorf("%+v, %d requests", sent, len(chat.got))
			}
		})
	}
}

// After a throttle, the message goes again once the product wants it.
func TestAgain(t *testing.T) {
	for product, replies := range map[Product][]reply{
		Slack: {{status: 429, body: "rate_limited", header: map[string]string{"Retry-After": "0.01"}},
			{status: 200, body: "ok"}},
		Feishu:  {{status: 200, body: `{"code":11232,"msg":"x"}`}, {status: 200, body: `{"code":0}`}},
		Discord: {{status: 429, body: `{"retry_after":0.01}`}, {status: 503}, {status: 200, body: "{}"}},
	} {
		chat := newChat(t, replies...)
		if sent := chat.send(t, "product="+string(product)); !sent.OK || sent.Attempts != len(replies) || sent.Why != "" {
			t.Errorf("%s: %+v", product, sent)
		}
	}
	// A wait that is too long is not started.
	chat := newChat(t, reply{status: 429, header: map[string]string{"Retry-After": "3600"}})
	if sent := chat.send(t, "product=slack"); sent.OK || sent.Attempts != 1 ||
		!strings.Contains(sent.Why, "another 1h0m0s") {
		t.Errorf("%+v", sent)
	}
}

func TestRequests(t *testing.T) {
	for product, check := range map[Product]func(r *http.Request, body string) bool{
		Feishu: func(r *http.Request, body string) bool {
			return strings.Contains(body, `"sign":"l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8="`)
		},
		DingTalk: func(r *http.Request, _ string) bool {
			q := r.URL.Query()
			return q.Get("timestamp") == "1599360473000" && q.Get("sign") != "" && q.Get("key") == "s3cret-key"
		},
		Discord: func(r *http.Request, _ string) bool { return r.URL.Query().Get("wait") == "true" },
		Generic: func(r *http.Request, _ string) bool {
			return strings.HasPrefix(r.Header.Get("X-Taproot-Signature"), "sha256=")
		},
	} {
		chat := newChat(t, reply{status: 200, body: `{"code":0,"errcode":0}`})
		if sent := chat.send(t, "secret=demo&product="+string(product)); !sent.OK {
			t.Errorf("%s: %+v", product, sent)
		}
		r := chat.got[0]
		if !check(r, chat.bodies[0]) || r.Header.Get("Content-Type") != "application/json; charset=utf-8" ||
			strings.Contains(chat.bodies[0], "demo") || r.URL.Fragment != "" {
			t.Errorf("%s: %v %s", product, r.URL, chat.bodies[0])
		}
	}
}

// A chat that never responds costs at most the timeout, and does not delay the others.
func TestSilent(t *testing.T) {
	env := map[string]string{"NOTIFY_URLS": "https://silent.example/x#product=slack,https://good.example/x#product=slack"}
	targets, errs := Targets(func(name string) string { return env[name] })
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "silent.example" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("ok")), Request: r}, nil
		})}
		began := time.Now()
		sent := Send(t.Context(), targets, NewDigest(&history.Run{}, ""), Options{Client: client, Timeout: 10 * time.Second})
		if sent[0].OK || sent[0].Why != "no response in time" || sent[0].Attempts != 1 ||
			time.Since(began) != 10*time.Second {
			t.Errorf("%+v after %s", sent[0], time.Since(began))
		}
		if !sent[1].OK {
			t.Errorf("%+v", sent[1])
		}
	})
}

// Without a connection the message is sent again; a run that is interrupted stops that.
func TestNoConnection(t *testing.T) {
	env := map[string]string{"NOTIFY_URLS": "http://127.0.0.1:1/x#product=slack"}
	targets, errs := Targets(func(name string) string { return env[name] })
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	d := NewDigest(&history.Run{}, "")
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	if sent := Send(t.Context(), targets, d, Options{Client: client, Wait: time.Millisecond}); sent[0].OK ||
		sent[0].Why != "the connection failed: connection refused" || sent[0].Attempts != 3 {
		t.Errorf("%+v", sent)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sent := Send(ctx, targets, d, Options{Client: client}); sent[0].OK || sent[0].Why != "it was interrupted" {
		t.Errorf("%+v", sent)
	}
}

// roundTrip is a transport without a network.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
