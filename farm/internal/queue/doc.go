// Package queue stores in SQL which cases wait for devices of a farm, and which host runs which attempt of which case.
// Its input is cases and free devices, its output assignments; of each case it accepts one result. Any number of hubs
// can work on one database.
//
// # Claiming cases
//
// Most job queues in SQL let each worker claim the next row (SELECT … FOR UPDATE SKIP LOCKED). That does not work here:
// which case comes next depends on all waiting cases and all free devices at once. A rare device must go to a case that
// needs it, projects have weights and limits, and a case may be barred from a device that failed it. So claiming is one
// transaction, Pick, which plans in memory:
//
//  1. It locks the only row of farm_pick (turn). Everything that changes what waits takes this lock first: Add,
//     Withdraw, Pick and the return of lost cases. So hubs plan one after the other, and none plans with stale data.
//     With SQLite the transaction itself is exclusive.
//  2. It reads little: the projects, one row for each line (farm_lines counts the waiting cases of a project with the
//     same needs), the running cases, and of each line only as many cases as there are free devices for it. The cost
//     depends on the number of devices and of different needs, not on the number of waiting cases.
//  3. A device counts as free only if the caller says so and no case runs on it in the database. The hub may know less
//     than another one, so its word alone could assign a device twice.
//  4. board.match pairs cases and devices, see there.
//  5. One UPDATE marks up to a hundred cases as running, increases their attempt and sets host and device. Its WHERE
//     clause requires the state "waiting". If fewer rows change than were planned, the transaction fails as a whole.
//
// The hub sends the assignments to the hosts only after the commit. If it dies in between, any hub notices that the
// beats of the host do not list the attempt (package dispatch), and sends it again with the same message id, so that
// NATS drops it if the host has it already.
//
// The attempt number is a fencing token. A case of a dead host gets a higher attempt when it starts again. Accept
// takes a result only if run, case, attempt and host all match a running row. So a host that was wrongly taken for
// dead, or a message that arrives hours late, cannot overwrite the result of a later attempt.
package queue
