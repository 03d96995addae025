// Package treexml reads the XML in which phones write their element trees, however broken it is, within bounds of depth
// and number.
package treexml
