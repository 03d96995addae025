package console

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/taproot-dev/taproot/server/service"
)

// studio is the page on which a device is seen live.
func (c *Console) studio(q *request) error {
	c.o.Studio(q.w, q.r.PathValue("device"), q.base(), q.project.Role.Covers(service.RoleMember))
	return nil
}

// pass answers a request of the API that Studio's page makes: those about devices, and the check of a test. Who may do
// what is the API's to say.
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

// answerScript lets those in whose page made the request. Pages of other sites are refused also where they only look: a
// WebSocket is a GET.
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

// failScript says in the API's form what went wrong.
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
	// who went away reads nothing
	_ = json.NewEncoder(q.w).Encode(map[string]string{"error": e.Code, "message": e.Message})
}
