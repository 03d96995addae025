package mailbox

import (
	"fmt"
	"strings"
	"testing"
)

// mails are mails in the ways in which they are written.
var mails = map[string]struct {
	raw        string
	subject    string
	text, html string
}{
	"plain": {"Subject: Your code\nTo: ada@example.com\n\nYour code is 042137.\n", "Your code", "Your code is " +
		"042137.\n", ""},
	"encoded subject": {"Subject: =?utf-8?q?Ihr_Best=C3=A4tigungscode?= =?utf-8?b?OiA0Mg==?=\n\nx", "Ihr " +
		"Bestätigungscode: 42",
		"x", ""},
	"folded subject": {"Subject: Your\n code\n\nx", "Your code", "x", ""},
	"raw subject":    {"Subject: Grüße\n\nx", "Grüße", "x", ""},
	"latin subject":  {"Subject: Gr\xfc\xdfe\n\nx", "Grüße", "x", ""},
	"ISO-2022-JP": {"Subject: =?ISO-2022-JP?B?GyRCRyc+WiUzITwlSRsoQg==?=\nContent-Type: text/plain; " +
		"charset=ISO-2022-JP\n" +
		"Content-Transfer-Encoding: 7bit\n\n\x1b$B%3!<%I\x1b(B 042137\n", "認証コード", "コード 042137\n", ""},
	"unknown charset": {"Subject: =?x-nothing?q?a=FF?=\nContent-Type: text/plain; charset=x-nothing\n\ncode 7 \xff\n",
		"=?x-nothing?q?a=FF?=", "code 7 ÿ\n", ""},
	"quoted-printable": {"Subject: a\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: " +
		"quoted-printable\n\n" +
		"F=FCr Ada: your code is 042=\n137\n", "a", "Für Ada: your code is 042137\n", ""},
	"base64": {"Subject: a\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: " +
		"base64\n\nR3LDvMOfZSAw\nNDIxMzc=\n",
		"a", "Grüße 042137", ""},
	"cut base64": {"Subject: a\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: " +
		"base64\n\nY29kZSAwNDIxMzcg!!",
		"a", "code 042137 ", ""},
	"alternatives": {multipart("alternative", "text/plain", "code 1\n", "text/html", "<p>code <b>1</b></p>"), "a",
		"code 1\n",
		"code 1"},
	"a page": {"Subject: a\nContent-Type: " +
		"text/html\n\n<html><head><title>no</title><style>p{}</style></head><body><p>Your " +
		"code:</p><table><tr><td>042&nbsp;137</td><td>x</td></tr></table><script>no()</script><a " +
		"href='https://shop.example/" +
		"c?t=1&amp;u=2'>Confirm</a><a href='#top'>top</a></body>", "a", "",
		"Your code:\n042 137 x\nConfirmtop\nhttps://shop.example/c?t=1&u=2"},
	"a page with its own charset": {"Subject: a\nContent-Type: text/html\n\n<meta " +
		"charset=windows-1251><p>\xea\xee\xe4 7</p>", "a",
		"", "код 7"},
	"attachments": {"Subject: a\nContent-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain\n" +
		"Content-Disposition: attachment; filename=a.txt\n\nnot this\n--o\nContent-Type: multipart/related; " +
		"boundary=i\n\n--i\n" +
		"Content-Type: text/html\n\n<p>code 5</p>\n--i\nContent-Type: image/png\nContent-Transfer-Encoding: " +
		"base64\n\nAAAA\n--i--\n" +
		"--o--\n", "a", "", "code 5"},
	"no end":       {"Subject: a\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\ncode 6", "a", "code 6", ""},
	"no boundary":  {"Subject: a\nContent-Type: multipart/mixed\n\ncode 6", "a", "", ""},
	"wrong type":   {"Subject: a\nContent-Type: ;;;\n\ncode 7", "a", "code 7", ""},
	"header alone": {"Subject: a", "a", "", ""},
	"nothing":      {"", "", "", ""},
}

func multipart(kind string, parts ...string) string {
	text := "Subject: a\nContent-Type: multipart/" + kind + "; boundary=b\n\n"
	for i := 0; i < len(parts); i += 2 {
		text += "--b\nContent-Type: " + parts[i] + "; charset=utf-8\n\n" + parts[i+1] + "\n"
	}
	return text + "--b--\n"
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func TestContent(t *testing.T) {
	for name, c := range mails {
		for _, raw := range []string{c.raw, crlf(c.raw)} {
			got := ReadContent(strings.NewReader(raw))
			if strings.TrimSpace(got.Text) != strings.TrimSpace(c.text) || got.HTML != c.html {
				t.Errorf("%s: %q, %q", name, got.Text, got.HTML)
			}
			var m Mail
			m.readHeader(strings.NewReader(raw))
			if m.Subject != c.subject {
				t.Errorf("%s: subject %q", name, m.Subject)
			}
		}
	}
}

func TestRecipients(t *testing.T) {
	var m Mail
	m.readHeader(strings.NewReader("From: Shop <shop@example.com>\r\nTo: =?utf-8?q?Ad=C3=A4?= <Ada@Example.com>, " +
		"bob@example.com\r\n" +
		"Cc: undisclosed-recipients:;\r\nBcc: broken <<cy@example.com>\r\n\r\n"))
	if m.From != "shop@example.com" || !m.SentTo("ada@example.com") || !m.SentTo("bob@example.com") ||
		!m.SentTo("cy@example.com") || m.SentTo("example.com") || m.SentTo("a@example.com") {
		t.Errorf("%+v", m)
	}
}

// TestHostileMails checks that a mail cannot take much time or memory.
func TestHostileMails(t *testing.T) {
	deep := "Subject: a\n"
	for i := range 5000 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%[1]d\n", i)
	}
	many := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", 100_000)
	for name, raw := range map[string]string{
		"deep": deep, "many parts": many,
		"long line":   "Subject: " + strings.Repeat("x", 3<<20),
		"open tags":   "Content-Type: text/html\n\n" + strings.Repeat("<div><script>", 100_000),
		"many links":  "Content-Type: text/html\n\n" + strings.Repeat("<a href=x>", 100_000),
		"long text":   "Content-Type: text/plain\n\n" + strings.Repeat("x", 20<<20),
		"wrong bytes": "Content-Type: text/html; charset=utf-16\n\n\xff\xfe\x00",
	} {
		if c := ReadContent(strings.NewReader(raw)); len(c.Text)+len(c.HTML) > 2*maxText {
			t.Errorf("%s: %d bytes", name, len(c.Text)+len(c.HTML))
		}
	}
}

func FuzzContent(f *testing.F) {
	for _, c := range mails {
		f.Add(c.raw)
	}
	f.Fuzz(func(_ *testing.T, raw string) {
		ReadContent(strings.NewReader(raw))
		var m Mail
		m.readHeader(strings.NewReader(raw))
	})
}
