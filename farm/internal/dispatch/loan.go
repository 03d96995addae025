package dispatch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/farm/internal/wire"
)

const (
	// loanBeat makes both hosts notice within three seconds that the other one is gone.
	loanBeat = time.Second
	// loanLimit is how long a host may take to lease a device that it is to lend.
	loanLimit = 20 * time.Second
	// maxLoanReply limits a LoanReply, in bytes.
	maxLoanReply = 4 << 10
)

// loan connects a host that runs a case with the host of another device of that case.
func (d *Dispatcher) loan(ctx context.Context, host string, body []byte) (any, error) {
	var l wire.Loan
	if err := json.Unmarshal(body, &l); err != nil {
		return nil, err
	}
	l.From = host
	lends, err := d.o.Queue.Lends(ctx, l.Run, l.N, l.Attempt, host, queue.Device{Host: l.Host, ID: l.Device})
	if err != nil {
		return nil, err
	}
	if !lends {
		d.o.Refused("host "+host, "farm.loan", fmt.Sprintf("%.100s of %.64s, for attempt %d of case %d of %.64s", l.Device,
			l.Host, l.Attempt, l.N, l.Run))
		return nil, errors.New("the host has no case with this device")
	}
	far, err := d.dialLoan(ctx, l.Host, l)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", l.Host, err)
	}
	reply := bufio.NewReaderSize(far, maxLoanReply)
	if err := readLoanReply(far, reply); err != nil {
		return nil, fmt.Errorf("host %s: %w", l.Host, errors.Join(err, far.Close()))
	}
	near, err := d.dialLoan(ctx, host, l)
	if err != nil {
		return nil, errors.Join(err, far.Close())
	}
	d.loans.Go(func() {
		defer context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })()
		couple(near, near, far, reply)
	})
	return nil, nil
}

// dialLoan connects to a host, and sends it the loan.
func (d *Dispatcher) dialLoan(ctx context.Context, host string, l wire.Loan) (*wire.Conn, error) {
	conn, err := wire.Config{To: wire.Loans, Beat: loanBeat, Wait: dialWait}.Dial(ctx, d.o.Conn, host)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(l)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// dialWait is how long a host may take to accept a connection.
const dialWait = wire.HostGone

// readLoanReply waits for the host's response to a loan.
func readLoanReply(conn net.Conn, r *bufio.Reader) error {
	if err := conn.SetReadDeadline(time.Now().Add(loanLimit)); err != nil {
		return err
	}
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	var reply wire.LoanReply
	if err := json.Unmarshal(line, &reply); err != nil {
		return err
	}
	if reply.Error != "" {
		return errors.New(reply.Error)
	}
	return conn.SetReadDeadline(time.Time{})
}

// couple copies both ways until one end is closed, and closes the other one.
func couple(near io.ReadWriteCloser, fromNear io.Reader, far io.ReadWriteCloser, fromFar io.Reader) {
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, fromNear); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(near, fromFar); _ = near.Close() })
	both.Wait()
}
