package service

import (
	"context"
	"errors"
	"slices"

	"github.com/taproot-dev/taproot/internal/store"
)

// The names of the plans.
const (
	PlanFree       = "free"
	PlanPro        = "pro"
	PlanEnterprise = "enterprise"
)

// Plan is the limits of an account.
type Plan struct {
	Name      string `json:"name" enum:"free,pro,enterprise"`
	PerMinute int    `json:"requestsPerMinute"`
	PerMonth  int    `json:"requestsPerMonth" doc:"0: as many as there are."`
	Projects  int    `json:"projects" doc:"That the account may own."`
	Members   int    `json:"members" doc:"Of each of its projects."`
}

// Plans lists the plans. The rates of enterprise are agreed with each customer; these are the default.
func Plans() []Plan {
	return []Plan{{PlanFree, 60, 10_000, 3, 3}, {PlanPro, 600, 200_000, 25, 25}, {PlanEnterprise, 6000, 0, 1000, 1000}}
}

// PlanOf returns the plan of an account, with its agreed rates.
func PlanOf(a Account) Plan {
	plan := Plans()[0]
	if i := slices.IndexFunc(Plans(), func(p Plan) bool { return p.Name == a.Plan }); i >= 0 {
		plan = Plans()[i]
	}
	if a.perMinute > 0 {
		plan.PerMinute = a.perMinute
	}
	if a.perMonth > 0 {
		plan.PerMonth = a.perMonth
	}
	return plan
}

// Plan returns the person's plan.
func (p *Person) Plan() Plan { return PlanOf(p.Account) }

// lockedPlan reads the plan of an account and locks it until the transaction ends.
func (s *Service) lockedPlan(t *store.Tx, account string) (Plan, error) {
	a, err := scanAccount(func(into ...any) error {
		return t.Lock("SELECT "+accountColumns+" FROM accounts WHERE id = $1", []any{account}, into...)
	})
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNotFound
	}
	return PlanOf(a), err
}

// Plan returns the plan of the project's owner. Its limits apply to the project.
func (p *Project) Plan(ctx context.Context) (Plan, error) {
	a, err := p.s.account(ctx, "id", p.Owner)
	return PlanOf(a), err
}
