package webhook

import (
	"net/http"
	"strings"
	"time"
)

type object = map[string]any

const (
	slackHeader  = 150
	slackSection = 3000
)

// slackText escapes characters of Slack's links, mentions and entities.
func slackText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

func slackBody(d Digest, _ string, _ time.Time) any {
	failures := d.lines(slackSection, "\n\n", func(f Failure) string {
		text := sign(f.Result) + " *" + slackText(f.Title) + "* · " + slackText(f.Platform)
		if f.Place != "" {
			text += "\n`" + slackText(strings.ReplaceAll(f.Place, "`", "'")) + "`"
		}
		text += "\n" + slackText(f.Message)
		if f.Flaky != "" {
			text += "\n🎲 " + slackText(f.Flaky)
		}
		return text
	})
	blocks := []object{
		{"type": "header", "text": object{"type": "plain_text", "text": cut(d.Title, slackHeader), "emoji": true}},
		{"type": "section", "text": object{"type": "mrkdwn", "text": cut(slackText(d.Totals), slackSection)}},
		{"type": "section", "text": object{"type": "mrkdwn", "text": failures}},
	}
	if d.Link != "" {
		blocks = append(blocks, object{"type": "actions", "elements": []object{{"type": "button", "style": "danger",
			"text": object{"type": "plain_text", "text": "Open the report"}, "url": d.Link}}})
	}
	return object{"text": slackText(d.Title + " · " + d.Totals), "blocks": blocks}
}

// judgeSlack accepts only the body ok: then the message is in the channel.
func judgeSlack(a answer) outcome {
	if a.status != http.StatusOK {
		return judgeStatus(a)
	}
	if text := strings.TrimSpace(string(a.body)); text != "ok" {
		return outcome{why: "200, but not accepted: " + text}
	}
	return outcome{ok: true}
}
