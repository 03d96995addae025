package console

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/taproot-dev/taproot/server/service"
)

// studio is the page on which a device is shown live.
func (c *Console) studio(q *request) error {
	c.o.Studio(q.w, q.r.PathValue("device"), q.base(), q.project.Role.Covers(service.RoleMember))
	return nil
}

// pass handles a request of the API by Studio's page: those about devices, and the validation of a test. The API checks
// the permission.
func (c *Console) pass(q *request) error {
	at := "/" + q.r.PathValue("path")
	if path.Clean(at) != at || !strings.HasPrefix(at, "/devices/") && at != "/tests/validate" {
		return service.ErrNotFound
	}
	r := q.ask(q.r.Method, "", nil, "")
	r.URL.Path, r.URL.RawQuery = at, q.r.URL.RawQuery
	r.Header = q.r.Header.Clone()
	for _, credential := range []string{"Cookie", "Authorization", "X-Api-Key", "X-Project"} {
		r.Header.Del(credential)
	}
	r.Body, r.ContentLength = q.r.Body, q.r.ContentLength
	c.o.API(q.w, r, q.person.In(q.project))
	return nil
}

// answerScript serves requests of pages of logged-in people. Pages of other sites are also rejected when they only
// read: a WebSocket is a GET.
func (c *Console) answerScript(q *request, route route) error {
	acting := q.r.Clone(q.r.Context())
	acting.Method = http.MethodPost
	if c.guard.Check(acting) != nil {
		return errForeign
	}
	if err := c.admit(q, route.who); err != nil {
		return err
	}
	if q.person == nil {
		return &service.Error{Status: http.StatusUnauthorized, Code: "missing_token",
			Message: "your session has ended: log in again"}
	}
	return route.do(c, q)
}

// failScript responds with an error in the API's form.
func (c *Console) failScript(q *request, err error) {
	e := known(err)
	if e == nil {
		c.log.ErrorContext(q.r.Context(), "request of a page failed", "path", q.r.URL.Path, "error", err)
		e = &service.Error{Status: http.StatusInternalServerError, Code: "internal",
			Message: "something went wrong in the server; its log says more"}
	}
	retryAfter(q.w.Header(), e)
	q.w.Header().Set("Content-Type", "application/json")
	q.w.WriteHeader(e.Status)
	// A client that disconnected reads nothing.
	_ = json.NewEncoder(q.w).Encode(map[string]string{"error": e.Code, "message": e.Message})
}
