// Package junit turns a run into junit.xml, which validates against the schemas of Jenkins and of Maven Surefire. The
// code is in reporters/internal/junit; this is what other folders need of it.
package junit
