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

// renameDevice replaces the ID of the device in a host's response by the name that the client used, after then has
// changed the headers. Devices of two hosts may have the same ID, and the client continues with the ID that the
// response contains. Only the field or message that identifies the device is changed, never the content of its screen.
func renameDevice(from, to string, then func(*http.Response) error) func(*http.Response) error {
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
		_ = res.Body.Close() // it was read completely
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

// renamedField replaces the field "device" of a JSON object.
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

// renamedError replaces the device's ID in the message of an error.
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
