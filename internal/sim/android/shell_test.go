package androidsim

import (
	"bytes"
	"encoding/binary"
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestShell(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	for name, c := range map[string]struct {
		script, out, err string
		code             int
	}{
		"words":  {`echo a  'b  c' "d  e" f\ g`, "a b  c d  e f g\n", "", 0},
		"and or": {`true && echo yes || echo no; false && echo yes || echo no`, "yes\nno\n", "", 0},
		"pipe":   {`echo one; printf 'a\nb\n' | grep b`, "one\nb\n", "", 0},
		"redirect": {`echo x > /data/local/tmp/f && cat /data/local/tmp/f; rm -f /data/local/tmp/f`, "x\n",
			"", 0},
		"null":             {`echo x >/dev/null; echo y 2>&1`, "y\n", "", 0},
		"stderr to out":    {`nosuch 2>&1; echo $?`, "/system/bin/sh: nosuch: inaccessible or not found\n127\n", "", 0},
		"unknown command":  {`foo`, "", "/system/bin/sh: foo: inaccessible or not found\n", 127},
		"unknown path":     {`/no/such`, "", "/system/bin/sh: /no/such: inaccessible or not found\n", 127},
		"no bash builtins": {`shopt -s extglob`, "", "/system/bin/sh: shopt: inaccessible or not found\n", 127},
		"exit":             {`exit 42`, "", "", 42},
		"missing file":     {`cat /sdcard/none`, "", "cat: /sdcard/none: No such file or directory\n", 1},
		"rm without -f":    {`rm /sdcard/none`, "", "rm: /sdcard/none: No such file or directory\n", 1},
		"rm -f":            {`rm -f /sdcard/none`, "", "", 0},
		"test":             {`[ -d /sdcard ] && [ ! -f /sdcard/x ] && test 1 -lt 2 && echo ok`, "ok\n", "", 0},
		"quote in quote":   {`echo 'it'\''s'`, "it's\n", "", 0},
		"no closing quote": {`echo 'x`, "", "/system/bin/sh: no closing quote\n", 1},
		"unwritable directory": {`echo x > /system/x`, "", "/system/bin/sh: can't create /system/x: Read-only file system\n",
			1},
		"sh -c":        {`sh -c 'echo $1 $2' name a b`, "a b\n", "", 0},
		"substitution": {`x=$(getprop ro.build.version.sdk); echo "[$x]"`, "[34]\n", "", 0},
		"glob":         {`cd /data/local/tmp; echo a > g1; echo b > g2; cat g*; rm g*; ls`, "a\nb\n", "", 0},
		"echo expands": {`echo 'a\tb'`, "a\tb\n", "", 0},
		"no real file": {`cat /etc/passwd`, "", "cat: /etc/passwd: No such file or directory\n", 1},
		"cmd service":  {`cmd nosuch x`, "", "cmd: Can't find service: nosuch\n", 20},
	} {
		t.Run(name, func(t *testing.T) {
			if got := b.sh(c.script); got != (result{c.out, c.err, c.code}) {
				t.Errorf("%s\n got %+v\nwant %+v", c.script, got, result{c.out, c.err, c.code})
			}
		})
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	res := b.sh(`sleep 100 >/dev/null 2>&1 & echo $!; kill -0 $! && echo alive; kill -INT $!; echo $$`)
	if !regexp.MustCompile(`^\d+\nalive\n\d+\n$`).MatchString(res.out) {
		t.Fatalf("got %+v", res)
	}
	until(t, "sleep is gone", func() bool { return b.sh("pidof sleep").code == 1 })

	conn := b.open("shell,v2,raw:echo $$; exec sleep 100")
	defer conn.Close()
	until(t, "sleep runs", func() bool { return b.sh("pidof sleep").code == 0 })
	pid := strings.TrimSpace(b.sh("pidof sleep").out)
	if res := b.sh("ps -A -o PID,NAME"); !strings.Contains(res.out, pid+" sleep\n") {
		t.Errorf("ps: %q has no %s", res.out, pid)
	}
	if res := b.sh("kill -2 " + pid); res.code != 0 {
		t.Errorf("kill: %+v", res)
	}
	if res := readV2(conn); res.out != pid+"\n" || res.code != 130 {
		t.Errorf("after exec: %+v, want pid %s and 130", res, pid)
	}
	if res := b.sh("kill -9 1033"); res.code != 1 || !strings.Contains(res.err, "Operation not permitted") {
		t.Errorf("system process: %+v", res)
	}

	res = b.sh(`sleep 100 >/dev/null 2>&1 & echo $!`)
	job := strings.TrimSpace(res.out)
	until(t, "the job's program runs", func() bool { return b.sh("pidof sleep").code == 0 })
	if got := strings.TrimSpace(b.sh("pidof sleep").out); got != job || job == "" {
		t.Errorf("a background job did not outlive its shell: pidof says %q, want %q", got, job)
	}
	b.sh("kill " + job)
	until(t, "the job is gone", func() bool { return b.sh("pidof sleep").code == 1 })

	hung := b.open("exec:sleep 100")
	until(t, "sleep runs again", func() bool { return b.sh("pidof sleep").code == 0 })
	hung.Close()
	until(t, "the host hung up", func() bool { return b.sh("pidof sleep").code == 1 })
}

func TestOldPhonesAnswerInOldWords(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{API: 24})
	if got := b.sh("foo").err; got != "/system/bin/sh: foo: not found\n" {
		t.Errorf("unknown command: %q", got)
	}
	if got := b.sh("cmd input tap 1 1"); got.code != 20 || got.err != "cmd: Can't find service: input\n" {
		t.Errorf("cmd input: %+v", got)
	}
	if got := b.sh("screenrecord --time-limit 0 /sdcard/a.mp4"); got.code == 0 {
		t.Errorf("screenrecord without limit: %+v", got)
	}
}

func syncPacket(id, body string) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...)
}

func TestSync(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	data := strings.Repeat("x", 70000)
	var req bytes.Buffer
	req.Write(syncPacket("SEND", "/data/local/tmp/deep/er/f,33188"))
	req.Write(syncPacket("DATA", data[:65536]))
	req.Write(syncPacket("DATA", data[65536:]))
	req.Write(binary.LittleEndian.AppendUint32([]byte("DONE"), 1_600_000_000))
	req.Write(syncPacket("STAT", "/data/local/tmp/deep/er/f"))
	req.Write(syncPacket("STAT", "/none"))
	req.Write(syncPacket("LST2", "/none"))
	req.Write(syncPacket("STA2", "/sdcard"))
	req.Write(syncPacket("RECV", "/none"))
	req.Write(syncPacket("SEND", "/system/x,420"))
	req.Write(binary.LittleEndian.AppendUint32([]byte("DONE"), 0))
	req.Write(syncPacket("LIST", "/none/"))
	req.Write(syncPacket("QUIT", ""))
	conn := b.open("sync:")
	if _, err := conn.Write(req.Bytes()); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	want := []byte("OKAY\x00\x00\x00\x00STAT")
	want = le.AppendUint32(want, 0o100644)
	want = le.AppendUint32(want, 70000)
	want = le.AppendUint32(want, 1_600_000_000)
	want = append(want, "STAT\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00LST2\x02\x00\x00\x00"...)
	want = append(want, make([]byte, 64)...)
	if !bytes.HasPrefix(all, want) {
		t.Fatalf("got  %q\nwant %q", all[:min(len(all), len(want))], want)
	}
	rest := all[len(want):]
	if len(rest) < 72 || string(rest[:8]) != "STA2\x00\x00\x00\x00" {
		t.Fatalf("STA2: %q", rest)
	}
	tail := append(syncPacket("FAIL", "open failed: No such file or directory"),
		syncPacket("FAIL", "couldn't create file: Read-only file system")...)
	tail = append(tail, "DONE"+strings.Repeat("\x00", 16)...)
	if got := rest[72:]; !bytes.Equal(got, tail) {
		t.Errorf("got  %q\nwant %q", got, tail)
	}
	if stored, err := b.phone.ReadFile("/data/local/tmp/deep/er/f"); err != nil || string(stored) != data {
		t.Errorf("stored %d bytes: %v", len(stored), err)
	}
}
