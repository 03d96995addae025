package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/service"
)

// TestStreamsEndWithTheirCredential: a streaming response ends when the key is revoked or the person removed; those of
// others continue.
func TestStreamsEndWithTheirCredential(t *testing.T) {
	t.Parallel()
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 2, with)
	owner, token := newAccount(t, s, "owner@example.com")
	mine, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	bob, bobs := newAccount(t, s, "bob@example.com")
	_, invitation, err := mine.Invite(t.Context(), bob.Account.Email, service.RoleMember)
	if err == nil {
		_, err = bob.Accept(t.Context(), invitation)
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := mine.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	run := l.ask("POST", "/runs", map[string]any{"yaml": "id: slow\nplatform: android\nsteps:\n  - sleep: 30m\n",
		"device": "SIM2"}, "X-API-Key", made.Secret).json(t)["id"].(string)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	follow := func(path, credential string) (ended chan struct{}) {
		t.Helper()
		res, err := l.client.Do(l.request("GET", path, nil, "Authorization", "Bearer "+credential, "X-Project",
			mine.ID).WithContext(ctx))
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %v", path, res, err)
		}
		ended = make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, res.Body) // until it is cut off
			_ = res.Body.Close()
			close(ended)
		}()
		return ended
	}
	isOver := func(ended chan struct{}) bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
	paths := []string{"/runs/" + run + "/events", "/devices/SIM1/live", "/devices/SIM1/logs"}
	streams := map[string]map[string]chan struct{}{made.Secret: {}, bobs: {}, token: {}}
	for credential := range streams {
		for _, path := range paths {
			streams[credential][path] = follow(path, credential)
		}
	}
	conn, _, err := l.dial("SIM1", "X-API-Key", made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	socket := make(chan struct{})
	go func() {
		defer close(socket)
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				if why := err.Error(); !strings.Contains(why, "your credential may not do this any more") {
					t.Errorf("the client is not told why: %s", why)
				}
				return
			}
		}
	}()
	if err := errors.Join(mine.RevokeKey(t.Context(), made.ID),
		mine.RemoveMember(t.Context(), bob.Account.ID)); err != nil {
		t.Fatal(err)
	}
	streams[made.Secret]["/devices/SIM1/input"] = socket
	for who, credential := range map[string]string{"the revoked key": made.Secret, "who was removed": bobs} {
		for path, ended := range streams[credential] {
			eventually(t, path+" of "+who+" ends", func() bool { return isOver(ended) })
		}
	}
	eventually(t, "the device is free", func() bool {
		return l.ask("GET", "/devices/SIM1/lease", nil, "Authorization", "Bearer "+token).json(t)["leased"] == false
	})
	for path, ended := range streams[token] {
		if isOver(ended) {
			t.Errorf("%s of the owner has ended, too", path)
		}
	}
	if a := l.ask("DELETE", "/runs/"+run, nil, "Authorization", "Bearer "+token); a.status != 200 {
		t.Error(a)
	}
}
