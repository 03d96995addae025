// Package queue keeps in SQL which cases wait for devices of a farm, and which host runs which attempt of which case:
// cases and free devices go in, assignments come out, and of each case one result is accepted. Any number of hubs work
// on one database.
package queue
