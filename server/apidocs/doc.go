// Package apidocs makes the page that explains the REST API to people: an OpenAPI document goes in, HTML that needs no
// scripts and loads nothing comes out, with a command for each request.
package apidocs
