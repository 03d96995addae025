// Package junit turns a run into junit.xml, which validates against the schemas of Jenkins and of Maven Surefire.
package junit
