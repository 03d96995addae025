package webhook

import (
	"fmt"
	"net/url"
	"strings"
)

// Product is a chat product: how its messages look, and how it says that it took one.
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

// Target is one chat. Its address is a secret: nothing prints it.
type Target struct {
	Product Product
	From    string // the environment variable that named it
	url     *url.URL
	secret  string
}

func (t Target) String() string   { return string(t.Product) + " (" + t.From + ")" }
func (t Target) GoString() string { return t.String() }

// hosts says which product a host belongs to; a name that begins with a dot stands for every host below it.
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

// Targets gives the chats that the environment names: SLACK_WEBHOOK_URL and FEISHU_WEBHOOK_URL, which may hold the
// address of any product, and NOTIFY_URLS, separated by commas. The product is that of the host; of a host that is not
// known it is the one that the variable is named after, or generic JSON. "#secret=…" behind an address is the secret
// that messages are signed with, "#product=…" the product where the host does not tell. Addresses that are the same are
// one chat. The errors name the variable, never the address.
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
		return Target{}, fmt.Errorf("%s is not a web address: it begins with https://", from)
	}
	words, err := url.ParseQuery(strings.ReplaceAll(u.EscapedFragment(), "+", "%2B")) // in a secret, a plus is a plus
	if err != nil {
		return Target{}, fmt.Errorf("%s: what comes after # cannot be read: write #secret=…", from)
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

// hide takes the address and the secret out of a text that came back from the chat.
func (t Target) hide(s string) string {
	hidden := []string{t.url.String(), t.url.RequestURI(), t.url.RawQuery, t.secret}
	for part := range strings.FieldsFuncSeq(t.url.RequestURI(),
		func(r rune) bool { return strings.ContainsRune("/?&=", r) }) {
		if len(part) >= 8 { // a shorter one is a word, such as hooks or send
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
