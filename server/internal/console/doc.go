// Package console serves the pages by which people use the service in a browser. The pages are rendered on the server.
// Accounts, projects and keys come from server/service. Devices, runs and reports come from the API: Options.API
// handles requests that a page makes in the name of the logged-in person, so that a page can do no more than the API
// allows. Pages work without scripts; with scripts, runs are updated live and buttons copy texts.
package console
