package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/project"
	"github.com/taproot-dev/taproot/cli/internal/session"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/run"
)

// completeWithin limits how long a shell waits for the list of devices.
const completeWithin = 5 * time.Second

// complete registers completions of arguments and flags: ids and tags of the tests in this folder, devices, fixed
// values. In case of an error there are no completions.
func complete(root *cobra.Command, env *process.Env) {
	words := map[string]func(context.Context) []string{
		"tag":      func(context.Context) []string { return testTags(env) },
		"device":   func(ctx context.Context) []string { return append(openIDs(ctx, env), deviceIDs(ctx, env)...) },
		"remote":   func(context.Context) []string { return remoteNames(env) },
		"platform": func(context.Context) []string { return []string{"android", "ios", "web"} },
		"ci":       func(context.Context) []string { return []string{"github", "gitlab", "jenkins", project.NoCI} },
		"ai":       func(context.Context) []string { return []string{"live", "replay", "off"} },
	}
	for _, cmd := range root.Commands() {
		for flag, list := range words {
			if cmd.Flags().Lookup(flag) == nil {
				continue
			}
			fn := func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return withPrefix(list(cmd.Context()), typed), cobra.ShellCompDirectiveNoFileComp
			}
			if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
				panic(err) // registered twice: a mistake in this function
			}
		}
		if cmd.Name() == "run" || cmd.Name() == "validate" {
			cmd.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return withPrefix(testIDs(env), typed), cobra.ShellCompDirectiveDefault // or a file
			}
		}
	}
}

// withPrefix returns the words with the typed prefix; after a comma another word starts.
func withPrefix(words []string, typed string) []string {
	before, last := "", typed
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		before, last = typed[:i+1], typed[i+1:]
	}
	var list []string
	for _, w := range words {
		if strings.HasPrefix(w, last) {
			list = append(list, before+w)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func testIDs(env *process.Env) (ids []string) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return nil
	}
	tests, _, _ := conf.Tests()
	for _, t := range tests {
		ids = append(ids, t.ID)
	}
	return ids
}

func testTags(env *process.Env) (tags []string) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return nil
	}
	tests, _, _ := conf.Tests()
	for _, t := range tests {
		tags = append(tags, t.Tags...)
	}
	return tags
}

// openIDs are the phones and pages that are open in the sessions of this project.
func openIDs(ctx context.Context, env *process.Env) (ids []string) {
	if ctx == nil {
		ctx = context.Background()
	}
	way, err := session.Client(env)
	if err != nil {
		return nil
	}
	p, _ := way.Sessions(ctx)
	for _, s := range p.Sessions {
		if s.Project == run.ProjectRoot(env.Dir) {
			for _, d := range s.Devices {
				ids = append(ids, d.ID)
			}
		}
	}
	return ids
}

func deviceIDs(ctx context.Context, env *process.Env) (ids []string) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	for _, d := range run.Drivers(conf) {
		infos, _ := d.Devices(ctx)
		for _, i := range infos {
			if i.State == drivers.Ready {
				ids = append(ids, i.ID)
			}
		}
		_ = d.Close()
	}
	return ids
}

// remoteNames are the remotes of the folder.
func remoteNames(env *process.Env) []string {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return nil
	}
	return conf.Sessions().Names()
}
