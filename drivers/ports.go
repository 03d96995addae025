package drivers

import (
	"math/rand/v2"
	"net"
	"strconv"
)

// FreePorts gives n different ports of 127.0.0.1 that nobody uses, for programs that are about to be started. They lie
// below those that systems give to whoever asks for any: one of those may be somebody else's before the program has it.
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
