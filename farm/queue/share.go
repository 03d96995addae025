package queue

import (
	"context"
	"fmt"
)

// Share is what a project may use of the farm compared with others, and what it uses now.
type Share struct {
	Project string `json:"project"`
	Weight  int    `json:"weight"` // from 1: with weight 2 a waiting project starts twice as many cases as with 1
	Limit   int    `json:"limit"`  // of its cases that run at once; 0: no limit
	Running int    `json:"running"`
	Waiting int    `json:"waiting"`
}

// MostWeight limits the weight of a project: with more, other projects would wait very long.
const MostWeight = 1000

// Share sets the weight and the limit of a project. Running cases are not affected.
func (q *Queue) Share(ctx context.Context, project string, weight, limit int) error {
	if weight < 1 || weight > MostWeight || limit < 0 {
		return fmt.Errorf("the weight of a project is 1 to %d, its limit 0 (none) or more", MostWeight)
	}
	_, err := q.db.Exec(ctx,
		"INSERT INTO farm_projects (id, weight, most) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET weight = $2, most "+
			"= $3", project, weight, limit)
	return err
}

// Shares lists the shares of the projects that have used the farm or have a share. With a project it returns only that
// one, with the defaults if it has none.
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
