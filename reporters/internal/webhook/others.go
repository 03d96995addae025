package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The limits of the products, in bytes.
const (
	dingTalkLimit = 18_000
	weComLimit    = 4096
	discordTitle  = 256
	discordText   = 4096
	discordPlain  = 2000
	teamsLimit    = 26 << 10
)

// dialect escapes characters that are markup in Markdown.
func dialect(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]()<>#|~@!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// bare removes characters that the products without an escape treat as markup or mentions.
func bare(s string) string {
	return strings.NewReplacer("<", "‹", ">", "›", "[", "(", "]", ")", "`", "'", "*", "∗", "@", "＠", "\\", "/").Replace(s)
}

func markdownPage(d Digest, limit int, esc func(string) string, link func(string) string) string {
	tail := ""
	if d.Link != "" && len(d.Link) < limit/2 {
		tail = "\n\n" + link(d.Link)
	}
	head := "### " + esc(d.Title) + "\n\n" + esc(d.Totals) + "\n\n"
	return head + d.lines(limit-len(head)-len(tail), "\n\n", func(f Failure) string {
		text := "> " + sign(f.Result) + " **" + esc(f.Title) + "** · " + esc(f.Platform)
		for _, part := range []string{f.Place, f.Message, f.Flaky} {
			if part != "" {
				text += "\n> " + esc(part)
			}
		}
		return text
	}) + tail
}

func reportLink(u string) string {
	return "[Open the report](" + strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u) + ")"
}

func dingTalkSign(secret string, at time.Time) string {
	h := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(h, "%d\n%s", at.UnixMilli(), secret)
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func dingTalkQuery(secret string, at time.Time) url.Values {
	if secret == "" {
		return nil
	}
	return url.Values{"timestamp": {strconv.FormatInt(at.UnixMilli(), 10)}, "sign": {dingTalkSign(secret, at)}}
}

func dingTalkBody(d Digest, _ string, _ time.Time) any {
	return object{"msgtype": "markdown", "at": object{"isAtAll": false},
		"markdown": object{"title": d.Title, "text": markdownPage(d, dingTalkLimit, bare, reportLink)}}
}

// judgeDingTalk does not retry 130101: the bot is muted for ten minutes, and another attempt only prolongs that.
func judgeDingTalk(a answer) outcome {
	c, ok := a.coded()
	if !ok || c.ErrCode == nil {
		return a.withoutCode()
	}
	if *c.ErrCode == 0 && a.status < 300 {
		return outcome{ok: true}
	}
	o := outcome{why: fmt.Sprintf("errcode %d: %s", *c.ErrCode, c.ErrMsg), again: *c.ErrCode == -1 || a.status >= 500}
	if *c.ErrCode == 310000 {
		o.why += " (the bot requires a signature, a keyword or another IP address of the sender)"
	}
	return o
}

func weComBody(d Digest, _ string, _ time.Time) any {
	return object{"msgtype": "markdown", "markdown": object{"content": markdownPage(d, weComLimit, bare, reportLink)}}
}

// judgeWeCom does not retry 45009: it is the limit of messages per minute, which is too long to wait for.
func judgeWeCom(a answer) outcome {
	c, ok := a.coded()
	if !ok || c.ErrCode == nil {
		return a.withoutCode()
	}
	if *c.ErrCode == 0 && a.status < 300 {
		return outcome{ok: true}
	}
	return outcome{why: fmt.Sprintf("errcode %d: %s", *c.ErrCode, c.ErrMsg), again: *c.ErrCode == -1 || a.status >= 500}
}

// discordQuery makes Discord respond only after it has stored the message.
func discordQuery(string, time.Time) url.Values { return url.Values{"wait": {"true"}} }

func discordBody(d Digest, _ string, _ time.Time) any {
	embed := object{"title": cut(d.Title, discordTitle), "color": 0xd73a49, "description": d.lines(discordText, "\n\n",
		func(f Failure) string {
			text := sign(f.Result) + " **" + dialect(f.Title) + "** · " + dialect(f.Platform)
			for _, part := range []string{f.Place, f.Message, f.Flaky} {
				if part != "" {
					text += "\n" + dialect(part)
				}
			}
			return text
		})}
	if d.Link != "" {
		embed["url"] = d.Link
	}
	return object{"content": cut(dialect(d.Totals), discordPlain), "embeds": []object{embed}, "allowed_mentions": object{
		"parse": []string{}}}
}

func judgeDiscord(a answer) outcome {
	o := judgeStatus(a)
	var said struct {
		Message    string  `json:"message"`
		RetryAfter float64 `json:"retry_after"` // seconds
	}
	if !o.ok && json.Unmarshal(a.body, &said) == nil {
		o.why = fmt.Sprintf("%d: %s", a.status, said.Message)
		if said.RetryAfter > 0 && said.RetryAfter < 86400 {
			o.wait = time.Duration(said.RetryAfter * float64(time.Second))
		}
	}
	return o
}

// teamsBody shows foreign texts as text runs, which have no markup.
func teamsBody(d Digest, _ string, _ time.Time) any {
	run := func(s string, more object) object {
		inline := object{"type": "TextRun", "text": s}
		for k, v := range more {
			inline[k] = v
		}
		return object{"type": "RichTextBlock", "inlines": []object{inline}}
	}
	body := []object{run(d.Title, object{"weight": "Bolder", "size": "Large", "color": "Attention"}), run(d.Totals, nil)}
	room, shown := teamsLimit-2*len(d.Link)-2000, 0
	for _, f := range d.Failures {
		line := plain(f)
		if room -= jsonSize(line) + 120; room < 0 {
			break
		}
		body = append(body, run(line, nil))
		shown++
	}
	if rest := d.bad() - shown; rest > 0 {
		body = append(body, run(fmt.Sprintf("… and %d more", rest), nil))
	}
	card := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
		"version": "1.4", "body": body}
	if d.Link != "" {
		card["actions"] = []object{{"type": "Action.OpenUrl", "title": "Open the report", "url": d.Link}}
	}
	return object{"type": "message", "attachments": []object{{"contentType": "application/vnd.microsoft.card.adaptive",
		"contentUrl": nil, "content": card}}}
}

// judgeTeams accepts 202 from workflows; the older connectors respond with 200 and the body 1, or an error text.
func judgeTeams(a answer) outcome {
	o := judgeStatus(a)
	text := strings.TrimSpace(string(a.body))
	if !o.ok || a.status != http.StatusOK || text == "" || text == "1" {
		return o
	}
	return outcome{why: "200, but not accepted: " + text, again: strings.Contains(text, "429")}
}

func genericBody(d Digest, _ string, _ time.Time) any {
	return struct {
		Event string `json:"event"`
		Text  string `json:"text"`
		Digest
	}{"run_failed", d.Title + "\n" + d.Totals, d}
}

// genericHeader signs the body, if there is a secret: the receiver can verify the sender.
func genericHeader(secret string, body []byte) http.Header {
	if secret == "" {
		return nil
	}
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(body)
	return http.Header{"X-Taproot-Signature": {"sha256=" + hex.EncodeToString(h.Sum(nil))}}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// jsonSize is the number of bytes of a text as JSON.
func jsonSize(s string) int {
	data, err := encode(s)
	if err != nil {
		return len(s) * 6
	}
	return len(data)
}
