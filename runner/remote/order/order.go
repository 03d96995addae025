// Package order contains the messages about runs between clients, hubs and hosts, as JSON, and the subjects of those
// between hosts and hubs. The code is in runner/internal/order; this is what other folders need of it.
package order

import (
	"github.com/taproot-dev/taproot/runner/internal/order"
)

// Protocol is the version of the messages about runs between clients and hubs. Different versions are incompatible.
const Protocol = order.Protocol

// NewRun is the body of POST /farm/runs.
type NewRun = order.NewRun

// MadeRun is the response.
type MadeRun = order.MadeRun

// NewCase is a case in the body of POST /farm/runs/{id}/cases.
type NewCase = order.NewCase

// RunEvent is a line of GET /farm/runs/{id}/events. At most one of its fields is set; a line without any only shows
// that the hub is alive.
type RunEvent = order.RunEvent

// Ended means that a case has a result.
type Ended = order.Ended

// NoDevice means that no host has a device that a case needs.
type NoDevice = order.NoDevice

// CaseNumbers is the body of POST /farm/runs/{id}/cancel and /taken: cases of the run.
type CaseNumbers = order.CaseNumbers

// Usable is the response to GET /farm/usable.
type Usable = order.Usable

// Settings are the parts of the client's configuration that affect how cases run. They may contain secrets.
type Settings = order.Settings

// Attempt identifies an attempt of a case.
type Attempt = order.Attempt

// Job is a message of the stream to a host.
type Job = order.Job

// Start is the response to a host that is about to start an attempt.
type Start = order.Start

// Events are consecutive events of an attempt. From is the number of the first, from 0.
type Events = order.Events

// Report is what a host reports about an attempt that has ended.
type Report = order.Report

// ReportReply is the response to a Report.
type ReportReply = order.ReportReply

// SmallPack is the maximum size of an archive that is sent with the report, in bytes.
const SmallPack = order.SmallPack

// Part requests a part of a file of a host or a hub.
type Part = order.Part

// Bytes is the response to a Part; empty at the end.
type Bytes = order.Bytes

// PartSize is the maximum number of bytes in a response. In JSON they take a third more.
const PartSize = order.PartSize

// The requests and events of hosts, below hub.<host>.
const (
	StartSubject  = order.StartSubject
	EventsSubject = order.EventsSubject
	ReportSubject = order.ReportSubject
	PartSubject   = order.PartSubject
)

// The requests and events of hubs, below host.<host>.
const (
	CancelSubject = order.CancelSubject
	PackSubject   = order.PackSubject
)

// Result is a message between hubs: an accepted result of a run, or, without one, a hint that there are results to
// query.
type Result = order.Result

// EndedSubject is the subject of Results.
const EndedSubject = order.EndedSubject
