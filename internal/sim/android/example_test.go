package androidtest_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/sim/android"
)

func Example() {
	phone := androidtest.NewPhone(androidtest.Options{Serial: "PHONE1", API: 34})
	defer phone.Close()
	server, err := androidtest.NewServer(phone) // dial server.Addr() as if it were adb's server
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	phone.Fail(androidtest.Fault{Match: "screencap", Nth: 3, Kind: androidtest.Drop})
	fmt.Println(phone.Serial(), phone.Model(), phone.State(), phone.Foreground())
	// Output: PHONE1 Pixel 7 device com.google.android.apps.nexuslauncher/.uioverrides.QuickstepLauncher
}
