// Package service stores users and their permissions: accounts, projects, API keys, tokens, plans and the audit log.
// Identify turns a credential into a Caller, with access to what the caller may see and
// change.
//
// There are two ways to the tables. A Person is a user who has logged in: it reaches its own account, and the projects
// of which it is a member. A Project is the result of Person.Project: each of its methods is bound to one project and
// checks the role, so no code names a project in a query. Operator has what only the operator may do.
//
//	svc, err := service.Open(ctx, service.Options{Database: "taproot-data/service.db"})
//	person, err := svc.LogIn(ctx, service.LogIn{Email: email, Password: password, Code: code, From: from})
//	cookie, err := svc.NewSession(ctx, person, from)      // for the browser: HttpOnly, Secure, SameSite=Lax
//	person, err = svc.Session(ctx, cookie)                // on every request of the console
//	projects, err := person.Projects(ctx)
//	project, err := person.Project(ctx, projects[0].ID)   // ErrNotFound unless the person is a member
//	made, err := project.CreateKey(ctx, service.NewKey{Name: "CI", Scopes: []string{"runs:write"}})
//	fmt.Println(made.Key)                                 // available only here
//
// Errors that a caller has caused are *Error, with the status and the code of the API. All others are internal, such as
// *store.UnavailableError when the database is unreachable.
package service
