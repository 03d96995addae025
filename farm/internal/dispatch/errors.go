package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"syscall"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/upload"
)

// refusal is an error response, with the format and the codes of the REST API.
type refusal struct {
	status int

	Code    string `json:"error"`
	Message string `json:"message"`
}

func (e refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(e) // fails only if the client has disconnected
}

type conflict struct{ why string }

func (c *conflict) Error() string { return c.why }

type badRequest struct{ why string }

func (b *badRequest) Error() string { return b.why }

// fail sends an error response. The text of an internal error is logged only, since it names machines of the operator.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := refusal{http.StatusServiceUnavailable, "unavailable",
		"the hub cannot do that now, its log has the reason; try again in a second"}
	var refused *upload.Refused
	var large *upload.TooLarge
	var bad *badRequest
	var other *conflict
	switch {
	case errors.As(err, &refused), errors.As(err, &bad), errors.Is(err, queue.ErrNoArchive):
		e = refusal{http.StatusBadRequest, "invalid_request", err.Error()}
	case errors.As(err, &other):
		e = refusal{http.StatusConflict, "version_mismatch", err.Error()}
	case errors.As(err, &large):
		e = refusal{http.StatusRequestEntityTooLarge, "payload_too_large", err.Error()}
	case errors.Is(err, queue.ErrNoRun), errors.Is(err, blob.ErrNotFound):
		e = refusal{http.StatusNotFound, "not_found", err.Error()}
	case r.Context().Err() != nil:
		return
	default:
		a.d.o.Log.WarnContext(r.Context(), "a request of a run failed", "path", r.URL.Path, "error", err)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			e = refusal{http.StatusInsufficientStorage, "insufficient_storage", "the disk of the hub is full; nothing was saved"}
		}
		w.Header().Set("Retry-After", "1")
	}
	e.write(w)
}

// unrouted responds where no handler matches. A path that is not clean is not found, rather than redirected.
func unrouted(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allow []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
		as := *r
		as.Method = method
		if _, pattern := mux.Handler(&as); pattern != "" && path.Clean(r.URL.Path) == r.URL.Path {
			allow = append(allow, method)
		}
	}
	if len(allow) == 0 {
		refusal{http.StatusNotFound, "not_found", "there is nothing at this path; /openapi.json lists all paths"}.write(w)
		return
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	refusal{http.StatusMethodNotAllowed, "method_not_allowed", fmt.Sprintf("%s does not work here; use %s", r.Method,
		w.Header().Get("Allow"))}.write(w)
}
