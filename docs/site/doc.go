// Command site writes the documentation as a static site: a folder of HTML with an offline search that needs no server.
// The program does not contain it, because its Markdown library would be a seventh of the time of each start.
package main
