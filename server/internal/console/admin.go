package console

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// adminPages has the pages for admins of the service.
type adminPages struct {
	dropper
	service *service.Service
	farm    *hub.Hub // nil: there is none
	began   time.Time
}

// health is what an admin of the service should know.
type health struct {
	Counts   service.Counts
	Database string
	Answers  time.Duration // response time of the database
	Down     bool
	Up       time.Duration
	Memory   int // MB
	Public   string
	Secure   bool
	Open     bool
	Mail     bool
}

func (c *adminPages) health(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	h := health{Database: "SQLite", Up: time.Since(c.began).Round(time.Second), Public: c.service.PublicURL(),
		Secure: c.service.Secure(), Open: c.service.OpenRegistration(), Mail: c.service.SendsMail()}
	if c.service.Database() == "postgres" {
		h.Database = "PostgreSQL"
	}
	began := time.Now()
	h.Down = c.service.Ping(q.r.Context()) != nil
	h.Answers = time.Since(began)
	if h.Counts, err = op.Counts(q.r.Context()); err != nil {
		return err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.Memory = int(m.HeapAlloc >> 20)
	return q.show("admin", view{Title: "Health", Tab: "admin", D: h})
}

type accounts struct {
	Accounts []service.Account
	Plans    []service.Plan
	Text     string
	After    string
	Email    string
	Me       string
}

const accountsLength = 50

func (c *adminPages) accounts(q *request) error { return c.showAccounts(q, accounts{}, nil) }

func (c *adminPages) showAccounts(q *request, a accounts, failed error) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	get := q.r.URL.Query()
	a.Text, a.Me, a.Plans = get.Get("text"), q.person.Account.ID, service.Plans()
	if a.Accounts, err = op.Accounts(q.r.Context(), a.Text, get.Get("after"), accountsLength); err != nil {
		return err
	}
	if len(a.Accounts) == accountsLength {
		a.After = a.Accounts[accountsLength-1].Email
	}
	v := view{Title: "Accounts", Tab: "accounts", D: a}
	if failed != nil {
		return q.showFormAgain("accounts", v, failed)
	}
	return q.show("accounts", v)
}

func (c *adminPages) createAccount(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	if _, err := op.CreateAccount(q.r.Context(), q.field("email"), q.field("password"), false); err != nil {
		return c.showAccounts(q, accounts{Email: q.field("email")}, err)
	}
	return q.done("/console/admin/accounts", "account-created")
}

// alterAccount changes the account of another person. Admins cannot lock themselves out.
func (c *adminPages) alterAccount(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	ctx, id, what := q.r.Context(), q.r.PathValue("account"), "account-changed"
	action := q.r.PathValue("action")
	if id == q.person.Account.ID && action != "plan" {
		return c.showAccounts(q, accounts{},
			invalid("You cannot do this to your own account. Another admin can, or the command taproot admin."))
	}
	if !strings.HasPrefix(id, "acc_") {
		return service.ErrNotFound
	}
	switch action {
	case "confirm":
		err = op.Confirm(ctx, id)
	case "block":
		err = op.Block(ctx, id)
	case "admin":
		err = op.SetAdmin(ctx, id, true)
	case "person":
		err = op.SetAdmin(ctx, id, false)
	case "plan":
		err = c.setPlan(q, op, id)
	case "delete":
		what = "account-deleted"
		err = c.deleteOther(q, op, id)
	default:
		err = &service.Error{Status: http.StatusNotFound, Code: "not_found",
			Message: "There is no such action for an account."}
	}
	if err != nil {
		return c.showAccounts(q, accounts{}, err)
	}
	return q.done("/console/admin/accounts", what)
}

func (c *adminPages) setPlan(q *request, op *service.Operator, id string) error {
	change := service.PlanChange{Account: id, Plan: q.field("plan")}
	for _, f := range []struct {
		name string
		to   *int
	}{{"minute", &change.PerMinute}, {"month", &change.PerMonth}} {
		text := strings.TrimSpace(q.field(f.name))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return invalid("Write rates as whole numbers.")
		}
		*f.to = n
	}
	return op.SetPlan(q.r.Context(), change)
}

func (c *adminPages) deleteOther(q *request, op *service.Operator, id string) error {
	owned, err := op.Owned(q.r.Context(), id)
	if err != nil {
		return err
	}
	if err := op.DeleteAccount(q.r.Context(), id); err != nil {
		return err
	}
	for _, p := range owned {
		c.drop(q, p)
	}
	return nil
}

func (c *adminPages) auditLog(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	e, err := q.logPart("/console/admin/log", nil, func(p service.Page) ([]service.Entry, error) {
		return op.Log(q.r.Context(), p)
	})
	if err != nil {
		return err
	}
	return q.show("log", view{Title: "Log of the service", Tab: "admin-log", D: e})
}

// hosts lists the servers of the service, and the hosts of a farm with their devices.
func (c *adminPages) hosts(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	list, err := op.Hosts(q.r.Context())
	if err != nil {
		return err
	}
	d := struct {
		Hosts   []service.Host
		Shared  bool // in PostgreSQL: more hosts may join
		Farm    bool
		Members []hub.Host
		Devices []hub.Device
	}{Hosts: list, Shared: c.service.Database() == "postgres", Farm: c.farm != nil}
	if d.Farm {
		d.Members, d.Devices = c.farm.Hosts("", true), c.farm.AllDevices()
	}
	return q.show("hosts", view{Title: "Hosts", Tab: "hosts", D: d})
}
