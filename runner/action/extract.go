package action

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/decide"
)

func logMessage(_ context.Context, s *Session, a dsl.Log) error {
	s.note("%s", a.Message)
	return nil
}

// extract saves a text of the screen, or what a regular expression finds in it.
func extract(ctx context.Context, s *Session, a dsl.Extract) error {
	if a.Text != "" {
		return extractFromScreen(ctx, s, a)
	}
	if a.Prompt != "" {
		return extractByPrompt(ctx, s, a.Prompt)
	}
	n, err := locateVisible(ctx, s, a.Selector)
	if err != nil {
		return err
	}
	text := textOf(n)
	if a.Regex == "" {
		s.Value = text
		return nil
	}
	value, ok, err := match(a.Regex, text, a.Group)
	if err == nil && !ok {
		p := problem("%s does not fit the regular expression %s", screen.Quote(text), a.Regex)
		p.Expected, p.Actual = a.Regex, screen.Quote(text)
		return &Failure{p}
	}
	s.Value = value
	return err
}

func extractFromScreen(ctx context.Context, s *Session, a dsl.Extract) error {
	pattern := a.Text
	var tree *screen.Tree
	err := poll(ctx, s.Timeout, func() (err error) {
		if tree, err = s.Device.Tree(ctx); err != nil {
			return err
		}
		s.Detail.ScreenReads++
		value, ok, err := match(pattern, strings.Join(tree.AllTexts(), "\n"), a.Group)
		if err != nil {
			return err
		}
		if !ok {
			return errWait
		}
		s.Value = value
		return nil
	})
	if errors.Is(err, errWait) {
		p := problem("nothing on the screen fits the regular expression %s within %s; %s", pattern, s.Timeout,
			decide.Shown(tree))
		p.Expected, p.Actual = pattern, decide.Shown(tree)
		return &Failure{p}
	}
	return err
}

// match returns the requested group; without a request the first, or all where there is none.
func match(pattern, text string, group *int) (string, bool, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", false, &Failure{problem("regular expression %q: %v", pattern, err)}
	}
	m := re.FindStringSubmatch(text)
	if m == nil {
		return "", false, nil
	}
	want := min(1, len(m)-1)
	if group != nil {
		want = *group
	}
	if want >= len(m) {
		return "", false, &Failure{problem("the regular expression %q has no bracket %d", pattern, want)}
	}
	return m[want], true, nil
}
