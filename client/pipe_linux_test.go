package client

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A read that expects something waits for it on its own thread, whatever the
// reads before it have found.
func TestExpectedReadsStayOutOfThePoller(t *testing.T) {
	var out [2]int
	if err := unix.Pipe2(out[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(out[1])
	r, err := newPipeReader(out[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put := func() { unix.Write(out[1], []byte("x\n")) }
	read := func() {
		t.Helper()
		if n, err := r.Read(make([]byte, 100)); n == 0 || err != nil {
			t.Fatal(n, err)
		}
	}
	for tries := 0; !r.quick; tries++ {
		if tries == 10_000 {
			t.Skip("no wait on this machine is quick")
		}
		put()
		r.Expect(time.Second)
		read()
	}
	polled := 0
	try := r.try
	r.try = func(fd uintptr) bool { polled++; return try(fd) }

	// Nothing is expected, and nothing is there: the poller waits.
	timer := time.AfterFunc(10*time.Millisecond, put)
	defer timer.Stop()
	read()
	if polled == 0 || !r.on {
		t.Fatalf("the read was tried %d times in the poller, which reports: %v", polled, r.on)
	}
	polled = 0
	for range 100 {
		go put()
		r.Expect(time.Second)
		read()
	}
	if polled != 0 {
		t.Errorf("100 expected reads were tried %d times in the poller", polled)
	}
}
