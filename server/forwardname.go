package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// renaming lets the answer of a host call its device as the client did, after then has changed its header: two hosts
// may have one of the same id, and with the id that an answer names the client goes on. Only what says which device it
// is about is changed, never what is on its screen.
func renaming(from, to string, then func(*http.Response) error) func(*http.Response) error {
	return func(res *http.Response) error {
		if err := then(res); err != nil || res.Request != nil && res.Request.Method == http.MethodHead ||
			res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Content-Encoding") != "" ||
			res.ContentLength > maxRecord || res.ContentLength < 0 || res.StatusCode == http.StatusSwitchingProtocols {
			return err
		}
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		_ = res.Body.Close() // all of it was read
		if res.StatusCode < http.StatusBadRequest {
			text = renamedField(text, from, to)
		} else {
			text = renamedError(text, from, to)
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		res.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return nil
	}
}

// renamedField changes the field device of an object in JSON.
func renamedField(text []byte, from, to string) []byte {
	var is struct{ Device string }
	if json.Unmarshal(text, &is) != nil || is.Device != from {
		return text
	}
	old, err := json.Marshal(from)
	name, bad := json.Marshal(to)
	if err != nil || bad != nil {
		return text
	}
	return bytes.Replace(text, append([]byte(`"device":`), old...), append([]byte(`"device":`), name...), 1)
}

// renamedError changes what the message of an error calls the device.
func renamedError(text []byte, from, to string) []byte {
	var e Error
	if json.Unmarshal(text, &e) != nil || e.Message == "" {
		return text
	}
	name := regexp.MustCompile(`(^|[^\w@.:-])` + regexp.QuoteMeta(from) + `([^\w@-]|$)`)
	said := name.ReplaceAllString(e.Message, "${1}"+strings.ReplaceAll(to, "$", "$$")+"${2}")
	if said == e.Message {
		return text
	}
	e.Message = said
	var body bytes.Buffer
	if marshal(&body, e) != nil {
		return text
	}
	return body.Bytes()
}
