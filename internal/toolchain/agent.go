package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
)

// AgentVersion is the version of appium-uiautomator2-server, which reads and controls the screens of phones.
const AgentVersion = "10.6.6"

// agentName is its package in the npm registry.
const agentName = "appium-uiautomator2-server"

// agentFile is one of the agent's packages for Android.
type agentFile struct{ name, sha256 string }

// agentFiles returns both of its packages, with their digests.
func (h Host) agentFiles() []agentFile {
	if h.agent != nil {
		return h.agent
	}
	return []agentFile{
		{"appium-uiautomator2-server-v" + AgentVersion + ".apk",
			"8ff760a2a86b487f53090fbdcd5b0360e67d02bb811887d527a9557b0d59c80d"},
		{"appium-uiautomator2-server-debug-androidTest.apk",
			"e6f729287d72351388fd66597c35b69988b9091a7011954bf92a55d416cb1e1c"},
	}
}

// agentDir is where setup puts the agent.
func (h Host) agentDir() string {
	return filepath.Join(h.CacheDir, "uiautomator2-server", AgentVersion)
}

// AgentAPKs returns the folder of the agent's packages: the one in TAPROOT_AGENT_APKS, unchecked, or the one in the
// cache.
func AgentAPKs(h Host) (string, error) {
	if dir := h.Getenv("TAPROOT_AGENT_APKS"); dir != "" {
		info, err := h.Stat(dir)
		if err != nil {
			return "", fmt.Errorf("TAPROOT_AGENT_APKS: %w", err)
		}
		if !info.IsDir() {
			return "", fmt.Errorf("TAPROOT_AGENT_APKS: %s is not a folder", dir)
		}
		return dir, nil
	}
	if h.CacheDir == "" {
		return "", errors.New("the agent is not on this machine: this user has no cache folder")
	}
	dir := filepath.Join(h.agentDir(), "package", "apks")
	for _, f := range h.agentFiles() {
		if _, err := h.Stat(filepath.Join(dir, f.name)); err != nil {
			return "", errors.New("the agent is not on this machine (`taproot setup --platform android` fetches it)")
		}
	}
	return dir, nil
}

// findAgent looks for the agent's packages. They are not programs of this machine.
func findAgent(h Host) Finding {
	dir, err := CheckAgent(h)
	f := Finding{Path: dir}
	if h.Getenv("TAPROOT_AGENT_APKS") != "" {
		f.Pinned = "TAPROOT_AGENT_APKS"
	}
	switch {
	case err != nil && dir == "" && f.Pinned == "":
		f.Problem = "not found"
	case err != nil:
		f.Problem = err.Error()
	case f.Pinned == "":
		f.Version = AgentVersion
	default:
		f.Version = "your own"
	}
	return f
}

// CheckAgent compares the packages in the cache with the published ones. It does not check those in TAPROOT_AGENT_APKS.
func CheckAgent(h Host) (dir string, err error) {
	if dir, err = AgentAPKs(h); err != nil || h.Getenv("TAPROOT_AGENT_APKS") != "" {
		return dir, err
	}
	return dir, h.checkAgentFiles(dir)
}

func (h Host) checkAgentFiles(dir string) error {
	for _, f := range h.agentFiles() {
		data, err := h.ReadFile(filepath.Join(dir, f.name))
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.sha256 {
			return fmt.Errorf(
				"%s is not the file that was published: its sha256 is %x; remove %s and run `taproot setup --platform android`",
				f.name, sum, filepath.Dir(filepath.Dir(dir)))
		}
	}
	return nil
}

// installAgent downloads the agent's packages.
func (in Installer) installAgent(ctx context.Context) error {
	return in.place(in.Host.agentDir(), func(dir string) error {
		in.say("fetching the agent for Android phones, %s %s, into %s", agentName, AgentVersion, in.Host.agentDir())
		if err := in.fetchPackage(ctx, agentName, dir); err != nil {
			return err
		}
		return in.Host.checkAgentFiles(filepath.Join(dir, "package", "apks"))
	})
}
