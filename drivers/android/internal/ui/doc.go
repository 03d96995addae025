// Package ui reads and touches the screen: by the agent where one runs, otherwise by the phone's own tools.
package ui
