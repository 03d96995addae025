package shell

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

func cmdDumpsys(c *call) int {
	args := c.args[1:]
	for len(args) > 1 && (args[0] == "-t" || args[0] == "-T") {
		args = args[2:]
	}
	if len(args) == 0 {
		c.printf("Currently running services:\n  SurfaceFlinger\n  activity\n  battery\n  display\n  input_method\n  " +
			"meminfo\n" +
			" " +
			" " +
			"package\n  power\n  window\n")
		return 0
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	known := map[string]func(*call, []string){
		"window": dumpWindow, "activity": dumpActivity, "input_method": dumpInputMethod, "battery": dumpBattery,
		"meminfo": dumpMeminfo, "display": dumpDisplay, "power": dumpPower, "input": dumpInput, "package": dumpPackage,
		"gfxinfo": dumpGfx, "trust": dumpTrust, "cpuinfo": dumpCPU,
	}
	run, ok := known[args[0]]
	if !ok {
		return c.fail(0, "Can't find service: %s", args[0])
	}
	run(c, args[1:])
	return 0
}

func dumpActivity(c *call, args []string) {
	s := c.sys.UI
	if len(args) == 0 || args[0] != "activities" && args[0] != "a" {
		if len(args) > 0 && args[0] == "top" {
			c.printf("TASK %s id=%d userId=0\n  ACTIVITY %s %x pid=%d\n", s.Top().Pkg, s.Top().Task, s.Top().Component(),
				s.Top().Token, s.Apps[s.Top().Pkg].PID)
			return
		}
		if len(args) > 0 && args[0] != "processes" {
			c.printf("Bad activity command, or no activities match: %s\nUse -h for help.\n", args[0])
			return
		}
	}
	if len(args) > 0 && args[0] == "processes" {
		c.printf("ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n  All known processes:\n")
		for _, pkg := range slices.Sorted(maps.Keys(s.Apps)) {
			if pid := s.Apps[pkg].PID; pid != 0 {
				uid := c.sys.Packages[pkg].UID
				c.printf("  *APP* UID %d ProcessRecord{%x %d:%s/u0a%d}\n", uid, pid*7919, pid, pkg, uid-10000)
			}
		}
		return
	}
	c.printf("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 (activities from top to bottom):\n")
	for i := len(s.Stack) - 1; i >= 0; i-- {
		a := s.Stack[i]
		c.printf("  * Task{%x #%d type=standard A=%d:%s U=0 visible=%t}\n    * Hist  #0: %s\n      packageName=%s "+
			"processName=%s\n",
			a.Token+3, a.Task, c.sys.Packages[a.Pkg].UID, a.Pkg, i == len(s.Stack)-1, a.Record(), a.Pkg, a.Pkg)
	}
	top := s.Top().Record()
	switch api := c.sys.Prof.API; {
	case api >= 30:
		c.printf("  topResumedActivity=%s\n  ResumedActivity: %s\n", top, top)
	case api >= 28:
		c.printf("    mResumedActivity: %s\n  ResumedActivity: %s\n", top, top)
	default:
		c.printf("    mResumedActivity: %s\n  mFocusedActivity: %s\n", top, top)
	}
}

func dumpInputMethod(c *call, _ []string) {
	s := c.sys.UI
	s.Frame(time.Now()) // drops the focus of a field that has gone
	c.printf("Current Input Method Manager state:\n  Input Methods: mMethodMapUpdateCount=2\n  mCurMethodId=%s\n",
		c.sys.Settings["secure"]["default_input_method"])
	c.printf("  mShowRequested=%t mShowExplicitlyRequested=%t mShowForced=false mInputShown=%t\n", s.Keyboard, s.Keyboard,
		s.Keyboard)
	c.printf("  mServedView=%t mIsInputViewShown=%t\n", s.Focus != nil || s.Web != nil, s.Keyboard)
	if f := s.Focus; f != nil {
		before, after := f.Split()
		start, end := len(before), len(before)
		if f.Selected {
			start, end = 0, len(before)+len(after)
		}
		c.printf("Input method client state for InputMethodManager@4d1b8e6:\n  mServedView=android.widget.EditText{8a1c0f2 "+
			"VFED..CL. .F...... 63,236-1017,383}\n"+
			"  mCursorSelStart=%d mCursorSelEnd=%d mCursorCandStart=-1 mCursorCandEnd=-1\n", start, end)
	}
}

func dumpBattery(c *call, _ []string) {
	c.printf("Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  Wireless powered: false\n" +
		"  Max charging current: 500000\n  status: 2\n  health: 2\n  present: true\n  level: 87\n  scale: 100\n" +
		"  voltage: 4231\n  temperature: 291\n  technology: Li-ion\n")
}

func dumpMeminfo(c *call, args []string) {
	if len(args) == 0 {
		c.printf("Applications Memory Usage (in Kilobytes):\nUptime: %d Realtime: %d\n", c.sys.Uptime(), c.sys.Uptime())
		return
	}
	r := c.sys.UI.Apps[args[0]]
	if r == nil {
		c.printf("No process found for: %s\n", args[0])
		return
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(args[0]))
	total := 60000 + h.Sum32()%20000
	c.printf("Applications Memory Usage (in Kilobytes):\nUptime: %d Realtime: %d\n\n** MEMINFO in pid %d [%s] **\n",
		c.sys.Uptime(), c.sys.Uptime(), r.PID, args[0])
	c.printf("                   Pss  Private  Private  SwapPss      Rss     Heap     Heap     Heap\n" +
		"                 Total    Dirty    Clean    Dirty    Total     Size    Alloc     Free\n" +
		"                ------   ------   ------   ------   ------   ------   ------   ------\n")
	c.printf("  Native Heap %8d %8d        0        0 %8d    28672    21034     3124\n", total/3, total/3-400, total/3+900)
	c.printf("        TOTAL %8d %8d     4120       64 %8d    36864    25811     6921\n", total, total-9000, total+52000)
	c.printf(" \n App Summary\n                       Pss(KB)                        Rss(KB)\n           TOTAL PSS: %8d  "+
		" "+
		" "+
		"        TOTAL RSS: %8d       TOTAL SWAP PSS:       64\n", total, total+52000)
}

func dumpDisplay(c *call, _ []string) {
	size := c.sys.UI.Size()
	c.printf("DISPLAY MANAGER (dumpsys display)\n  mViewports=[DisplayViewport{type=INTERNAL, valid=true, displayId=0, "+
		"uniqueId='local:%s', orientation=%d, logicalFrame=Rect(0, 0 - %d, %d)}]\n\nLogical Displays: size=1\n"+
		"  Display 0:\n    mDisplayId=0\n    mBaseDisplayInfo=DisplayInfo{\"Built-in Screen\", displayId 0, real %d x %d, "+
		"uniqueId \"local:%s\"}\n",
		c.sys.MainDisplay(), c.sys.UI.Rotation(), size.X, size.Y, size.X, size.Y, c.sys.MainDisplay())
}

func dumpPower(c *call, _ []string) {
	c.printf("POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mWakefulness=%s\n  mStayOn=false\n",
		c.sys.UI.Guard.Wakefulness())
}

func dumpInput(c *call, _ []string) {
	c.printf("INPUT MANAGER (dumpsys input)\n\n  SurfaceOrientation: %d\n", c.sys.UI.Rotation())
}

func dumpPackage(c *call, args []string) {
	if len(args) == 0 {
		c.printf("Packages:\n")
		return
	}
	p := c.sys.Packages[args[0]]
	if p == nil {
		c.printf("Unable to find package: %s\n", args[0])
		return
	}
	if p.Launch != "" {
		c.printf("Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n")
		for i, class := range append([]string{p.Launch}, p.Launchers...) {
			c.printf("        %x %s filter %x\n          Action: \"android.intent.action.MAIN\"\n          "+
				"Category: \"android.intent.category.LAUNCHER\"\n", 0x3f2a1b8+i, system.Shorten(p.Name, class), 0x8d5c2f1+i)
		}
		c.printf("\n")
	}
	c.printf("Packages:\n  Package [%s] (%x):\n    userId=%d\n    versionCode=%d minSdk=24 targetSdk=34\n    "+
		"versionName=%s\n    requested permissions:\n      android.permission.INTERNET\n", p.Name, p.UID*31, p.UID, p.Code,
		p.Version)
	for _, perm := range p.Declared {
		c.printf("      %s\n", perm)
	}
	c.printf("    install permissions:\n      android.permission.INTERNET: granted=true\n    User 0: ceDataInode=1311 " +
		"installed=true hidden=false\n    runtime permissions:\n")
	for _, perm := range p.Declared {
		c.printf("      %s: granted=%t, flags=[ USER_SET]\n", perm, p.Granted[perm])
	}
}

func dumpGfx(c *call, args []string) {
	if len(args) == 0 || c.sys.UI.Apps[args[0]] == nil {
		c.printf("No process found for: %s\n", strings.Join(args, " "))
		return
	}
	c.printf("Applications Graphics Acceleration Info:\nUptime: %d Realtime: %d\n\n** Graphics info for pid %d [%s] **\n"+
		"\n"+
		"Total frames rendered: 120\nJanky frames: 3 (2.50%%)\n50th percentile: 6ms\n90th percentile: 10ms\n95th "+
		"percentile: "+
		"14ms\n99th percentile: 28ms\n",
		c.sys.Uptime(), c.sys.Uptime(), c.sys.UI.Apps[args[0]].PID, args[0])
}

func dumpCPU(c *call, _ []string) {
	c.printf("Load: 1.2 / 1.1 / 0.9\nCPU usage from 60000ms to 0ms ago:\n  4.1%% 1033/system_server: 2.6%% user + 1.5%% " +
		"kernel\n4.8%% TOTAL: 2.9%% user + 1.7%% kernel\n")
}
