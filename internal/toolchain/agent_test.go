package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgentIsFetchedAndChecked checks that the downloaded packages are compared on arrival and at each use, and that a
// folder of the user is not checked.
func TestAgentIsFetchedAndChecked(t *testing.T) {
	h := newBareMachine(t)
	host := withUnpacked(h)
	if _, err := AgentAPKs(host); err == nil || !strings.Contains(err.Error(), "taproot setup --platform android") {
		t.Errorf("%v", err)
	}
	var out strings.Builder
	in := Installer{Host: host, Out: &out, FetchDriver: unreachable, archives: h.archives, Platforms: []string{Android}}
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir, err := CheckAgent(host)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if f, err := Find(t.Context(), host, Agent); err != nil || !f.OK() || f.Version != AgentVersion || f.Path != dir {
		t.Errorf("%+v, %v", f, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tests.apk"), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckAgent(host); err == nil || !strings.Contains(err.Error(), "not the file that was published") {
		t.Errorf("%v", err)
	}
	h.env["TAPROOT_AGENT_APKS"] = t.TempDir()
	if got, err := CheckAgent(host); err != nil || got != h.env["TAPROOT_AGENT_APKS"] {
		t.Errorf("%q, %v", got, err)
	}
	h.env["TAPROOT_AGENT_APKS"] = filepath.Join(dir, "nowhere")
	if _, err := CheckAgent(host); err == nil || !strings.Contains(err.Error(), "TAPROOT_AGENT_APKS") {
		t.Errorf("%v", err)
	}
}

// TestAgentOfAnotherDigest checks that a file that differs from the published one is refused and removed.
func TestAgentOfAnotherDigest(t *testing.T) {
	h := newBareMachine(t)
	host := withUnpacked(h)
	host.agent = []agentFile{{"server.apk", "00"}, {"tests.apk", "00"}}
	var out strings.Builder
	in := Installer{Host: host, Out: &out, FetchDriver: unreachable, archives: h.archives, Platforms: []string{Android}}
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := AgentAPKs(host); err == nil || !strings.Contains(out.String(), "not the file that was published") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
