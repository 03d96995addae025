// Package project has the commands that write and check a project's files, and print their documentation: init, import,
// record, fmt, validate, schema, docs, guide.
package project
