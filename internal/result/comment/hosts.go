package comment

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// gitHubHost are the comments of a pull request on GitHub, or a server like it.
type gitHubHost struct {
	client *client
	list   *url.URL // of the comments
	one    *url.URL // above each of them
}

// appToken is the start of tokens of apps, such as those of Actions. Their comments are those of bots, so that no user
// can change them.
const appToken = "ghs_"

// limit is below the 65,536 characters of a comment.
func (h *gitHubHost) limit() int { return 65000 }

func (h *gitHubHost) comments(ctx context.Context) ([]note, error) {
	return pages(ctx, h.client, h.list, func(data []byte) ([]note, error) {
		var list []struct {
			ID   int64  `json:"id"`
			Body string `json:"body"`
			User struct {
				Type string `json:"type"`
			} `json:"user"`
		}
		err := json.Unmarshal(data, &list)
		var notes []note
		for _, c := range list {
			bot := c.User.Type == "Bot"
			if bot || !strings.HasPrefix(h.client.token, appToken) {
				notes = append(notes, note{id: strconv.FormatInt(c.ID, 10), body: c.Body, bot: bot})
			}
		}
		return notes, err
	})
}

func (h *gitHubHost) create(ctx context.Context, body string) (string, error) {
	return created(h.client.do(ctx, http.MethodPost, h.list, map[string]string{"body": body}))
}

func (h *gitHubHost) edit(ctx context.Context, id, body string) error {
	_, err := h.client.do(ctx, http.MethodPatch, h.one.JoinPath(id), map[string]string{"body": body})
	return err
}

func (h *gitHubHost) remove(ctx context.Context, id string) error {
	_, err := h.client.do(ctx, http.MethodDelete, h.one.JoinPath(id), nil)
	return err
}

// gitLabHost are the notes of a merge request on GitLab.
type gitLabHost struct {
	client *client
	list   *url.URL
}

// limit is below the 1,000,000 characters of a note.
func (h *gitLabHost) limit() int { return 900_000 }

func (h *gitLabHost) comments(ctx context.Context) ([]note, error) {
	at := *h.list
	at.RawQuery = url.Values{"sort": {"asc"}, "order_by": {"created_at"}}.Encode()
	return pages(ctx, h.client, &at, func(data []byte) ([]note, error) {
		var list []struct {
			ID     int64  `json:"id"`
			Body   string `json:"body"`
			System bool   `json:"system"`
			Author struct {
				Username string `json:"username"`
			} `json:"author"`
		}
		err := json.Unmarshal(data, &list)
		var notes []note
		for _, c := range list {
			if !c.System { // a note about a change of the request
				notes = append(notes, note{id: strconv.FormatInt(c.ID, 10), body: c.Body, bot: isGitLabBot(c.Author.Username)})
			}
		}
		return notes, err
	})
}

func (h *gitLabHost) create(ctx context.Context, body string) (string, error) {
	return created(h.client.do(ctx, http.MethodPost, h.list, map[string]string{"body": body}))
}

func (h *gitLabHost) edit(ctx context.Context, id, body string) error {
	_, err := h.client.do(ctx, http.MethodPut, h.list.JoinPath(id), map[string]string{"body": body})
	return err
}

func (h *gitLabHost) remove(ctx context.Context, id string) error {
	_, err := h.client.do(ctx, http.MethodDelete, h.list.JoinPath(id), nil)
	return err
}

// created returns the id of a new comment.
func created(a *answer, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var c struct {
		ID int64 `json:"id"`
	}
	err = json.Unmarshal(a.body, &c)
	return strconv.FormatInt(c.ID, 10), err
}

const (
	perPage  = 100
	maxPages = 100
)

// pages reads all pages of a list, which the header Link connects.
func pages(ctx context.Context, c *client, at *url.URL, read func([]byte) ([]note, error)) ([]note, error) {
	var all []note
	first := *at
	q := first.Query()
	q.Set("per_page", strconv.Itoa(perPage))
	first.RawQuery = q.Encode()
	next := &first
	for range maxPages {
		a, err := c.do(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		list, err := read(a.body)
		if err != nil {
			return nil, c.wrong("the list of comments cannot be read: " + err.Error())
		}
		all = append(all, list...)
		if next = a.next(next); next == nil {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b note) int {
		return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
	})
	return all, nil
}
