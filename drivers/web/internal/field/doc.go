// Package field types into the field that has the focus, key by key as a person does.
package field
