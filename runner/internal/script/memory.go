package script

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
)

// allowance is the memory that one script may use.
//
// Go does not count memory by goroutine, and in one process several tests may run, each with screenshots of many
// megabytes. The growth of the whole heap is therefore only the reason to look closer: the profile of allocations says
// how much of the memory in use was allocated below a certain function. Each script runs below a function of its own,
// of which there are a few; see slots.
type allowance struct {
	limit uint64
	slot  int
	next  uint64 // the size of the heap at which the profile is looked at
}

// slots are the functions below which scripts run: each has a name of its own in the profile. More scripts at once wait
// for one another.
var slots = [...]func(func()){slot0, slot1, slot2, slot3, slot4, slot5, slot6, slot7}

//go:noinline
func slot0(do func()) { do(); done(0) }

//go:noinline
func slot1(do func()) { do(); done(1) }

//go:noinline
func slot2(do func()) { do(); done(2) }

//go:noinline
func slot3(do func()) { do(); done(3) }

//go:noinline
func slot4(do func()) { do(); done(4) }

//go:noinline
func slot5(do func()) { do(); done(5) }

//go:noinline
func slot6(do func()) { do(); done(6) }

//go:noinline
func slot7(do func()) { do(); done(7) }

// done keeps the calls before it from becoming jumps, which no stack would show.
//
//go:noinline
func done(int) {}

// free are the slots that no script has.
var free = func() chan int {
	all := make(chan int, len(slots))
	for i := range slots {
		all <- i
	}
	return all
}()

// allow waits for a slot, and sets its limit in bytes.
func allow(limit uint64) *allowance {
	a := &allowance{limit: limit, slot: <-free}
	a.next = heap() + limit
	return a
}

// end releases the slot.
func (a *allowance) end() { free <- a.slot }

// most is the growth of the whole heap that ends a script at once.
func (a *allowance) most() uint64 {
	if a == nil {
		return maxHeap
	}
	return max(maxHeap, 4*a.limit)
}

// refusal says that a script has used too much memory.
func (a *allowance) refusal() error {
	if a == nil {
		return errMemory
	}
	return fmt.Errorf("%w: more than %d MiB", errMemory, a.limit>>20)
}

// run calls a function in the slot; without an allowance it just calls it.
func (a *allowance) run(do func()) {
	if a == nil {
		do()
		return
	}
	slots[a.slot](do)
}

// profiling lets one script at a time look at the profile, which stops the program for a moment.
var profiling sync.Mutex

// exceeded reports whether the script has more memory in use than it may.
func (a *allowance) exceeded() bool {
	if a == nil || heap() < a.next {
		return false
	}
	profiling.Lock()
	defer profiling.Unlock()
	runtime.GC() // the profile is that of the last collection
	if a.inUse() > a.limit {
		return true
	}
	a.next = heap() + a.limit/2
	return false
}

// inUse returns the bytes in use that were allocated in the slot.
func (a *allowance) inUse() (bytes uint64) {
	records := make([]runtime.MemProfileRecord, 1000)
	for {
		n, ok := runtime.MemProfile(records, false)
		if ok {
			records = records[:n]
			break
		}
		records = make([]runtime.MemProfileRecord, n+n/4+50)
	}
	name := ".slot" + string(rune('0'+a.slot))
	for _, r := range records {
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.HasSuffix(f.Function, name) && strings.Contains(f.Function, "internal/script") {
				bytes += scaled(r)
				break
			}
		}
	}
	return bytes
}

// scaled estimates the bytes that a record of the profile represents: of small objects only some are recorded.
func scaled(r runtime.MemProfileRecord) uint64 {
	n, size, rate := float64(r.InUseObjects()), float64(r.InUseBytes()), float64(runtime.MemProfileRate)
	if n <= 0 || size <= 0 {
		return 0
	}
	if rate > 1 {
		size /= 1 - math.Exp(-size/n/rate)
	}
	return uint64(size)
}
