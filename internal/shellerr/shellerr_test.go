package shellerr

import (
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	t.Parallel()
	const denied = "java.lang.SecurityException: PID 12096 does not have permission " +
		"android.permission.CLEAR_APP_USER_DATA " +
		"to clear data of package com.x"
	for name, c := range map[string]struct{ said, want string }{
		"nothing": {"\n \n", ""},
		"ColorOS clear": {"\nException occurred while executing 'clear':\n" + denied + "\n\tat com.android.server.am." +
			"ActivityManagerService.clearApplicationUserData(ActivityManagerService.java:4205)\n\tat android.os.Binder" +
			".execTransact(Binder.java:1299)\n", denied},
		"behind process ids": {"2031 2040\nException occurred while executing 'clear':\n" + denied, denied},
		"older Android": {
			"Security exception: Permission Denial: writing to settings requires:android.permission.WRITE_SECURE_SETTINGS\n\n" +
				"java.lang.SecurityException: Permission Denial: writing to settings\n\tat a.b(C.java:1)\n",
			"Security exception: Permission Denial: writing to settings requires:android.permission.WRITE_SECURE_SETTINGS"},
		"the cause": {"java.lang.RuntimeException: java.lang.reflect.InvocationTargetException\n\tat a.B.c(D.java:1)\n" +
			"Caused by: java.lang.reflect.InvocationTargetException\n\t... 3 more\n" +
			"Caused by: java.io.IOException: No space left on device\n\t... 4 more\n",
			"java.io.IOException: No space left on device"},
		"a cause without words": {"java.lang.IllegalStateException: user 0 is locked\n\tat a.B.c(D.java:1)\n" +
			"Caused by: java.lang.NullPointerException\n\t... 3 more\n", "java.lang.IllegalStateException: user 0 is locked"},
		"a remote trace": {"android.os.ServiceSpecificException: not allowed (code 3)\n\tat android.os.Parcel.readException" +
			"(Parcel.java:2)\nCaused by: android.os.RemoteException: Remote stack trace:\n\tat com.a.B.c(B.java:1)\n",
			"android.os.ServiceSpecificException: not allowed (code 3)"},
		"the second exception": {"java.lang.IllegalArgumentException: Unknown package: a.b\n\tat a.B.c(D.java:1)\n" +
			"java.lang.IllegalStateException: later\n", "java.lang.IllegalArgumentException: Unknown package: a.b"},
		"of a thread": {"Exception in thread \"main\" java.lang.IllegalStateException: no service\n\tat a.b(C.java)",
			"Exception in thread \"main\" java.lang.IllegalStateException: no service"},
		"am start": {"Starting: Intent { act=android.intent.action.MAIN cmp=a.b/.C }\nError type 3\n" +
			"Error: Activity class {a.b/a.b.C} does not exist.\n", "Error: Activity class {a.b/a.b.C} does not exist."},
		"monkey": {"  bash arg: -p\n  bash arg: a.b\n** No activities found to run, monkey aborted.\n",
			"** No activities found to run, monkey aborted."},
		"install": {"\tpkg: /data/local/tmp/a.apk\nFailure [INSTALL_FAILED_OLDER_SDK]\n",
			"Failure [INSTALL_FAILED_OLDER_SDK]"},
		"a linker": {"WARNING: linker: libx.so: unused DT entry\n/system/bin/sh: foo: inaccessible or not found\n",
			"/system/bin/sh: foo: inaccessible or not found"},
		"usage":     {"Error: Unknown option: --x\nusage: pm [subcommand]\n", "Error: Unknown option: --x"},
		"one word":  {"Failed\n", "Failed"},
		"any words": {"it is Tuesday\nand late\n", "it is Tuesday"},
		"a header":  {"Exception occurred while executing 'clear':\n", "Exception occurred while executing 'clear':"},
		"appops": {
			"Operation not allowed: java.lang.SecurityException: grantRuntimePermission: Neither user 2000 nor current " +
				"process has android.permission.GRANT_RUNTIME_PERMISSIONS.",
			"Operation not allowed: java.lang.SecurityException: grantRuntimePermission: Neither user 2000 nor current " +
				"process has android.permission.GRANT_RUNTIME_PERMISSIONS."},
		"CRLF": {"\r\nException occurred while executing 'put':\r\n" + denied + "\r\n", denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Line(c.said); got != c.want {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestLineOfAnyTrace checks that a refusal is quoted, whatever the output around it.
func TestLineOfAnyTrace(t *testing.T) {
	t.Parallel()
	const why = "java.lang.SecurityException: uid 2000 does not have android.permission.X"
	around := []string{"Exception occurred while executing 'put':", "\tat a.B.c(D.java:1)", "Error: something", "4711",
		"java.lang.RuntimeException: it failed", "Caused by: java.io.IOException: no", "WARNING: linker: x",
		"plain words", ""}
	for i, before := range around {
		for _, after := range around {
			output := strings.Join([]string{before, around[(i+3)%len(around)], why, after}, "\n")
			if got := Line(output); got != why {
				t.Errorf("the line of %q is %q", output, got)
			}
		}
	}
}
