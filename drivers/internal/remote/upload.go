package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	// uploadLimit is how long an app may take to be sent.
	uploadLimit = 15 * time.Minute
	maxUploaded = 1 << 20 // of the response
	maxRef      = 300
	// lockPoll is how often a process looks whether another one has uploaded the app.
	lockPoll = 200 * time.Millisecond
)

// upload is how a cloud takes apps.
type upload struct {
	host  func(hub string) string // of its REST API
	path  string
	field string // of the form with the file
	named bool   // the form has the name of the file, too
	ref   func(response []byte) string
}

// appURL finds what names the app in the response of most clouds.
func appURL(scheme string) func([]byte) string {
	return func(response []byte) string {
		var said struct {
			URL string `json:"app_url"`
		}
		if json.Unmarshal(response, &said) != nil || !strings.HasPrefix(said.URL, scheme) {
			return ""
		}
		return said.URL
	}
}

func sauceRef(response []byte) string {
	var said struct {
		Item struct {
			ID string `json:"id"`
		} `json:"item"`
	}
	if json.Unmarshal(response, &said) != nil || said.Item.ID == "" {
		return ""
	}
	return "storage:" + said.Item.ID
}

// uploaded is what a file says of an app that a cloud has. It has no key in it.
type uploaded struct {
	URL  string    `json:"url"` // of the hub
	File string    `json:"file"`
	Ref  string    `json:"ref"`
	Date time.Time `json:"date"`
}

// app returns what names the app of the server in capabilities, and whether it was uploaded by an earlier run. With
// again it is uploaded in any case.
func (l *Sessions) app(ctx context.Context, again bool) (ref string, old bool, err error) {
	s := l.server
	sum, err := digest(s.App)
	if err != nil {
		return "", false, err
	}
	if l.vendor == nil {
		return s.App, false, nil // a server on this machine
	}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return "", false, fmt.Errorf("folder for the records of apps: %w", err)
	}
	key := sha256.Sum256([]byte(s.URL + " " + s.User + " " + sum))
	record := filepath.Join(s.Folder, hex.EncodeToString(key[:12])+".app")
	lock := flock.New(record+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil { // others are uploading it
		return "", false, fmt.Errorf("record of an app: %w", err)
	}
	defer lock.Close()
	var known uploaded
	data, err := os.ReadFile(record)
	l.mu.Lock()
	fresh := l.uploads[record] // by this process
	l.mu.Unlock()
	if err == nil && json.Unmarshal(data, &known) == nil && known.Ref != "" && (!again || fresh) {
		return known.Ref, !fresh, nil
	}
	if ref, err = l.send(ctx); err != nil {
		return "", false, err
	}
	l.mu.Lock()
	l.uploads[record] = true
	l.mu.Unlock()
	text, err := json.Marshal(uploaded{URL: s.URL, File: filepath.Base(s.App), Ref: ref, Date: time.Now().UTC()})
	if err == nil {
		err = filetree.ReplacePrivate(record, text)
	}
	if err != nil {
		return "", false, fmt.Errorf("record of an app: %w", err)
	}
	return ref, false, nil
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the app under remotes cannot be read: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("the app under remotes cannot be read: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// uploadURL is where apps go: the API of the cloud; where the hub has a host of another name, it has the API, too.
func (l *Sessions) uploadURL() (string, error) {
	u, err := url.Parse(l.server.URL)
	if err != nil {
		return "", fmt.Errorf("the URL of the remote %s cannot be read", l.server.Name)
	}
	hub := l.server.hub()
	if strings.HasSuffix("."+hub, "."+l.vendor.domain) {
		u = &url.URL{Scheme: "https", Host: l.vendor.upload.host(hub)}
	}
	u.Path, u.RawQuery, u.Fragment = l.vendor.upload.path, "", ""
	return u.String(), nil
}

// send uploads the app.
func (l *Sessions) send(ctx context.Context) (ref string, err error) {
	address, err := l.uploadURL()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, uploadLimit)
	defer cancel()
	body, form := io.Pipe()
	defer body.Close() // the writer ends
	parts := multipart.NewWriter(form)
	go func() { form.CloseWithError(l.write(parts)) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return "", fmt.Errorf("upload of %s: %w", filepath.Base(l.server.App), err)
	}
	request.Header.Set("Content-Type", parts.FormDataContentType())
	status, response, err := l.client.Send(request, maxUploaded)
	switch {
	case err != nil:
		return "", l.upload(err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "", l.upload(fmt.Errorf("the user or the key is not accepted, status %d (user and key under remotes)",
			status))
	case status >= 300:
		return "", l.upload(fmt.Errorf("status %d%s", status, l.client.Reason(response)))
	}
	ref = l.vendor.upload.ref(response)
	if ref == "" || len(ref) > maxRef || strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' }) {
		return "", l.upload(errors.New("the response does not name the app"))
	}
	return ref, nil
}

// upload is the error of an app that could not be uploaded.
func (l *Sessions) upload(why error) error {
	return fmt.Errorf("%w: the remote %s: %s did not take the app %s: %w", drivers.ErrDeviceLost, l.server.Name,
		l.vendor.title, filepath.Base(l.server.App), why)
}

func (l *Sessions) write(parts *multipart.Writer) error {
	f, err := os.Open(l.server.App)
	if err != nil {
		return err
	}
	defer f.Close()
	name := filepath.Base(l.server.App)
	if l.vendor.upload.named {
		if err := parts.WriteField("name", name); err != nil {
			return err
		}
	}
	header := textproto.MIMEHeader{"Content-Type": {"application/octet-stream"},
		"Content-Disposition": {multipart.FileContentDisposition(l.vendor.upload.field, name)}}
	part, err := parts.CreatePart(header)
	if err == nil {
		_, err = io.Copy(part, f)
	}
	if err == nil {
		err = parts.Close()
	}
	return err
}

// appWord finds the texts of servers that are about the app of a session.
var appWord = lazyregexp.New(`(?i)\b(app|apps|application|storage|file|apk|ipa)\b`)

// appUnknown reports whether a session may not have been opened because the cloud no longer has the app.
func appUnknown(err error, ref string) bool {
	var said *webdriver.Error
	return errors.As(err, &said) && said.Code != webdriver.Refused &&
		(strings.Contains(said.Message, ref) || appWord.MatchString(said.Message))
}
