// Package pack keeps the report pack of one case: events and pictures go in as they happen, a folder comes out that
// survives a kill at any moment and can be verified, archived and uploaded.
package pack
