// Package pack writes the report pack of one case. Events and screenshots go in as they happen; the folder that comes
// out survives a kill at any moment and can be verified, archived and uploaded.
package pack
