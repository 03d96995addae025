package console

import (
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// route is a page, or the action of a form.
type route struct {
	pattern string
	who     access
	do      func(*request) error
}

// access is what a route requires.
type access struct {
	person bool         // a logged-in person
	role   service.Role // minimum role in the project of the path
	admin  bool         // an admin of the service
	// A request of the API that a script of a page makes: its body is not a form, and the origin is checked for reads,
	// too.
	api bool
}

// Routes lists the patterns of all routes.
func Routes() (list []string) {
	for _, r := range (&pages{}).routes() {
		list = append(list, r.pattern)
	}
	return list
}

// apiCall serves a request of the API in the name of a person.
type apiCall func(w http.ResponseWriter, r *http.Request, who *service.Caller)

// pages are the pages by subject.
type pages struct {
	assets    assets
	entrance  entrance
	providers providers
	account   accountPages
	projects  projectPages
	keys      keyPages
	members   memberPages
	devices   devicePages
	runs      runPages
	reports   reportPages
	admin     adminPages
}

func newPages(o Options, static assets) *pages {
	d := dropper{remove: o.Drop, log: o.Log}
	return &pages{assets: static, entrance: entrance{service: o.Service}, account: accountPages{d},
		projects:  projectPages{d},
		providers: providers{service: o.Service, oidc: o.OIDC, log: o.Log},
		devices:   devicePages{api: o.API, studioPage: o.Studio, farm: o.Farm},
		runs:      runPages{api: o.API, farm: o.Farm != nil},
		reports:   reportPages{service: o.Service, api: o.API},
		admin:     adminPages{dropper: d, service: o.Service, farm: o.Farm, began: time.Now()}}
}

// routes lists all paths.
func (p *pages) routes() []route {
	var public, person, admin = access{}, access{person: true}, access{person: true, admin: true}
	with := func(role service.Role) access { return access{person: true, role: role} }
	viewer, member, manager, owner := with(service.RoleViewer), with(service.RoleMember), with(service.RoleAdmin),
		with(service.RoleOwner)
	script := access{person: true, role: service.RoleViewer, api: true}
	const in = "/console/p/{project}"
	return []route{
		{"GET /console/assets/{name}", public, p.assets.serve},
		{"GET /console/login", public, p.entrance.loginPage},
		{"POST /console/login", public, p.entrance.login},
		{"GET /console/register", public, p.entrance.registerPage},
		{"POST /console/register", public, p.entrance.register},
		{"GET /console/confirm", public, p.entrance.confirmPage},
		{"POST /console/confirm", public, p.entrance.confirm},
		{"GET /console/reset", public, p.entrance.resetPage},
		{"POST /console/reset", public, p.entrance.reset},
		{"GET /console/provider", public, p.providers.logIn},
		{"GET /console/provider/back", public, p.providers.finish},
		{"GET /console/files/{project}/{ticket}/{path...}", public, p.reports.file},
		{"GET /console/files/{project}/index.html", public, p.reports.allRuns},

		{"GET /console/{$}", person, p.projects.home},
		{"POST /console/logout", person, p.entrance.logout},
		{"GET /console/invitation", person, p.entrance.invitationPage},
		{"POST /console/invitation", person, p.entrance.acceptInvitation},
		{"GET /console/projects", person, p.projects.list},
		{"POST /console/projects", person, p.projects.create},
		{"GET /console/account", person, p.account.page},
		{"GET /console/account/export", person, p.account.export},
		{"POST /console/account/password", person, p.account.changePassword},
		{"POST /console/account/factor", person, p.account.newFactor},
		{"POST /console/account/factor/on", person, p.account.enableFactor},
		{"POST /console/account/factor/off", person, p.account.disableFactor},
		{"POST /console/account/sessions/{session}", person, p.account.endSession},
		{"POST /console/account/logout", person, p.account.logoutEverywhere},
		{"POST /console/account/provider", person, p.providers.connect},
		{"POST /console/account/delete", person, p.account.deleteAccount},

		{"GET " + in + "/{$}", viewer, p.projects.overview},
		{"GET " + in + "/keys", viewer, p.keys.page},
		{"POST " + in + "/keys", member, p.keys.create},
		{"POST " + in + "/keys/{key}/rotate", member, p.keys.rotate},
		{"POST " + in + "/keys/{key}/revoke", member, p.keys.revoke},
		{"GET " + in + "/usage", viewer, p.projects.usage},
		{"GET " + in + "/devices", viewer, p.devices.page},
		{"GET " + in + "/farm", viewer, p.devices.farmPage},
		{"POST " + in + "/devices/{device}/recording", member, p.devices.record},
		{"POST " + in + "/devices/{device}/recording/stop", member, p.devices.stopRecording},
		{"POST " + in + "/devices/{device}/recording/delete", member, p.devices.deleteRecording},
		{"GET " + in + "/devices/{device}/video", viewer, p.devices.video},
		{"GET " + in + "/devices/{device}/studio", viewer, p.devices.studio},
		{"GET " + in + "/api/{path...}", script, p.devices.pass},
		{"POST " + in + "/api/{path...}", script, p.devices.pass},
		{"GET " + in + "/runs", viewer, p.runs.page},
		{"POST " + in + "/runs", member, p.runs.start},
		{"POST " + in + "/tests", member, p.runs.uploadTests},
		{"GET " + in + "/runs/{run}", viewer, p.runs.run},
		{"GET " + in + "/runs/{run}/events", viewer, p.runs.events},
		{"POST " + in + "/runs/{run}/cancel", member, p.runs.cancel},
		{"POST " + in + "/runs/{run}/rerun", member, p.runs.rerun},
		{"GET " + in + "/reports", viewer, p.reports.page},
		{"POST " + in + "/reports", member, p.reports.upload},
		{"GET " + in + "/reports/{run}/{path...}", viewer, p.reports.open},
		{"POST " + in + "/reports/{run}/delete", member, p.reports.remove},
		{"GET " + in + "/members", viewer, p.members.page},
		{"POST " + in + "/members", manager, p.members.invite},
		{"POST " + in + "/members/{account}/role", manager, p.members.setRole},
		{"POST " + in + "/members/{account}/remove", viewer, p.members.remove}, // every member may leave
		{"POST " + in + "/members/{account}/transfer", owner, p.members.transfer},
		{"POST " + in + "/invitations/{invitation}/withdraw", manager, p.members.withdraw},
		{"GET " + in + "/log", manager, p.members.log},
		{"GET " + in + "/settings", manager, p.projects.settings},
		{"POST " + in + "/settings", manager, p.projects.changeSettings},
		{"POST " + in + "/delete", owner, p.projects.remove},

		{"GET /console/admin", admin, p.admin.health},
		{"GET /console/admin/accounts", admin, p.admin.accounts},
		{"POST /console/admin/accounts", admin, p.admin.createAccount},
		{"POST /console/admin/accounts/{account}/{action}", admin, p.admin.alterAccount},
		{"GET /console/admin/hosts", admin, p.admin.hosts},
		{"GET /console/admin/log", admin, p.admin.auditLog},
	}
}
