// Package accounts is the part of the REST API for accounts and projects, where the server has them.
package accounts

import (
	"context"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// ProjectPath names a project in a path.
type ProjectPath struct {
	ID string `path:"id" maxLength:"64" example:"prj_k3v2m5x7q4n6p1r8t0w9y2a4c6"`
}

type projectList struct{ Body []service.ProjectInfo }

type oneProject struct{ Body service.ProjectInfo }

type newProject struct {
	Body struct {
		Name string `json:"name" maxLength:"400"`
	}
}

type changeProject struct {
	ProjectPath
	Body service.Settings
}

type memberList struct {
	Body struct {
		Members     []service.Member     `json:"members" nullable:"false"`
		Invitations []service.Invitation `json:"invitations,omitempty" nullable:"false" doc:"For admins."`
	}
}

type inviteInput struct {
	ProjectPath
	Body struct {
		Email string       `json:"email" maxLength:"254"`
		Role  service.Role `json:"role" enum:"admin,member,viewer"`
	}
}

type invited struct {
	Body struct {
		service.Invitation
		Token string `json:"token" doc:"For the one who is invited: POST /invitations. It is shown this once."`
	}
}

type acceptInput struct {
	Body struct {
		Token string `json:"token" maxLength:"200"`
	}
}

// MemberPath names a member in a path.
type MemberPath struct {
	ProjectPath
	Account string `path:"account" maxLength:"64" doc:"The id of an account, or of an invitation."`
}

type roleInput struct {
	MemberPath
	Body struct {
		Role service.Role `json:"role" enum:"admin,member,viewer"`
	}
}

type transferInput struct {
	ProjectPath
	Body struct {
		Account string `json:"account" maxLength:"64" doc:"The id of a member's account."`
	}
}

type logInput struct {
	ProjectPath
	Limit  int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Before time.Time `query:"before" doc:"Only lines that are older."`
}

type logAnswer struct{ Body []service.Entry }

type keyList struct{ Body []service.Key }

type keyInput struct {
	Body struct {
		Name      string    `json:"name" maxLength:"400" example:"CI"`
		Scopes    []string  `json:"scopes" minItems:"1" maxItems:"20" nullable:"false" doc:"Such as runs:write; *: all."`
		Project   string    `json:"project,omitempty" maxLength:"64" doc:"Default: the header X-Project, or your oldest."`
		ExpiresAt time.Time `json:"expiresAt,omitempty" doc:"Default: never."`
	}
}

type madeKey struct{ Body service.MadeKey }

// KeyPath names a key in a path.
type KeyPath struct {
	ID string `path:"id" maxLength:"64"`
}

type rotateInput struct {
	KeyPath
	Body struct {
		Grace string `json:"grace" enum:"now,1h,24h,7d" doc:"How long the key before stays good."`
	}
}

type usageInput struct {
	Since string `query:"since" doc:"The first day, such as 2026-03-01; default: the first of this month."`
}

type usageAnswer struct{ Body service.Usage }

// projectRoutes registers the routes of projects and what belongs to them.
func (s *API) projectRoutes(api *rest.API) {
	codes, none := rest.MemberCodes(), http.StatusNoContent
	at := func(o rest.Op) rest.Op {
		o.Tag, o.Codes = "projects", codes
		if o.Scope == "" {
			o.Scope = rest.ScopePerson
		}
		return o
	}
	rest.Register(api, at(rest.Op{Get: "/projects", ID: "list-projects", Summary: "List your projects"}), s.listProjects)
	rest.Register(api, at(rest.Op{Post: "/projects", ID: "create-project", Summary: "Create a project",
		Status: http.StatusCreated}),
		s.createProject)
	rest.Register(api, at(rest.Op{Get: "/projects/{id}", ID: "get-project", Summary: "Show a project"}), s.getProject)
	rest.Register(api, at(rest.Op{Post: "/projects/{id}", ID: "change-project",
		Summary: "Change the name and the retention of a project"}), s.changeProject)
	rest.Register(api, at(rest.Op{Delete: "/projects/{id}", ID: "delete-project",
		Summary: "Delete a project with its keys and reports", Status: none}), s.deleteProject)
	rest.Register(api,
		at(rest.Op{Post: "/projects/{id}/transfer", ID: "transfer-project", Summary: "Make another member the owner",
			Status: none}), s.transferProject)
	rest.Register(api,
		at(rest.Op{Get: "/projects/{id}/log", ID: "project-log", Summary: "Show who did what, newest first"}),
		s.projectLog)
	rest.Register(api, at(rest.Op{Get: "/projects/{id}/members", ID: "list-members",
		Summary: "List the members and open invitations"}), s.listMembers)
	rest.Register(api, at(rest.Op{Post: "/projects/{id}/members", ID: "invite-member", Summary: "Invite a person",
		Status: http.StatusCreated}), s.inviteMember)
	rest.Register(api,
		at(rest.Op{Post: "/projects/{id}/members/{account}", ID: "set-role", Summary: "Change a member's role",
			Status: none}), s.setRole)
	rest.Register(api, at(rest.Op{Delete: "/projects/{id}/members/{account}", ID: "remove-member",
		Summary: "Remove a member, leave a project, or take an invitation back", Status: none}), s.removeMember)
	rest.Register(api, at(rest.Op{Post: "/invitations", ID: "accept-invitation", Summary: "Become a member",
		Status: http.StatusOK}),
		s.acceptInvitation)
	rest.Register(api, at(rest.Op{Get: "/keys", ID: "list-keys", Summary: "List the API keys of the project"}), s.listKeys)
	rest.Register(api, at(rest.Op{Post: "/keys", ID: "create-key", Summary: "Create an API key",
		Doc: "The key itself is in this answer and nowhere else.", Status: http.StatusCreated}), s.createKey)
	rest.Register(api, at(rest.Op{Post: "/keys/{id}/rotate", ID: "rotate-key", Summary: "Give a key a new secret"}),
		s.rotateKey)
	rest.Register(api, at(rest.Op{Delete: "/keys/{id}", ID: "revoke-key", Summary: "Revoke a key at once", Status: none}),
		s.revokeKey)
	rest.Register(api, at(rest.Op{Get: "/usage", ID: "get-usage", Scope: "usage:read",
		Summary: "Show the month's requests against the plan"}), s.usage)
}

// project returns the project that a path names, with the caller's role.
func project(ctx context.Context, id string) (*service.Project, error) {
	if id == "" {
		return nil, service.ErrNotFound
	}
	return person(ctx).Project(ctx, id)
}

// current returns the project in which the caller acts.
func current(ctx context.Context) (*service.Project, error) {
	if p := rest.CallerOf(ctx).Member.Project; p != nil {
		return p, nil
	}
	return nil, service.ErrNotFound
}

func (s *API) listProjects(ctx context.Context, _ *struct{}) (*projectList, error) {
	list, err := person(ctx).Projects(ctx)
	return &projectList{append([]service.ProjectInfo{}, list...)}, err
}

func (s *API) createProject(ctx context.Context, in *newProject) (*oneProject, error) {
	p, err := person(ctx).CreateProject(ctx, in.Body.Name)
	if err != nil {
		return nil, err
	}
	return &oneProject{p.ProjectInfo}, nil
}

func (s *API) getProject(ctx context.Context, in *ProjectPath) (*oneProject, error) {
	p, err := project(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &oneProject{p.ProjectInfo}, nil
}

func (s *API) changeProject(ctx context.Context, in *changeProject) (*oneProject, error) {
	p, err := project(ctx, in.ID)
	if err == nil {
		err = p.Change(ctx, in.Body)
	}
	if err != nil {
		return nil, err
	}
	return &oneProject{p.ProjectInfo}, nil
}

func (s *API) deleteProject(ctx context.Context, in *ProjectPath) (*struct{}, error) {
	p, err := project(ctx, in.ID)
	if err == nil {
		err = p.Delete(ctx)
	}
	if err != nil {
		return nil, err
	}
	return nil, s.drop(p.ID)
}

func (s *API) transferProject(ctx context.Context, in *transferInput) (*struct{}, error) {
	p, err := project(ctx, in.ID)
	if err == nil {
		err = p.Transfer(ctx, in.Body.Account)
	}
	return nil, err
}

func (s *API) projectLog(ctx context.Context, in *logInput) (*logAnswer, error) {
	p, err := project(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	list, err := p.Log(ctx, service.Page{Limit: in.Limit, Before: in.Before})
	return &logAnswer{append([]service.Entry{}, list...)}, err
}

func (s *API) listMembers(ctx context.Context, in *ProjectPath) (*memberList, error) {
	p, err := project(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &memberList{}
	members, err := p.Members(ctx)
	if err != nil {
		return nil, err
	}
	out.Body.Members = append([]service.Member{}, members...)
	if p.Role == service.RoleOwner || p.Role == service.RoleAdmin {
		out.Body.Invitations, err = p.Invitations(ctx)
	}
	return out, err
}

func (s *API) inviteMember(ctx context.Context, in *inviteInput) (*invited, error) {
	p, err := project(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &invited{}
	out.Body.Invitation, out.Body.Token, err = p.Invite(ctx, in.Body.Email, in.Body.Role)
	return out, err
}

func (s *API) setRole(ctx context.Context, in *roleInput) (*struct{}, error) {
	p, err := project(ctx, in.ID)
	if err == nil {
		err = p.SetRole(ctx, in.Account, in.Body.Role)
	}
	return nil, err
}

func (s *API) removeMember(ctx context.Context, in *MemberPath) (*struct{}, error) {
	p, err := project(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if len(in.Account) > 4 && in.Account[:4] == "inv_" {
		return nil, p.Withdraw(ctx, in.Account)
	}
	return nil, p.RemoveMember(ctx, in.Account)
}

func (s *API) acceptInvitation(ctx context.Context, in *acceptInput) (*oneProject, error) {
	p, err := person(ctx).Accept(ctx, in.Body.Token)
	if err != nil {
		return nil, err
	}
	return &oneProject{p.ProjectInfo}, nil
}

func (s *API) listKeys(ctx context.Context, _ *struct{}) (*keyList, error) {
	p, err := current(ctx)
	if err != nil {
		return nil, err
	}
	list, err := p.Keys(ctx)
	return &keyList{append([]service.Key{}, list...)}, err
}

func (s *API) createKey(ctx context.Context, in *keyInput) (*madeKey, error) {
	p, err := current(ctx)
	if in.Body.Project != "" {
		p, err = project(ctx, in.Body.Project)
	}
	if err != nil {
		return nil, err
	}
	made, err := p.CreateKey(ctx, service.NewKey{Name: in.Body.Name, Scopes: in.Body.Scopes, Expires: in.Body.ExpiresAt})
	return &madeKey{made}, err
}

func (s *API) rotateKey(ctx context.Context, in *rotateInput) (*madeKey, error) {
	p, err := current(ctx)
	if err != nil {
		return nil, err
	}
	made, err := p.RotateKey(ctx, in.ID, in.Body.Grace)
	return &madeKey{made}, err
}

func (s *API) revokeKey(ctx context.Context, in *KeyPath) (*struct{}, error) {
	p, err := current(ctx)
	if err == nil {
		err = p.RevokeKey(ctx, in.ID)
	}
	return nil, err
}

func (s *API) usage(ctx context.Context, in *usageInput) (*usageAnswer, error) {
	p, err := current(ctx)
	if err != nil {
		return nil, err
	}
	u, err := p.Usage(ctx, in.Since)
	return &usageAnswer{u}, err
}
