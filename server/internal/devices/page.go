package devices

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// Page is an open page of a browser.
type Page struct {
	ID     string     `json:"id" example:"web-1"`
	Opened time.Time  `json:"opened"`
	Used   time.Time  `json:"used" doc:"The end of the last call on it. An unused page is closed after ten minutes."`
	Lease  *LeaseInfo `json:"lease,omitempty"`
}

type pageList struct{ Body []Page }

type pageInput struct {
	Page string `path:"page" example:"web-1"`
}

// pages lists the open pages by their IDs.
func (s *actor) pages() []live.Status {
	var pages []live.Status
	for _, status := range s.devices.Open() {
		if status.Info.Platform == dsl.Web {
			pages = append(pages, status)
		}
	}
	slices.SortFunc(pages, func(a, b live.Status) int { return strings.Compare(a.Info.ID, b.Info.ID) })
	return pages
}

func (s *actor) listPages(context.Context, *struct{}) (*pageList, error) {
	out := &pageList{Body: []Page{}}
	for _, p := range s.pages() {
		page := Page{ID: p.Info.ID, Opened: p.Opened.UTC(), Used: p.Used.UTC()}
		if p.Hold != nil {
			l := s.leaseOf(p.Info.ID, *p.Hold)
			page.Lease = &l
		}
		out.Body = append(out.Body, page)
	}
	return out, nil
}

func (s *actor) closePage(ctx context.Context, in *pageInput) (*struct{}, error) {
	if !s.isOpen(in.Page) {
		return nil, noPage(in.Page)
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	return nil, rest.AsDeviceError(s.devices.Shut(ctx, in.Page, s.leases.holder(in.Page, rest.CallerOf(ctx))))
}

func (s *actor) isOpen(id string) bool {
	return slices.ContainsFunc(s.pages(), func(p live.Status) bool { return p.Info.ID == id })
}

func noPage(id string) *rest.Error {
	return rest.Fault(http.StatusNotFound, rest.CodeNotFound,
		fmt.Sprintf("no page %.50q is open; GET /web lists those that are, POST /web/launch opens one", id))
}

// pageName returns the name of an action under /web: for actions of pages only, without the prefix "web".
func pageName(name string) string {
	switch name {
	case "openBrowser":
		return "launch"
	case "closeBrowser":
		return "close"
	}
	if rest, ok := strings.CutPrefix(name, "web"); ok {
		return Kebab(strings.ToLower(rest[:1]) + rest[1:])
	}
	return Kebab(name)
}

// pageAction adds the path of an action under /web. If an action of pages has the short name of a general one, the
// general one is available under /devices only.
func pageAction(api *rest.API, of func(context.Context) *Devices, def dsl.Def, body map[string]any) {
	name := pageName(def.Name)
	if _, own := dsl.Lookup("web" + strings.ToUpper(def.Name[:1]) + def.Name[1:]); own {
		return
	}
	o := actionOp(def, "/web/"+name, "page-"+name)
	o.Tag = "web"
	if name == "launch" {
		api.Action(o, body, def.NeedsArgument(), func(w http.ResponseWriter, r *http.Request) error {
			return of(r.Context()).launch(w, r, &def)
		})
		return
	}
	withPage := maps.Clone(body)
	properties := maps.Clone(body["properties"].(map[string]any))
	properties[pageArgument] = map[string]any{"type": "string",
		"description": "The page; may be left out when one page is open.", "examples": []any{"web-1"}}
	withPage["properties"] = properties
	api.Action(o, withPage, def.NeedsArgument(), func(w http.ResponseWriter, r *http.Request) error {
		s := of(r.Context())
		args, err := s.arguments(r, &def, pageArgument)
		if err != nil {
			return err
		}
		args, page, err := s.page(&def, args)
		if err != nil {
			return err
		}
		return s.perform(w, r, call{def: &def, device: page, args: args, page: page})
	})
}

// page takes the page out of the arguments, or returns the only open one. Errors in the other arguments are reported
// first.
func (s *actor) page(def *dsl.Def, args source.Value) (source.Value, string, error) {
	f, given := args.Get(pageArgument)
	args.Fields = slices.DeleteFunc(slices.Clone(args.Fields), func(f source.Field) bool { return f.Key == pageArgument })
	if _, _, err := s.devices.Decode(def, args); err != nil {
		return args, "", err
	}
	open := s.pages()
	switch {
	case given && f.Value.Kind != source.String:
		return args, "", rest.Invalid(`"page" must be a text`)
	case given && !s.isOpen(f.Value.Text):
		return args, "", noPage(f.Value.Text)
	case given:
		return args, f.Value.Text, nil
	case len(open) == 1:
		return args, open[0].Info.ID, nil
	case len(open) == 0:
		return args, "", rest.Fault(http.StatusConflict, rest.CodePage, "no page is open; POST /web/launch opens one")
	}
	var ids []string
	for _, p := range open {
		ids = append(ids, p.Info.ID)
	}
	return args, "", rest.Fault(http.StatusConflict, rest.CodePage,
		fmt.Sprintf("several pages are open: choose one with \"page\": %s", strings.Join(ids, ", ")))
}

// closeTimeout limits closing a page that did not open.
const closeTimeout = 10 * time.Second

// launch opens a page in a fresh browser context.
func (s *actor) launch(w http.ResponseWriter, r *http.Request, def *dsl.Def) error {
	args, err := s.arguments(r, def)
	if err != nil {
		return err
	}
	bound, _, err := s.devices.Decode(def, args) // before a browser is started
	if err != nil {
		return err
	}
	ctx, cancel := s.deadline(r.Context())
	defer cancel()
	if open, ok := bound.(dsl.OpenBrowser); ok {
		if err := s.o.Sandbox.Address(ctx, open.URL, false); err != nil {
			return rest.Fault(http.StatusForbidden, rest.CodeForbidden, markdown.Visible(s.mask.Text(err.Error()),
				rest.MaxMessage))
		}
	}
	who := rest.CallerOf(ctx).Who()
	page, err := s.devices.Launch(ctx, dsl.Web, who)
	if err != nil {
		return rest.AsDeviceError(err)
	}
	id := page.Info.ID
	c := call{def: def, device: id, args: args, page: id, launch: true}
	out, err := s.do(r, c)
	if err != nil {
		shut, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if closing := s.devices.Shut(shut, id, who); closing != nil {
			s.log.WarnContext(ctx, "cannot close a page that did not open", "page", id, "error", closing)
		}
		return err
	}
	rest.WriteJSON(w, http.StatusOK, out)
	return nil
}
