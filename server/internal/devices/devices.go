// Package devices is the part of the REST API that shows and uses devices: actions, pages, leases, recordings and
// streams.
package devices

import (
	"context"

	"net/http"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// Devices are the devices of a project, as its callers use them. It is made of parts by subject, which share a desk.
type Devices struct {
	*desk
	*records
	*screens
	*files
	*shells
	*recorder
	*lessor
	*actor
	*inputs
}

// New creates the devices of a project. It opens none.
func New(o Options) (*Devices, error) {
	d, err := newDesk(o)
	if err != nil {
		return nil, err
	}
	videos, acts := &recordings{base: o.Streams}, &actor{d}
	return &Devices{desk: d, records: &records{d, videos}, screens: &screens{d}, files: &files{d}, shells: &shells{d},
		recorder: &recorder{d, videos}, lessor: &lessor{d}, actor: acts, inputs: &inputs{acts, o.Studio}}, nil
}

// Pool returns the pool of the devices. It is valid until ClosePool.
func (d *Devices) Pool() *pool.Pool { return d.pool }

// Live returns the devices that are open between calls.
func (d *Devices) Live() *live.Devices { return d.devices }

// Problems returns what converts the errors of the devices to responses.
func (d *Devices) Problems() *rest.Problems { return d.problems }

// IsOpen reports whether a device is open for calls.
func (d *Devices) IsOpen(id string) bool {
	_, open := d.opened()[id]
	return open
}

// StopRecordings ends all recordings. Options.Streams must have ended.
func (d *Devices) StopRecordings() { d.recorder.recordings.close() }

// ForHubs lists the devices of this machine for hubs.
func (d *Devices) ForHubs(ctx context.Context) ([]wire.Device, error) {
	infos, err := d.devices.List(ctx)
	list := []wire.Device{}
	for _, info := range infos {
		if info.Platform == dsl.Web && info.Remote == "" { // pages belong to one project
			continue
		}
		one := wire.Device{Info: info}
		if h, busy := d.pool.Busy(info.ID); busy {
			since := d.pool.There(h.Since).UTC()
			one.LeasedSince = &since
		}
		for _, r := range d.pool.Reservations(info.ID) {
			one.Reserved = append(one.Reserved, wire.Lease{Project: r.Project, Holder: r.Who, Why: r.Why, ID: reservationID(r),
				By: r.By, Since: r.From, Until: r.Until})
		}
		list = append(list, one)
	}
	return list, err
}

// Routes registers the operations on devices. of returns the devices of a request's project.
func Routes(api *rest.API, of func(context.Context) *Devices) {
	rest.Register(api, rest.Op{Get: "/devices", ID: "list-devices", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "List the devices, usable or not"}, rest.On(of, (*Devices).listDevices))
	rest.Register(api, rest.Op{Get: "/devices/{id}", ID: "get-device", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "Show one device",
		Codes:   []int{404, 502}}, rest.On(of, (*Devices).getDevice))
	api.Raw(rest.Op{Get: "/devices/{id}/screenshot", ID: "get-screenshot", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "Take a screenshot", Type: "image/png",
		AlsoType: "image/jpeg", Codes: rest.DeviceCodes(), Query: screenshotQuery()}, rest.RawOn(of, (*Devices).screenshot))
	api.Raw(rest.Op{Get: "/devices/{id}/tree", ID: "get-tree", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "Read the elements of the screen", Codes: rest.DeviceCodes(),
		Answers: treeBody{}}, rest.RawOn(of, (*Devices).tree))
	api.Raw(rest.Op{Get: "/devices/{id}/logs", ID: "stream-logs", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "Follow the device's log",
		Doc: "The log from now on, line by line, until the client disconnects or the device is released. It is empty " +
			"for up to some seconds.", Type: "text/plain",
		Codes: rest.DeviceCodes(), Stream: true}, rest.RawOn(of, (*Devices).logs))
	api.Raw(rest.Op{Get: "/devices/{id}/live", ID: "watch-device", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "Watch the screen", Doc: liveDoc,
		Type: "multipart/x-mixed-replace", Codes: rest.DeviceCodes(), Stream: true}, rest.RawOn(of, (*Devices).live))
	api.Raw(rest.Op{Get: "/devices/{id}/input", ID: "act-live", Tag: "devices", Scope: rest.WriteDevices,
		Summary: "Act on the device over a WebSocket", Doc: inputDoc,
		Status: http.StatusSwitchingProtocols, Codes: append(rest.DeviceCodes(), http.StatusUpgradeRequired), Stream: true,
		Query: inputQuery()}, rest.RawOn(of, (*Devices).input))
	api.Raw(rest.Op{Get: "/devices/{id}/apps", ID: "list-apps", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "List the apps that were installed", Codes: rest.DeviceCodes(), Answers: Apps{}},
		rest.RawOn(of, (*Devices).listApps))
	api.Raw(rest.Op{Post: "/devices/{id}/apps", ID: "upload-app", Tag: "devices", Scope: rest.WriteDevices,
		Answers: Outcome{},
		Upload:  true, Part: appPart,
		Summary: "Upload and install an app", Doc: uploadAppDoc,
		Codes: append(rest.DeviceCodes(), http.StatusRequestEntityTooLarge)}, rest.RawOn(of, (*Devices).uploadApp))
	api.Raw(rest.Op{Post: "/devices/{id}/media", ID: "upload-media", Tag: "devices", Scope: rest.WriteDevices,
		Answers: Outcome{},
		Upload:  true, Part: mediaPart,
		Summary: "Add an image or a video to the gallery", Doc: uploadMediaDoc,
		Codes: append(rest.DeviceCodes(), http.StatusRequestEntityTooLarge)}, rest.RawOn(of, (*Devices).uploadMedia))
	api.Raw(rest.Op{Get: "/devices/{id}/file", ID: "get-device-file", Tag: "devices", Scope: rest.WriteDevices,
		Summary: "Copy a file of the device", Doc: pullDoc,
		Query: pullQuery(), Type: "application/octet-stream",
		Codes: append(rest.DeviceCodes(), http.StatusInsufficientStorage)},
		rest.RawOn(of, (*Devices).pullFile))
	api.Raw(rest.Op{Get: "/devices/{id}/adb", ID: "connect-adb", Tag: "devices", Scope: rest.WriteDevices,
		Summary: "Connect adb with a phone", Doc: adbDoc, Status: http.StatusSwitchingProtocols,
		Codes: append(rest.DeviceCodes(), http.StatusUpgradeRequired), Stream: true}, rest.RawOn(of, (*Devices).adb))
	rest.Register(api, rest.Op{Post: "/devices/{id}/inspect", ID: "inspect-device", Tag: "devices",
		Scope:   rest.ReadDevices,
		Summary: "Find elements, and selectors for them", Doc: inspectDoc,
		Status: http.StatusOK, Codes: rest.DeviceCodes()}, rest.On(of, (*Devices).inspect))
	rest.Register(api, rest.Op{Get: "/devices/{id}/lease", ID: "get-lease", Tag: "leases", Scope: rest.ReadDevices,
		Summary: "Show who holds the device", Codes: []int{404, 502}}, rest.On(of, (*Devices).getLease))
	rest.Register(api, rest.Op{Post: "/devices/{id}/lease", ID: "lease-device", Tag: "leases", Scope: rest.WriteDevices,
		Summary: "Lease the device, or renew the lease",
		Doc:     leaseDoc, Status: http.StatusOK, Codes: rest.DeviceCodes()}, rest.On(of, (*Devices).takeLease))
	rest.Register(api, rest.Op{Delete: "/devices/{id}/lease", ID: "release-device", Tag: "leases",
		Scope:   rest.WriteDevices,
		Summary: "Release the device",
		Status:  http.StatusNoContent, Codes: rest.DeviceCodes()}, rest.On(of, (*Devices).dropLease))
	rest.Register(api, rest.Op{Get: "/web", ID: "list-pages", Tag: "web", Scope: rest.ReadDevices,
		Summary: "List the pages that are open",
		Codes:   []int{http.StatusNotFound, http.StatusBadGateway}}, rest.On(of, (*Devices).listPages))
	rest.Register(api, rest.Op{Delete: "/web/{page}", ID: "close-page", Tag: "web", Scope: rest.WriteDevices,
		Summary: "Close a page",
		Status:  http.StatusNoContent, Codes: rest.DeviceCodes()}, rest.On(of, (*Devices).closePage))
	recordingRoutes(api, of)
	actionRoutes(api, of)
}

// recordingRoutes registers the routes of recordings on demand.
func recordingRoutes(api *rest.API, of func(context.Context) *Devices) {
	rest.Register(api, rest.Op{Get: "/devices/{id}/recording", ID: "get-recording", Tag: "devices",
		Scope:   rest.ReadDevices,
		Summary: "Show the recording of the device", Codes: []int{404, 502}}, rest.On(of, (*Devices).getRecording))
	rest.Register(api, rest.Op{Post: "/devices/{id}/recording", ID: "start-recording", Tag: "devices",
		Scope:   rest.WriteDevices,
		Summary: "Start a recording of the screen", Doc: recordDoc,
		Status: http.StatusCreated, Codes: rest.DeviceCodes()}, rest.On(of, (*Devices).startRecording))
	rest.Register(api, rest.Op{Post: "/devices/{id}/recording/stop", ID: "stop-recording", Tag: "devices",
		Scope:   rest.WriteDevices,
		Summary: "End the recording",
		Doc:     "Responds when the video is complete. A recording that has ended already does not change.",
		Status:  http.StatusOK,
		Codes:   rest.DeviceCodes()}, rest.On(of, (*Devices).stopRecording))
	video := rest.Op{Get: "/devices/{id}/recording/video", ID: "get-video", Tag: "devices", Scope: rest.ReadDevices,
		Summary: "Get the video of a recording that has ended", Type: "video/mp4",
		Also: rest.FileCodes(), Codes: append(rest.DeviceCodes(), http.StatusRequestedRangeNotSatisfiable)}
	api.Raw(video, rest.RawOn(of, (*Devices).getRecordingVideo))
	video.Get, video.ID, video.Undocumented = "/devices/{id}/recording/film", "get-film", true
	api.Raw(video, rest.RawOn(of, (*Devices).getRecordingVideo))
	rest.Register(api, rest.Op{Delete: "/devices/{id}/recording", ID: "delete-recording", Tag: "devices",
		Scope:   rest.WriteDevices,
		Summary: "Delete the recording; one that still runs is aborted",
		Status:  http.StatusNoContent, Codes: []int{404, 502}}, rest.On(of, (*Devices).deleteRecording))
}
