package console

import (
	"github.com/taproot-dev/taproot/server/service"
)

// route is a page, or the action of a form.
type route struct {
	pattern string
	who     access
	do      func(*Console, *request) error
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
	for _, r := range routes() {
		list = append(list, r.pattern)
	}
	return list
}

// routes lists all paths.
func routes() []route {
	var public, person, admin = access{}, access{person: true}, access{person: true, admin: true}
	in := func(role service.Role) access { return access{person: true, role: role} }
	viewer, member, manager, owner := in(service.RoleViewer), in(service.RoleMember), in(service.RoleAdmin),
		in(service.RoleOwner)
	script := access{person: true, role: service.RoleViewer, api: true}
	const p = "/console/p/{project}"
	return []route{
		{"GET /console/assets/{name}", public, (*Console).asset},
		{"GET /console/login", public, (*Console).loginPage},
		{"POST /console/login", public, (*Console).login},
		{"GET /console/register", public, (*Console).registerPage},
		{"POST /console/register", public, (*Console).register},
		{"GET /console/confirm", public, (*Console).confirmPage},
		{"POST /console/confirm", public, (*Console).confirm},
		{"GET /console/reset", public, (*Console).resetPage},
		{"POST /console/reset", public, (*Console).reset},
		{"GET /console/provider", public, (*Console).providerLogin},
		{"GET /console/provider/back", public, (*Console).fromProvider},
		{"GET /console/files/{project}/{ticket}/{path...}", public, (*Console).file},
		{"GET /console/files/{project}/index.html", public, (*Console).allRuns},

		{"GET /console/{$}", person, (*Console).home},
		{"POST /console/logout", person, (*Console).logout},
		{"GET /console/invitation", person, (*Console).invitationPage},
		{"POST /console/invitation", person, (*Console).acceptInvitation},
		{"GET /console/projects", person, (*Console).projectsPage},
		{"POST /console/projects", person, (*Console).createProject},
		{"GET /console/account", person, (*Console).accountPage},
		{"GET /console/account/export", person, (*Console).export},
		{"POST /console/account/password", person, (*Console).changePassword},
		{"POST /console/account/factor", person, (*Console).newFactor},
		{"POST /console/account/factor/on", person, (*Console).enableFactor},
		{"POST /console/account/factor/off", person, (*Console).disableFactor},
		{"POST /console/account/sessions/{session}", person, (*Console).endSession},
		{"POST /console/account/logout", person, (*Console).logoutEverywhere},
		{"POST /console/account/provider", person, (*Console).connectProvider},
		{"POST /console/account/delete", person, (*Console).deleteAccount},

		{"GET " + p + "/{$}", viewer, (*Console).overview},
		{"GET " + p + "/keys", viewer, (*Console).keysPage},
		{"POST " + p + "/keys", member, (*Console).createKey},
		{"POST " + p + "/keys/{key}/rotate", member, (*Console).rotateKey},
		{"POST " + p + "/keys/{key}/revoke", member, (*Console).revokeKey},
		{"GET " + p + "/usage", viewer, (*Console).usagePage},
		{"GET " + p + "/devices", viewer, (*Console).devicesPage},
		{"GET " + p + "/farm", viewer, (*Console).farmPage},
		{"POST " + p + "/devices/{device}/recording", member, (*Console).record},
		{"POST " + p + "/devices/{device}/recording/stop", member, (*Console).stopRecording},
		{"POST " + p + "/devices/{device}/recording/delete", member, (*Console).deleteRecording},
		{"GET " + p + "/devices/{device}/video", viewer, (*Console).recordingVideo},
		{"GET " + p + "/devices/{device}/studio", viewer, (*Console).studio},
		{"GET " + p + "/api/{path...}", script, (*Console).pass},
		{"POST " + p + "/api/{path...}", script, (*Console).pass},
		{"GET " + p + "/runs", viewer, (*Console).runsPage},
		{"POST " + p + "/runs", member, (*Console).startRun},
		{"POST " + p + "/tests", member, (*Console).uploadTests},
		{"GET " + p + "/runs/{run}", viewer, (*Console).runPage},
		{"GET " + p + "/runs/{run}/events", viewer, (*Console).events},
		{"POST " + p + "/runs/{run}/cancel", member, (*Console).cancelRun},
		{"POST " + p + "/runs/{run}/rerun", member, (*Console).rerun},
		{"GET " + p + "/reports", viewer, (*Console).reportsPage},
		{"POST " + p + "/reports", member, (*Console).uploadPack},
		{"GET " + p + "/reports/{run}/{path...}", viewer, (*Console).openReport},
		{"POST " + p + "/reports/{run}/delete", member, (*Console).deleteReport},
		{"GET " + p + "/members", viewer, (*Console).membersPage},
		{"POST " + p + "/members", manager, (*Console).invite},
		{"POST " + p + "/members/{account}/role", manager, (*Console).setRole},
		{"POST " + p + "/members/{account}/remove", viewer, (*Console).removeMember}, // every member may leave
		{"POST " + p + "/members/{account}/transfer", owner, (*Console).transfer},
		{"POST " + p + "/invitations/{invitation}/withdraw", manager, (*Console).withdraw},
		{"GET " + p + "/log", manager, (*Console).logPage},
		{"GET " + p + "/settings", manager, (*Console).settingsPage},
		{"POST " + p + "/settings", manager, (*Console).changeSettings},
		{"POST " + p + "/delete", owner, (*Console).deleteProject},

		{"GET /console/admin", admin, (*Console).adminPage},
		{"GET /console/admin/accounts", admin, (*Console).accountsPage},
		{"POST /console/admin/accounts", admin, (*Console).createAccount},
		{"POST /console/admin/accounts/{account}/{action}", admin, (*Console).alterAccount},
		{"GET /console/admin/hosts", admin, (*Console).hostsPage},
		{"GET /console/admin/log", admin, (*Console).adminLog},
	}
}
