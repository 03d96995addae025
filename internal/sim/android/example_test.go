package androidsim_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/sim/android"
)

func Example() {
	phone := androidsim.NewPhone(androidsim.Options{Serial: "PHONE1", API: 34})
	defer phone.Close()
	server, err := androidsim.NewServer(phone) // dial server.Addr() as if it were adb's server
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	phone.Fail(androidsim.Fault{Match: "screencap", Nth: 3, Kind: androidsim.Drop})
	fmt.Println(phone.Serial(), phone.Model(), phone.State(), phone.Foreground())
	// Output: PHONE1 Pixel 7 device com.google.android.apps.nexuslauncher/.uioverrides.QuickstepLauncher
}
