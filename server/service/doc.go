// Package service holds people and what they may do: accounts, projects, API keys, tokens, plans and the log of who did
// what. A credential goes in, a Caller comes out; what a caller may see and change hangs on it.
//
// There are two ways to the tables. A Person is somebody who has logged in: it reaches its own account, and projects of
// which it is a member. A Project is what Person.Project gives: every method of it is bound to one project and asks
// whether the role allows it, so that no caller ever names a project in a query. What only the operator may do hangs on
// Operator.
//
//	svc, err := service.Open(ctx, service.Options{Database: "taproot-data/service.db"})
//	person, err := svc.LogIn(ctx, service.LogIn{Email: email, Password: password, Code: code, From: from})
//	cookie, err := svc.NewSession(ctx, person, from)      // for the browser: HttpOnly, Secure, SameSite=Lax
//	person, err = svc.Session(ctx, cookie)                // on every request of the console
//	projects, err := person.Projects(ctx)
//	project, err := person.Project(ctx, projects[0].ID)   // ErrNotFound for who is no member
//	made, err := project.CreateKey(ctx, service.NewKey{Name: "CI", Scopes: []string{"runs:write"}})
//	fmt.Println(made.Key)                                 // this once
//
// Errors that a caller caused are *Error, with the status and the code of the API; every other error is the machine's:
// *store.UnavailableError when the database is gone.
package service
