package drivers

import (
	"math/rand/v2"
	"net"
	"strconv"
)

// FreePorts returns n different unused ports of 127.0.0.1, for programs that are about to be started. They are
// below those that systems assign on request for any port: one of those may be taken before the program has it.
func FreePorts(n int) (ports []string, err error) {
	for tries := 0; len(ports) < n; tries++ {
		if tries == 100 {
			return nil, err
		}
		port := strconv.Itoa(15000 + rand.IntN(15000))
		l, listenErr := net.Listen("tcp", "127.0.0.1:"+port)
		if listenErr != nil {
			err = listenErr
			continue
		}
		defer l.Close() // not before all are known
		ports = append(ports, port)
	}
	return ports, nil
}
