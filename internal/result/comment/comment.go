// Package comment keeps one comment of a pull or merge request up to date with the results of its jobs: a run goes in,
// and a comment on GitHub or GitLab comes out.
package comment

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Post says what to write.
type Post struct {
	Job    string // the name of the job: its section of the comment
	Commit string // that the job tested; may be empty
	// Body returns the section of the job, Markdown of at most limit bytes. A section that is cut has a link to the
	// report.
	Body func(limit int) string
}

// note is a comment on the server.
type note struct {
	id   string
	body string
	bot  bool // an app or a bot wrote it
}

// host is a server with requests and their comments.
type host interface {
	// comments are those of the request, oldest first.
	comments(ctx context.Context) ([]note, error)
	create(ctx context.Context, body string) (id string, err error)
	edit(ctx context.Context, id, body string) error
	remove(ctx context.Context, id string) error
	// limit is the largest number of bytes of a comment.
	limit() int
}

// marker is the first line of the comment.
const marker = "<!-- taproot report comment -->"

// rounds is how often a comment is written at most, when other jobs write it at the same time.
const rounds = 6

// Update writes the section of the job into the comment of the request, which it creates if there is none. Several jobs
// can do so at the same time: neither server can refuse a change of an old text, so the comment is read again after a
// pause, and written again when the section is not in it.
func (t *Target) Update(ctx context.Context, p Post) (created bool, err error) {
	own := ""
	p.Job = plainName(p.Job)
	for round := range rounds {
		list, err := t.host.comments(ctx)
		if err != nil {
			return false, err
		}
		ours := slices.DeleteFunc(slices.Clone(list), func(n note) bool { return !strings.HasPrefix(n.body, marker) })
		// A user could write a comment like this one: that of a bot goes first.
		slices.SortStableFunc(ours, func(a, b note) int { return cmp.Compare(rank(a), rank(b)) })
		if len(ours) == 0 {
			body := merge("", p, t.host.limit())
			if own, err = t.host.create(ctx, body); err != nil {
				return false, err
			}
			created = true
			t.pause(ctx, round)
			continue
		}
		first := ours[0]
		if own != "" && own != first.id { // another job has created one at the same time
			if err := t.host.remove(ctx, own); err != nil {
				return created, err
			}
			own, created = "", false
		}
		body := merge(first.body, p, t.host.limit())
		if same(body, first.body) {
			return created, nil
		}
		if err := t.host.edit(ctx, first.id, body); err != nil {
			return created, err
		}
		t.pause(ctx, round)
	}
	return created, fmt.Errorf("other jobs changed the comment %d times in a row", rounds)
}

// pause waits until other jobs that read the comment at the same time have written it, too.
func (t *Target) pause(ctx context.Context, round int) {
	wait := t.settle/2 + time.Duration(rand.Int64N(int64(t.settle)))*time.Duration(round+1)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func rank(n note) int {
	if n.bot {
		return 0
	}
	return 1
}

// same compares bodies as servers store them: they change the ends of lines.
func same(a, b string) bool {
	return strings.TrimSpace(a) == strings.TrimSpace(strings.ReplaceAll(b, "\r\n", "\n"))
}

// section is the part of one job.
type section struct{ job, text string }

// The lines around a section. The name of the job is quoted, so that it cannot end the comment.
const (
	opening = "<!-- taproot job "
	closing = "<!-- taproot end -->"
)

// leastSection is the number of bytes that each section has, whatever the sizes of the others.
const leastSection = 500

// merge returns the comment with the section of the job in place of its earlier one, or after the others, in the order
// of their names.
func merge(old string, p Post, limit int) string {
	p.Job = plainName(p.Job)
	sections := slices.DeleteFunc(parse(old), func(s section) bool { return s.job == p.Job })
	sections = append(sections, section{job: p.Job})
	slices.SortFunc(sections, func(a, b section) int { return cmp.Compare(a.job, b.job) })
	frame := len(marker) + 1
	for _, s := range sections {
		frame += len(head(s.job)) + len(closing) + 4
	}
	rest := limit - frame
	share := max(leastSection, rest/len(sections))
	for i := range sections { // those of other jobs keep their size if there is room
		s := &sections[i]
		if s.job != p.Job && len(s.text) > share {
			s.text = cut(s.text, share)
		}
		rest -= len(s.text)
	}
	at := slices.IndexFunc(sections, func(s section) bool { return s.job == p.Job })
	sections[at].text = strings.ReplaceAll(p.Body(max(leastSection, rest)), "<!-- taproot", "<! -- taproot")
	var b strings.Builder
	b.WriteString(marker + "\n")
	for _, s := range sections {
		b.WriteString(head(s.job) + "\n" + strings.TrimSpace(s.text) + "\n" + closing + "\n")
	}
	return b.String()
}

func head(job string) string { return opening + job + " -->" }

// plainName is the name of a job without what would end the comment of HTML around it.
func plainName(job string) string {
	return strings.TrimSpace(strings.NewReplacer("-", "‐", "<", "‹", ">", "›", "\n", " ", "\r", " ").Replace(job))
}

// parse returns the sections of a comment.
func parse(body string) (list []section) {
	var now *section
	for line := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, opening) && strings.HasSuffix(line, " -->"):
			list = append(list, section{job: strings.TrimSuffix(strings.TrimPrefix(line, opening), " -->")})
			now = &list[len(list)-1]
		case line == closing:
			now = nil
		case now != nil:
			now.text += line + "\n"
		}
	}
	return list
}

// cut keeps the first lines of the section of another job.
func cut(text string, limit int) string {
	const note = "\n… this section was cut"
	kept := ""
	for line := range strings.SplitAfterSeq(text, "\n") {
		if len(kept)+len(line)+len(note) > limit {
			break
		}
		kept += line
	}
	return strings.TrimSpace(kept) + note
}
