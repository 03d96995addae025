// Package apidocs renders the documentation of the REST API. It takes an OpenAPI document and writes HTML without
// scripts and external files, with a curl command for each request.
package apidocs
