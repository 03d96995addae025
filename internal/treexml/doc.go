// Package treexml reads the XML of phones' element trees, even when it is broken, with limits on depth and size.
package treexml
