package webhook

import (
	"fmt"
	"net/url"
	"strings"
)

// Product is a chat product, with its own format of messages and responses.
type Product string

// The products.
const (
	Slack    Product = "slack"
	Feishu   Product = "feishu" // and Lark
	DingTalk Product = "dingtalk"
	WeCom    Product = "wecom"
	Discord  Product = "discord"
	Teams    Product = "teams"
	Generic  Product = "generic"
)

// Target is one chat. Its URL is a secret: it is never printed.
type Target struct {
	Product Product
	From    string // the environment variable that named it
	url     *url.URL
	secret  string
}

func (t Target) String() string   { return string(t.Product) + " (" + t.From + ")" }
func (t Target) GoString() string { return t.String() }

// hosts maps hosts to products; a name that starts with a dot matches every host below it.
var hosts = []struct {
	host    string
	product Product
}{
	{"hooks.slack.com", Slack}, {"hooks.slack-gov.com", Slack},
	{"open.feishu.cn", Feishu}, {"open.larksuite.com", Feishu}, {".feishu.cn", Feishu}, {".larksuite.com", Feishu},
	{"oapi.dingtalk.com", DingTalk}, {"api.dingtalk.com", DingTalk},
	{"qyapi.weixin.qq.com", WeCom},
	{"discord.com", Discord}, {"discordapp.com", Discord}, {".discord.com", Discord}, {".discordapp.com", Discord},
	{".logic.azure.com", Teams}, {".powerplatform.com", Teams}, {".webhook.office.com", Teams},
	{"outlook.office.com", Teams},
}

// Targets returns the chats that the environment names: SLACK_WEBHOOK_URL and FEISHU_WEBHOOK_URL, which may contain a
// URL of any product, and NOTIFY_URLS, separated by commas. The host determines the product; for an unknown host it is
// the one in the variable's name, or generic JSON. "#secret=…" after a URL sets the secret for signatures, "#product=…"
// the product if the host is unknown. Equal URLs are one chat. Errors name the variable, never the URL.
func Targets(getenv func(string) string) (targets []Target, errs []error) {
	seen := map[string]bool{}
	add := func(from, address string, otherwise Product) {
		if address = strings.TrimSpace(address); address == "" || seen[address] {
			return
		}
		seen[address] = true
		t, err := newTarget(from, address, otherwise)
		if err != nil {
			errs = append(errs, err)
			return
		}
		targets = append(targets, t)
	}
	add("SLACK_WEBHOOK_URL", getenv("SLACK_WEBHOOK_URL"), Slack)
	add("FEISHU_WEBHOOK_URL", getenv("FEISHU_WEBHOOK_URL"), Feishu)
	for address := range strings.SplitSeq(getenv("NOTIFY_URLS"), ",") {
		add("NOTIFY_URLS", address, Generic)
	}
	return targets, errs
}

func newTarget(from, address string, otherwise Product) (Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return Target{}, fmt.Errorf("%s is not a URL: it must start with https://", from)
	}
	words, err := url.ParseQuery(strings.ReplaceAll(u.EscapedFragment(), "+", "%2B")) // in a secret, a plus is a plus
	if err != nil {
		return Target{}, fmt.Errorf("%s: the part after # cannot be read: write #secret=…", from)
	}
	t := Target{Product: productOf(u.Hostname(), otherwise), From: from, url: u, secret: words.Get("secret")}
	for name := range words {
		if name != "secret" && name != "product" {
			return Target{}, fmt.Errorf("%s: after # only secret=… and product=… are known", from)
		}
	}
	if name := words.Get("product"); name != "" {
		if t.Product = Product(name); adapters(t.Product) == nil {
			return Target{}, fmt.Errorf("%s: product=… is one of slack, feishu, dingtalk, wecom, discord, teams, generic", from)
		}
	}
	u.Fragment, u.RawFragment = "", ""
	return t, nil
}

func productOf(host string, otherwise Product) Product {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, h := range hosts {
		if host == h.host || strings.HasPrefix(h.host, ".") && strings.HasSuffix(host, h.host) {
			return h.product
		}
	}
	return otherwise
}

// hide removes the URL and the secret from a text of the chat.
func (t Target) hide(s string) string {
	hidden := []string{t.url.String(), t.url.RequestURI(), t.url.RawQuery, t.secret}
	for part := range strings.FieldsFuncSeq(t.url.RequestURI(),
		func(r rune) bool { return strings.ContainsRune("/?&=", r) }) {
		if len(part) >= 8 { // a shorter part is not secret, such as hooks or send
			hidden = append(hidden, part)
		}
	}
	for _, h := range hidden {
		if len(h) > 1 {
			s = strings.ReplaceAll(s, h, "***")
		}
	}
	return s
}
