package inspect

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestAgentCommands installs the agent on a phone, prints its state, and removes it.
func TestAgentCommands(t *testing.T) {
	t.Parallel()
	server, phones := androidsim.Start(t, androidsim.Tiny)
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range androidsim.AgentAPKs("10.6.6", 278) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"TAPROOT_AGENT_APKS": dir, "HOME": home, "XDG_RUNTIME_DIR": home, "XDG_STATE_HOME": home,
		"XDG_CACHE_HOME":    home,
		"ADB_SERVER_SOCKET": "tcp:" + server.Addr()}
	for _, c := range []struct {
		args []string
		says string
		fail bool
	}{
		{[]string{"agent", "status"}, "the agent is not installed", false},
		{[]string{"agent", "install"}, "agent 10.6.6 is installed", false},
		{[]string{"agent", "status", "--device", phones[0].Serial()}, "agent 10.6.6 is installed", false},
		{[]string{"agent", "remove"}, "the agent is not installed", false},
		{[]string{"agent", "status", "--device", "nobody"}, "", true},
	} {
		var out bytes.Buffer
		env := &process.Env{
			Stdin:  strings.NewReader(""),
			Stdout: &out,
			Stderr: &out,
			Dir:    home,
			Getenv: func(name string) string {
				return vars[name]
			},
		}
		for name, value := range vars {
			env.Environ = append(env.Environ, name+"="+value)
		}
		root := AgentCommand(env)
		root.SetArgs(c.args[1:])
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.ExecuteContext(t.Context()); (err != nil) != c.fail || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: %v\n%s", c.args, err, out.String())
		}
	}
	if _, ok := phones[0].Installed(androidsim.AgentTestPackage); ok || phones[0].AgentListens() {
		t.Error("something of the agent is left")
	}
}
