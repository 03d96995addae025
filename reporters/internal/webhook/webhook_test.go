package webhook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

var (
	products = []Product{Slack, Feishu, DingTalk, WeCom, Discord, Teams, Generic}
	moment   = time.Unix(1599360473, 0)
)

func TestGolden(t *testing.T) {
	d := NewDigest(runtest.Recorded(t), "https://ci.example/run/7")
	for _, p := range products {
		t.Run(string(p), func(t *testing.T) {
			data, err := encode(adapters(p).body(d, "demo", moment))
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(v, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, string(p)+".json", append(got, '\n'))
		})
	}
}

// The vectors are those that the products' own examples give.
func TestSigning(t *testing.T) {
	if got := feishuSign("demo", moment); got != "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=" {
		t.Error("feishu:", got)
	}
	q := dingTalkQuery("SECdemo", moment)
	if got := q.Encode(); got != "sign=tGWkA5eQOQNCNPDgphtxIoNLO%2B%2FgD8Lcb705KQoRzeY%3D&timestamp=1599360473000" {
		t.Error("dingtalk:", got)
	}
	if dingTalkQuery("", moment) != nil {
		t.Error("dingtalk signs without a secret")
	}
	// echo -n '{}' | openssl dgst -sha256 -hmac demo
	if got := genericHeader("demo", []byte("{}")).Get(
		"X-Taproot-Signature"); got != "sha256=1fd2daa8c588a47d91aec6ef19795eb5ba218b4d0118c68c38989d88e1520285" {
		t.Error("generic:", got)
	}
}

func TestTargets(t *testing.T) {
	for address, want := range map[string]Product{
		"https://hooks.slack.com/services/T/B/x":                       Slack,
		"https://open.feishu.cn/open-apis/bot/v2/hook/x":               Feishu,
		"https://open.larksuite.com/open-apis/bot/v2/hook/x":           Feishu,
		"https://oapi.dingtalk.com/robot/send?access_token=x":          DingTalk,
		"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x":       WeCom,
		"https://discord.com/api/webhooks/1/x":                         Discord,
		"https://ptb.discord.com/api/webhooks/1/x":                     Discord,
		"https://prod-01.westus.logic.azure.com:443/workflows/x?sig=y": Teams,
		"https://x.webhook.office.com/webhookb2/y":                     Teams,
		"https://x.environment.api.powerplatform.com/powerautomate/y":  Teams,
		"https://chat.example.com/hook":                                Generic,
		"https://hooks.slack.com.evil.example/x":                       Generic,
		"https://notdiscord.com/x":                                     Generic,
		"https://chat.example.com/hook#product=slack":                  Slack,
		"http://127.0.0.1:9/hook#secret=a+b%2Fc&product=dingtalk":      DingTalk,
	} {
		targets, errs := Targets(func(name string) string {
			return map[string]string{"NOTIFY_URLS": " " + address + ", "}[name]
		})
		if len(errs) != 0 || len(targets) != 1 || targets[0].Product != want {
			t.Errorf("%s: %v, %v", address, targets, errs)
			continue
		}
		if strings.Contains(address, "secret") && targets[0].secret != "a+b/c" {
			t.Errorf("secret %q", targets[0].secret)
		}
		if got := fmt.Sprintf("%v %+v %#v %s", targets[0], targets, targets[0], targets); strings.Contains(got, "://") ||
			strings.Contains(got, "a+b") {
			t.Errorf("an address is printed: %s", got)
		}
	}
}

func TestTargetsOfSeveral(t *testing.T) {
	env := map[string]string{
		"SLACK_WEBHOOK_URL":  "https://mattermost.example/hooks/x",
		"FEISHU_WEBHOOK_URL": "https://discord.com/api/webhooks/1/x",
		"NOTIFY_URLS": "https://mattermost.example/hooks/x,https://a.example/s3cret#what=1,s3cret,https://b.example/" +
			"#product=s3cret,https://%zz/s3cret",
	}
	targets, errs := Targets(func(name string) string { return env[name] })
	if len(targets) != 2 || targets[0].Product != Slack || targets[1].Product != Discord {
		t.Errorf("%v", targets)
	}
	if len(errs) != 4 {
		t.Errorf("%v", errs)
	}
	for _, err := range errs {
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v", err)
		}
	}
	if targets, errs := Targets(func(string) string { return "" }); targets != nil || errs != nil {
		t.Error(targets, errs)
	}
}

// However many tests fail, with whatever texts, each product's limits hold, in bytes and at boundaries of runes.
func TestLimits(t *testing.T) {
	for _, text := range []string{"short", strings.Repeat("界🎉", 4000), strings.Repeat("<&>", 4000),
		strings.Repeat("*_\\`", 4000), strings.Repeat("\"\x00", 4000)} {
		for _, n := range []int{1, 9, 500} {
			run := &history.Run{Name: runtest.Name}
			for i := range n {
				res := &event.CaseResult{Case: event.Case{ID: fmt.Sprintf("case-%d", i), Platform: "web"}, Result: event.Fail,
					Problem: &event.Problem{Message: text}}
				res.Case.Place.File, res.Case.Place.Line = text, 7
				run.Cases = append(run.Cases, history.RunCase{Key: fmt.Sprint(i), CaseResult: res})
			}
			for _, link := range []string{"", "https://ci.example/" + strings.Repeat("x", 200)} {
				checkLimits(t, NewDigest(run, link), n)
			}
		}
	}
}

func checkLimits(t *testing.T, d Digest, n int) {
	t.Helper()
	body := map[Product][]byte{}
	for _, p := range products {
		data, err := Preview(p, d, moment)
		if err != nil || !utf8.Valid(data) {
			t.Fatal(p, err)
		}
		body[p] = data
		if !strings.Contains(string(data), "case") || n == 500 && !strings.Contains(string(data), "more") && p != Generic {
			t.Errorf("%s: %.300s", p, data)
		}
	}
	for p, limit := range map[Product]int{Feishu: 20 << 10, DingTalk: 20_000 * 2, Teams: 28 << 10} {
		if len(body[p]) > limit {
			t.Errorf("%s: %d bytes", p, len(body[p]))
		}
	}
	var slack struct {
		Blocks []struct {
			Type string
			Text struct{ Text string }
		}
	}
	var we struct{ Markdown struct{ Content string } }
	var ding struct{ Markdown struct{ Text string } }
	var discord struct {
		Content string
		Embeds  []struct{ Title, Description string }
		Allowed struct{ Parse []string } `json:"allowed_mentions"`
	}
	for p, v := range map[Product]any{Slack: &slack, WeCom: &we, Discord: &discord, DingTalk: &ding} {
		if err := json.Unmarshal(body[p], v); err != nil {
			t.Fatal(p, err)
		}
	}
	for _, b := range slack.Blocks {
		if b.Type == "header" && len(b.Text.Text) > 150 || len(b.Text.Text) > 3000 {
			t.Errorf("slack: %s of %d bytes", b.Type, len(b.Text.Text))
		}
	}
	if len(we.Markdown.Content) > 4096 || len(ding.Markdown.Text) > 20_000 {
		t.Errorf("wecom: %d bytes, dingtalk %d", len(we.Markdown.Content), len(ding.Markdown.Text))
	}
	if e := discord.Embeds[0]; len(discord.Content) > 2000 || len(e.Title) > 256 || len(e.Description) > 4096 ||
		discord.Allowed.Parse == nil {
		t.Errorf("discord: %d %d %d", len(discord.Content), len(e.Title), len(e.Description))
	}
}

// Nothing that a test's text holds becomes a mention, a link or markup.
func TestHostileTexts(t *testing.T) {
	hostile := "<!channel> <at id=all></at> @everyone [x](http://evil) <a href=x> *b* `c`"
	res := &event.CaseResult{Case: event.Case{ID: "a"}, Result: event.Fail, Problem: &event.Problem{Message: hostile}}
	d := NewDigest(&history.Run{Cases: []history.RunCase{{Key: "a", CaseResult: res}}}, "")
	for p, bad := range map[Product][]string{
		Slack: {"<!channel>", "<a "}, DingTalk: {"](http", "<at", "@everyone"}, WeCom: {"](http", "<at", "<a", "@everyone"},
		Discord: {`]\(http`, "](http", "\n*b*"},
	} {
		data, err := Preview(p, d, moment)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range bad {
			if strings.Contains(string(data), s) && !strings.Contains(string(data), `\\`+s) {
				t.Errorf("%s: %q is in %s", p, s, data)
			}
		}
	}
	for p, tag := range map[Product]string{Feishu: `"lark_md"`, Teams: `"TextBlock"`} {
		if data, err := Preview(p, d, moment); err != nil || strings.Contains(string(data), tag) {
			t.Errorf("%s has markup: %s, %v", p, data, err)
		}
	}
}

func TestWanted(t *testing.T) {
	for v, want := range map[event.Result]bool{event.Pass: false, event.Fail: true, event.Error: true,
		event.Skipped: false, event.Interrupted: false} {
		r := &history.Run{Cases: []history.RunCase{{Key: "a", CaseResult: &event.CaseResult{Result: v}}}}
		if Wanted(r) != want {
			t.Error(v)
		}
	}
}
