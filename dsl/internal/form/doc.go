// Package form checks single texts, such as URLs, keys, page selectors and points, against the format of their field.
package form
