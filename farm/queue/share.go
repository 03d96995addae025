package queue

import (
	"context"
	"fmt"
)

// Share is what a project gets of the farm beside others, and what it has.
type Share struct {
	Project string `json:"project"`
	Weight  int    `json:"weight"` // from 1: of two projects that wait, one of weight 2 begins twice as many cases
	Limit   int    `json:"limit"`  // of its cases under way at once; 0: none
	Running int    `json:"running"`
	Waiting int    `json:"waiting"`
}

// MostWeight bounds the weight of a project: more would let others wait for very long.
const MostWeight = 1000

// Share sets the weight and the limit of a project. Cases under way stay.
func (q *Queue) Share(ctx context.Context, project string, weight, limit int) error {
	if weight < 1 || weight > MostWeight || limit < 0 {
		return fmt.Errorf("the weight of a project is 1 to %d, its limit 0 (none) or more", MostWeight)
	}
	_, err := q.db.Exec(ctx,
		"INSERT INTO farm_projects (id, weight, most) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET weight = $2, most "+
			"= $3", project, weight, limit)
	return err
}

// Shares lists the shares of the projects that have used the farm or were given one, or of one project alone: then also
// when it has not.
func (q *Queue) Shares(ctx context.Context, project string) (list []Share, err error) {
	err = q.db.Each(ctx,
		"SELECT p.id, p.weight, p.most, (SELECT COUNT(*) FROM farm_cases c WHERE c.project = p.id AND c.state = 'running'), "+
			"(SELECT CAST(COALESCE(SUM(l.waiting), 0) AS BIGINT) FROM farm_lines l WHERE l.project = p.id) FROM farm_projects "+
			"p WHERE $1 = '' OR p.id = $1 ORDER BY p.id", []any{project},
		func(scan func(...any) error) error {
			var s Share
			err := scan(&s.Project, &s.Weight, &s.Limit, &s.Running, &s.Waiting)
			list = append(list, s)
			return err
		})
	if err == nil && project != "" && len(list) == 0 {
		list = []Share{{Project: project, Weight: 1}}
	}
	return list, err
}
