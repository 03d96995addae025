package server

import (
	"net/http"
	"sync"

	"github.com/rs/cors"

	"github.com/taproot-dev/taproot/server/apidocs"
)

// The scopes of tokens.
const (
	readServer   = "server:read"
	readDevices  = "devices:read"
	writeDevices = "devices:write"
	readRuns     = "runs:read"
	writeRuns    = "runs:write"
	readReports  = "reports:read"
	writeReports = "reports:write"
)

// Scopes lists the scopes of tokens.
func Scopes() []string {
	return []string{readDevices, writeDevices, readRuns, writeRuns, readReports, writeReports, readServer}
}

// routes registers all paths. Each is served at the root and under /api.
func (s *Server) routes() error {
	s.api = newAPI(s.mux, s.o.Version)
	if err := s.mountMCP(); err != nil {
		return err
	}

	s.raw(op{Get: "/", ID: "about", Tag: "server", Summary: "Name, version and links to the documentation",
		Answers: about{}},
		s.about)
	s.raw(op{Get: "/healthz", ID: "health", Tag: "server", Summary: "Whether the server responds", Answers: health{},
		Free: true}, s.health)
	s.raw(op{Get: "/readyz", ID: "ready", Tag: "server", Scope: readServer, Summary: "Whether the server can work",
		Answers: health{}, Free: true,
		Codes: []int{http.StatusServiceUnavailable}}, s.ready)
	s.raw(op{Get: metricsPath, ID: "metrics", Tag: "server", Scope: readServer, Summary: "Metrics for Prometheus",
		Doc: metricsDoc, Type: "text/plain", Free: true}, s.figures.handler())
	s.raw(op{Get: "/openapi.json", ID: "openapi", Tag: "server", Summary: "This document", Type: "application/json"},
		s.openapi)
	s.raw(op{Get: "/docs", ID: "docs", Tag: "server", Summary: "This document for people", Type: "text/html"}, s.docs)
	s.raw(op{Get: "/docs/try", ID: "try", Tag: "server", Summary: "A page that sends requests", Type: "text/html"},
		s.tryPage)
	s.raw(op{Get: "/docs/openapi-explorer.js", ID: "try-script", Tag: "server", Summary: "The script of that page",
		Type: "text/javascript"}, apidocs.ServeViewer)

	register(s, op{Get: "/devices", ID: "list-devices", Tag: "devices", Scope: readDevices,
		Summary: "List the devices, usable or not"}, s.listDevices)
	register(s, op{Get: "/devices/{id}", ID: "get-device", Tag: "devices", Scope: readDevices, Summary: "Show one device",
		Codes: []int{404, 502}}, s.getDevice)
	s.raw(op{Get: "/devices/{id}/screenshot", ID: "get-screenshot", Tag: "devices", Scope: readDevices,
		Summary: "Take a screenshot", Type: "image/png",
		AlsoType: "image/jpeg", Codes: deviceCodes(), Query: screenshotQuery()}, s.screenshot)
	s.raw(op{Get: "/devices/{id}/tree", ID: "get-tree", Tag: "devices", Scope: readDevices,
		Summary: "Read the elements of the screen", Codes: deviceCodes(),
		Answers: treeBody{}}, s.tree)
	s.raw(op{Get: "/devices/{id}/logs", ID: "stream-logs", Tag: "devices", Scope: readDevices,
		Summary: "Follow the device's log",
		Doc: "The log from now on, line by line, until the client disconnects or the device is released. It is empty " +
			"for up to some seconds.", Type: "text/plain",
		Codes: deviceCodes(), Stream: true}, s.logs)
	s.raw(op{Get: "/devices/{id}/live", ID: "watch-device", Tag: "devices", Scope: readDevices,
		Summary: "Watch the screen", Doc: liveDoc,
		Type: "multipart/x-mixed-replace", Codes: deviceCodes(), Stream: true}, s.live)
	s.raw(op{Get: "/devices/{id}/input", ID: "act-live", Tag: "devices", Scope: writeDevices,
		Summary: "Act on the device over a WebSocket", Doc: inputDoc,
		Status: http.StatusSwitchingProtocols, Codes: append(deviceCodes(), http.StatusUpgradeRequired), Stream: true,
		Query: inputQuery()}, s.input)
	s.raw(op{Get: "/devices/{id}/apps", ID: "list-apps", Tag: "devices", Scope: readDevices,
		Summary: "List the apps that were installed", Codes: deviceCodes(), Answers: Apps{}}, s.listApps)
	s.raw(op{Post: "/devices/{id}/apps", ID: "upload-app", Tag: "devices", Scope: writeDevices, Answers: Outcome{},
		Upload: true, Part: appPart,
		Summary: "Upload and install an app", Doc: uploadAppDoc,
		Codes: append(deviceCodes(), http.StatusRequestEntityTooLarge)}, s.uploadApp)
	s.raw(op{Post: "/devices/{id}/media", ID: "upload-media", Tag: "devices", Scope: writeDevices, Answers: Outcome{},
		Upload: true, Part: mediaPart,
		Summary: "Add an image or a video to the gallery", Doc: uploadMediaDoc,
		Codes: append(deviceCodes(), http.StatusRequestEntityTooLarge)}, s.uploadMedia)
	s.raw(op{Get: "/devices/{id}/file", ID: "get-device-file", Tag: "devices", Scope: writeDevices,
		Summary: "Copy a file of the device", Doc: pullDoc,
		Query: pullQuery(), Type: "application/octet-stream", Codes: append(deviceCodes(), http.StatusInsufficientStorage)},
		s.pullFile)
	s.raw(op{Get: "/devices/{id}/adb", ID: "connect-adb", Tag: "devices", Scope: writeDevices,
		Summary: "Connect adb with a phone", Doc: adbDoc, Status: http.StatusSwitchingProtocols,
		Codes: append(deviceCodes(), http.StatusUpgradeRequired), Stream: true}, s.adb)
	s.recordingRoutes()
	register(s, op{Post: "/devices/{id}/inspect", ID: "inspect-device", Tag: "devices", Scope: readDevices,
		Summary: "Find elements, and selectors for them", Doc: inspectDoc,
		Status: http.StatusOK, Codes: deviceCodes()}, s.inspect)
	register(s, op{Get: "/devices/{id}/lease", ID: "get-lease", Tag: "leases", Scope: readDevices,
		Summary: "Show who holds the device", Codes: []int{404, 502}}, s.getLease)
	register(s, op{Post: "/devices/{id}/lease", ID: "lease-device", Tag: "leases", Scope: writeDevices,
		Summary: "Lease the device, or renew the lease",
		Doc:     leaseDoc, Status: http.StatusOK, Codes: deviceCodes()}, s.takeLease)
	register(s, op{Delete: "/devices/{id}/lease", ID: "release-device", Tag: "leases", Scope: writeDevices,
		Summary: "Release the device",
		Status:  http.StatusNoContent, Codes: deviceCodes()}, s.dropLease)

	s.actions()
	register(s, op{Get: "/web", ID: "list-pages", Tag: "web", Scope: readDevices, Summary: "List the pages that are open",
		Codes: []int{http.StatusNotFound, http.StatusBadGateway}}, s.listPages)
	register(s, op{Delete: "/web/{page}", ID: "close-page", Tag: "web", Scope: writeDevices, Summary: "Close a page",
		Status: http.StatusNoContent, Codes: deviceCodes()}, s.closePage)

	register(s, op{Get: "/tests", ID: "list-tests", Tag: "runs", Scope: readRuns, Summary: "List the tests of the server",
		Codes: []int{http.StatusUnprocessableEntity}}, s.listTests)
	register(s, op{Post: "/tests/validate", ID: "validate-tests", Tag: "runs", Scope: readRuns,
		Summary: "Validate tests without running them"}, s.validateTests)
	s.raw(op{Post: "/tests", ID: "upload-tests", Tag: "runs", Scope: writeRuns, Answers: UploadedTests{}, Upload: true,
		Part:    testsPart,
		Summary: "Replace the tests on the server", Doc: uploadTestsDoc, Codes: []int{413, 504}},
		s.uploadTests)
	register(s, op{Post: "/runs", ID: "start-run", Tag: "runs", Scope: writeRuns, Summary: "Run tests", Doc: runDoc,
		Status: http.StatusAccepted, Also: []int{http.StatusOK}, Codes: []int{http.StatusUnprocessableEntity}}, s.startRun)
	register(s, op{Get: "/runs", ID: "list-runs", Tag: "runs", Scope: readRuns, Summary: "List the runs, newest first"},
		s.listRuns)
	register(s, op{Get: "/runs/{id}", ID: "get-run", Tag: "runs", Scope: readRuns, Summary: "Show one run",
		Codes: []int{404}}, s.getRun)
	register(s, op{Delete: "/runs/{id}", ID: "cancel-run", Tag: "runs", Scope: writeRuns,
		Summary: "Cancel a run; its reports stay",
		Doc: "Responds when the run has ended and its reports are complete. " +
			"A run that has ended already does not change.",
		Codes: []int{404, 422, 504}}, s.cancelRun)
	s.raw(op{Get: "/runs/{id}/events", ID: "follow-run", Tag: "runs", Scope: readRuns, Summary: "Follow a run",
		Doc: eventsDoc, Type: "text/event-stream",
		Codes: []int{404}, Stream: true}, s.followRun)

	register(s, op{Get: "/reports", ID: "list-reports", Tag: "reports", Scope: readReports,
		Summary: "List the runs and their packs, newest first"}, s.listReports)
	s.raw(op{Get: "/reports/{run}/{name}", ID: "get-report", Tag: "reports", Scope: readReports, Codes: []int{404, 416},
		Also: fileCodes(), Type: "application/octet-stream", AlsoType: "application/json",
		Summary: "List a pack's files; get a pack as NAME.tar.gz, or a file of the run", Doc: reportDoc}, s.report)
	s.raw(op{Get: "/reports/{run}/{name}/{path...}", ID: "get-report-file", Tag: "reports", Scope: readReports,
		Codes: []int{404, 416}, Also: fileCodes(), Type: "application/octet-stream",
		Summary: "Get a file of a pack"}, s.reportFile)
	s.raw(op{Post: "/reports/upload", ID: "upload-report", Tag: "reports", Scope: writeReports, Status: http.StatusCreated,
		Also: []int{http.StatusOK}, Answers: uploaded{}, Upload: true, Part: packPart,
		Summary: "Keep a report pack", Doc: uploadDoc, Codes: []int{413, 504}}, s.upload)

	register(s, op{Delete: "/reports/{run}", ID: "delete-report", Tag: "reports", Scope: writeReports,
		Summary: "Delete the reports of a run", Status: http.StatusNoContent,
		Doc:   "Deletes all packs of the run. Cancel a run that has not ended first, with DELETE /runs/{id}.",
		Codes: []int{404, 409}}, s.deleteReport)

	if s.o.Service != nil {
		s.accountRoutes()
		s.projectRoutes()
	}
	if s.o.Farm != nil {
		s.farmRoutes()
	}
	s.document = sync.OnceValues(s.writeDocument)
	s.handler = s.logRequest(s.cors().Handler(http.HandlerFunc(s.serve)))
	return nil
}

// cors lets pages of the allowed origins read responses. The library treats an empty list as all origins.
func (s *Server) cors() *cors.Cors {
	origins := s.o.Origins
	if len(origins) == 0 {
		origins = []string{"http://localhost"} // never an empty list
	}
	return cors.New(cors.Options{AllowedOrigins: origins, AllowedMethods: []string{http.MethodGet, http.MethodPost,
		http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "X-API-Key", "X-Lease", hostHeader, "Idempotency-Key",
			"Last-Event-ID", "X-Request-Id", "X-Project"},
		ExposedHeaders: []string{"Retry-After", "RateLimit", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
			"RateLimit-Policy", "X-Request-Id", "Location"},
		MaxAge: 600})
}

// fileCodes are the other success statuses of files: a range, or not modified.
func fileCodes() []int { return []int{http.StatusPartialContent, http.StatusNotModified} }

// deviceCodes are the error statuses of a device.
func deviceCodes() []int {
	return []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadGateway,
		http.StatusGatewayTimeout}
}
