package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/dop251/goja"
)

const (
	// httpLimit limits one request.
	httpLimit = 5 * time.Minute
	// maxBody limits the size of a request and of a response.
	maxBody = 16 << 20
)

// http is the object with which scripts send requests.
func (e *Engine) http() *goja.Object {
	o := e.vm.NewObject()
	for name, method := range map[string]string{"get": "GET", "post": "POST", "put": "PUT", "delete": "DELETE",
		"request": ""} {
		_ = o.Set(name, func(call goja.FunctionCall) goja.Value {
			answer, err := e.request(method, call.Argument(0), call.Argument(1))
			if err != nil {
				panic(e.vm.NewGoError(err))
			}
			return answer
		})
	}
	return o
}

func (e *Engine) request(method string, url, how goja.Value) (goja.Value, error) {
	if e.o.Client == nil {
		return nil, errors.New("scripts of this run have no network access")
	}
	params, _ := how.(*goja.Object)
	field := func(name string) goja.Value {
		if params == nil {
			return nil
		}
		if v := params.Get(name); v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
			return v
		}
		return nil
	}
	if method == "" {
		method = http.MethodGet
		if m := field("method"); m != nil {
			method = m.String()
		}
	}
	var body io.Reader
	contentType := ""
	switch form := field("multipartForm"); {
	case form != nil:
		buffer, kind, err := e.form(form)
		if err != nil {
			return nil, err
		}
		body, contentType = buffer, kind
	default:
		if text := field("body"); text != nil {
			body = strings.NewReader(text.String())
		}
	}
	ctx, cancel := context.WithTimeout(e.ctx, httpLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, strings.ToUpper(method), url.String(), body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if headers, is := field("headers").(*goja.Object); is {
		for _, name := range headers.Keys() {
			request.Header.Add(name, headers.Get(name).String())
		}
	}
	e.watch.waits(true)
	defer e.watch.waits(false)
	answer, err := e.o.Client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return e.answer(answer)
}

func (e *Engine) answer(answer *http.Response) (goja.Value, error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBody {
		return nil, fmt.Errorf("the response is larger than %d bytes", maxBody)
	}
	headers := e.vm.NewObject()
	for name, values := range answer.Header {
		_ = headers.Set(strings.ToLower(name), strings.Join(values, ","))
	}
	o := e.vm.NewObject()
	_ = o.Set("ok", answer.StatusCode >= 200 && answer.StatusCode < 300)
	_ = o.Set("status", answer.StatusCode)
	_ = o.Set("body", string(text))
	_ = o.Set("headers", headers)
	return o, nil
}

// form writes a multipart form: texts, and files as {filePath, mediaType}.
func (e *Engine) form(v goja.Value) (*bytes.Buffer, string, error) {
	o, is := v.(*goja.Object)
	if !is {
		return nil, "", errors.New("multipartForm must be an object")
	}
	var buffer bytes.Buffer
	w := multipart.NewWriter(&buffer)
	keys := o.Keys()
	sort.Strings(keys)
	for _, key := range keys {
		if err := e.part(w, key, o.Get(key)); err != nil {
			return nil, "", err
		}
		if buffer.Len() > maxBody {
			return nil, "", fmt.Errorf("the form is larger than %d bytes", maxBody)
		}
	}
	return &buffer, w.FormDataContentType(), w.Close()
}

func (e *Engine) part(w *multipart.Writer, key string, v goja.Value) error {
	file, is := v.(*goja.Object)
	if !is || file.Get("filePath") == nil {
		return w.WriteField(key, v.String())
	}
	if e.o.Open == nil {
		return errors.New("scripts of this run have no access to files")
	}
	name := file.Get("filePath").String()
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.dir, name)
	}
	path, err := e.o.Open(name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxBody {
		return fmt.Errorf("%s is larger than %d bytes", name, maxBody)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename=%q`, key, filepath.Base(path)))
	kind := "application/octet-stream"
	if media := file.Get("mediaType"); media != nil && !goja.IsUndefined(media) && !goja.IsNull(media) {
		kind = media.String()
	}
	header.Set("Content-Type", kind)
	to, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	return err
}
