package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
)

const feishuLimit = 18 << 10 // bytes of the texts: the whole message may have 20 KB

// feishuSign is the signature of Feishu and Lark: the key contains all parts, the message is empty.
func feishuSign(secret string, at time.Time) string {
	h := hmac.New(sha256.New, []byte(strconv.FormatInt(at.Unix(), 10)+"\n"+secret))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// feishuBody shows foreign texts as plain_text only: nothing in them is markup or a mention.
func feishuBody(d Digest, secret string, at time.Time) any {
	text := func(s string) object {
		return object{"tag": "div", "text": object{"tag": "plain_text", "content": s}}
	}
	elements := []object{text(d.Totals), {"tag": "hr"}}
	room, shown := feishuLimit-2*len(d.Totals)-2*len(d.Link)-1500, 0
	for _, f := range d.Failures {
		line := plain(f)
		if room -= jsonSize(line) + 120; room < 0 {
			break
		}
		elements = append(elements, text(line))
		shown++
	}
	if rest := d.bad() - shown; rest > 0 {
		elements = append(elements, text(fmt.Sprintf("… and %d more", rest)))
	}
	if d.Link != "" {
		elements = append(elements, object{"tag": "action", "actions": []object{{"tag": "button", "type": "primary",
			"text": object{"tag": "plain_text", "content": "Open the report"}, "url": d.Link}}})
	}
	message := object{"msg_type": "interactive", "card": object{
		"config":   object{"wide_screen_mode": true},
		"header":   object{"template": "red", "title": object{"tag": "plain_text", "content": d.Title}},
		"elements": elements,
	}}
	if secret != "" {
		message["timestamp"], message["sign"] = strconv.FormatInt(at.Unix(), 10), feishuSign(secret, at)
	}
	return message
}

// judgeFeishu decides by the code in the body: the status is 200 also for a refused message.
func judgeFeishu(a answer) outcome {
	c, ok := a.coded()
	if !ok || c.Code == nil {
		return a.withoutCode()
	}
	if *c.Code == 0 && a.status < 300 {
		return outcome{ok: true}
	}
	o := outcome{why: fmt.Sprintf("code %d: %s", *c.Code, c.Msg)}
	switch *c.Code {
	case 19021:
		o.why += " (the signature is wrong or too old: check #secret=… and the clock)"
	case 19022:
		o.why += " (the IP address of this machine is not on the bot's list)"
	case 19024:
		o.why += " (the bot requires a keyword that the message does not contain)"
	case 11232:
		o.again, o.wait = true, retryAfter(a.header)
	default:
		o.again = a.status == 429 || a.status >= 500
	}
	return o
}
