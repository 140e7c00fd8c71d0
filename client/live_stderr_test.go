package client

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"
)

func init() {
	for name, text := range map[string][]byte{"stderr": flood(), "stderr lines": lines()} {
		roles[name] = func() {
			for m := range received() {
				os.Stderr.Write(text)
				m.answer(m.Params)
			}
		}
	}
}

// lines is 1 MiB in lines of 64 bytes.
func lines() []byte {
	return bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog, again and again ..\n"), 1<<14)
}

// TestLiveStderr: a child that writes 1 MiB to its standard error before each
// reply is not held up, whether anybody wants that or not.
func TestLiveStderr(t *testing.T) {
	for role, text := range map[string][]byte{"stderr": flood(), "stderr lines": lines()} {
		for _, wanted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, wanted: %v", role, wanted), func(t *testing.T) {
				var sink bytes.Buffer
				o := &Options{}
				if wanted {
					o.Stderr = &sink
				}
				c := live(t, role, o)
				const alone, together = 5, 5
				for range alone {
					ping(t, c, "alone")
				}
				var all sync.WaitGroup
				for i := range together {
					all.Go(func() { ping(t, c, fmt.Sprint(i)) })
				}
				all.Wait()
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				e := c.Err().(*ClosedError)
				if n := len(e.Stderr); n > DefaultStderrTail || n < DefaultStderrTail/2 || !bytes.HasSuffix(text, e.Stderr) {
					t.Errorf("the tail has %d bytes, or wrong ones", n)
				}
				if want := bytes.Repeat(text, alone+together); wanted && !bytes.Equal(sink.Bytes(), want) {
					t.Errorf("the sink has %d bytes, want %d", sink.Len(), len(want))
				}
			})
		}
	}
}
