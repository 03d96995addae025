// Package console is the pages by which people use the service in a browser: a request goes in, a page that was made on
// the server comes out.
//
// It knows accounts, projects and keys by server/service. Devices, runs and reports are the API's: Options.API answers
// requests that a page makes in the name of who has logged in, so that a page can do no more than the API allows. Pages
// work without scripts; with them, runs are followed as they go and texts are copied by a button.
package console
