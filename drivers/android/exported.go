package android

import (
	"image"

	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// AgentMode says whether an agent on the phone reads and touches its screen.
type AgentMode = agent.Mode

// The modes in addition to the usual one, which uses it where it can be had: an error, or never.
const (
	AgentRequire = agent.Require
	AgentOff     = agent.Off
)

// ParseAgentMode reads a mode; "" is the usual one.
func ParseAgentMode(s string) (AgentMode, error) { return agent.ParseMode(s) }

// AgentState is what of the agent is on a phone.
type AgentState = agent.State

// ParseTree reads a dump that was saved: by uiautomator, by `adb shell` behind or in front of a status line, or by an
// automation server. size is that of the screenshot that belongs to it; zero: what the dump says and what its elements
// reach.
func ParseTree(saved []byte, size image.Point) (*screen.Tree, error) {
	return dump.ParseTree(saved, size)
}
