package mailbox

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // the charsets of mail
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-message/textproto"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	// maxText limits each text of a mail.
	maxText = 4 << 20
	// maxParts and maxDepth limit the parts of a mail.
	maxParts = 500
	maxDepth = 30
)

// Content are the texts of a mail, decoded.
type Content struct {
	// Text is that of its text parts.
	Text string
	// HTML is the text of its HTML parts, followed by the addresses of their links, one a line.
	HTML string
}

// Texts are those that are not empty: the text part comes first.
func (c Content) Texts() []string {
	return slices.DeleteFunc([]string{c.Text, c.HTML}, func(text string) bool { return strings.TrimSpace(text) == "" })
}

// ReadContent reads the texts of a mail. What is damaged is left out.
func ReadContent(r io.Reader) Content {
	var c collector
	entity, err := message.ReadWithOptions(r, &message.ReadOptions{MaxHeaderBytes: 1 << 20})
	if entity != nil && (err == nil || message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)) {
		c.part(entity, 0)
	}
	return Content{Text: strings.Join(c.texts, "\n"), HTML: strings.Join(c.pages, "\n")}
}

type collector struct {
	texts, pages []string
	parts        int
}

func (c *collector) part(e *message.Entity, depth int) {
	if c.parts++; c.parts > maxParts || depth > maxDepth {
		return
	}
	if several := e.MultipartReader(); several != nil {
		for {
			next, err := several.NextPart()
			if next == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
				return
			}
			c.part(next, depth+1)
		}
	}
	kind, params, err := e.Header.ContentType()
	if err != nil || kind == "" {
		kind = "text/plain"
	}
	if how, _, _ := e.Header.ContentDisposition(); strings.EqualFold(how, "attachment") {
		return
	}
	switch strings.ToLower(kind) {
	case "text/plain":
		c.texts = append(c.texts, lines(decoded(read(e.Body))))
	case "text/html":
		data := read(e.Body)
		if params["charset"] == "" { // the page may name its own
			data = ownCharset(data)
		}
		c.pages = append(c.pages, pageText(decoded(data)))
	}
}

// read reads a text; of one that is damaged, what comes before that.
func read(r io.Reader) []byte {
	data, _ := io.ReadAll(io.LimitReader(r, maxText))
	return data
}

// decoded is a text that names no charset, or a wrong one.
func decoded(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	if text, err := charmap.Windows1252.NewDecoder().Bytes(data); err == nil {
		return string(text)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD")
}

func ownCharset(data []byte) []byte {
	encoding, name, _ := charset.DetermineEncoding(data[:min(len(data), 1024)], "text/html")
	if name == "windows-1252" && utf8.Valid(data) { // the page names none
		return data
	}
	if text, err := encoding.NewDecoder().Bytes(data); err == nil {
		return text
	}
	return data
}

func lines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// anAddress finds addresses in a list that cannot be read otherwise.
var anAddress = lazyregexp.New(`[^\s<>,;:"()]+@[^\s<>,;:"()]+`)

// readHeader reads a mail's header, or the beginning of it.
func (m *Mail) readHeader(r io.Reader) {
	fields, err := textproto.ReadHeader(bufio.NewReader(io.MultiReader(r, strings.NewReader("\r\n\r\n"))))
	if err != nil {
		return
	}
	header := mail.Header{Header: message.Header{Header: fields}}
	m.Subject = subject(header)
	if from := addresses(header, "From"); len(from) > 0 {
		m.From = from[0]
	}
	for _, name := range []string{"To", "Cc", "Bcc"} {
		m.To = append(m.To, addresses(header, name)...)
	}
}

func subject(header mail.Header) string {
	text, err := header.Subject()
	if err != nil {
		text = header.Get("Subject")
	}
	return decoded(bytes.TrimSpace([]byte(text)))
}

// addresses are those of a field of the header, without names.
func addresses(header mail.Header, name string) []string {
	var all []string
	list, err := header.AddressList(name)
	if err != nil {
		return anAddress.FindAllString(header.Get(name), maxParts)
	}
	for _, a := range list {
		all = append(all, a.Address)
	}
	return all
}
