package webhook

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// adapter is the part that differs between products.
type adapter struct {
	// body makes the message. at and secret are for products with a signature in the message.
	body func(d Digest, secret string, at time.Time) any
	// query is added to the URL; nil: nothing.
	query func(secret string, at time.Time) url.Values
	// header is added to the request; nil: nothing.
	header func(secret string, body []byte) http.Header
	// judge reports whether the product accepted the message: each refuses in its own way, also with status 200.
	judge func(a answer) outcome
}

// answer is the response of a product.
type answer struct {
	status int
	header http.Header
	body   []byte
}

type outcome struct {
	ok    bool
	why   string
	again bool          // may be sent again
	wait  time.Duration // before that; 0: unknown
}

// adapters returns the adapter of a product, nil when there is none.
func adapters(p Product) *adapter {
	switch p {
	case Slack:
		return &adapter{body: slackBody, judge: judgeSlack}
	case Feishu:
		return &adapter{body: feishuBody, judge: judgeFeishu}
	case DingTalk:
		return &adapter{body: dingTalkBody, query: dingTalkQuery, judge: judgeDingTalk}
	case WeCom:
		return &adapter{body: weComBody, judge: judgeWeCom}
	case Discord:
		return &adapter{body: discordBody, query: discordQuery, judge: judgeDiscord}
	case Teams:
		return &adapter{body: teamsBody, judge: judgeTeams}
	case Generic:
		return &adapter{body: genericBody, header: genericHeader, judge: judgeStatus}
	}
	return nil
}

// judgeStatus is for a product that responds with its status only.
func judgeStatus(a answer) outcome {
	if a.status >= 200 && a.status < 300 {
		return outcome{ok: true}
	}
	o := outcome{why: strconv.Itoa(a.status) + " " + http.StatusText(a.status)}
	if text := strings.TrimSpace(string(a.body)); text != "" {
		o.why += ": " + text
	}
	if a.status == http.StatusTooManyRequests || a.status >= 500 {
		o.again, o.wait = true, retryAfter(a.header)
	}
	return o
}

// retryAfter reads a number of seconds, which may have a fraction.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || n < 0 || n > 86400 {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// coded is the response of products that put a code into a body of status 200.
type coded struct {
	Code    *int   `json:"code"`
	Msg     string `json:"msg"`
	ErrCode *int   `json:"errcode"`
	ErrMsg  string `json:"errmsg"`
}

func (a answer) coded() (c coded, ok bool) {
	return c, json.Unmarshal(a.body, &c) == nil
}

// withoutCode is for a body without a code: the response is not from the product.
func (a answer) withoutCode() outcome {
	o := judgeStatus(a)
	if o.ok {
		o = outcome{why: strconv.Itoa(a.status) + " without the code of success"}
	}
	return o
}
