package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func init() {
	// Answers in any order, and puts notifications and requests of its own in
	// between. What it was asked and answered is the result of "count".
	roles["stress"] = func() {
		var answered, asked, heard int
		var held []message
		out := bufio.NewWriter(os.Stdout)
		random := rand.New(rand.NewPCG(1, 2))
		lines := bufio.NewReader(os.Stdin)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var m message
			if json.Unmarshal(line, &m) != nil {
				fmt.Fprintf(os.Stderr, "torn: %.100q\n", line)
				os.Exit(98)
			}
			switch {
			case m.Method == "count":
				m.Params = fmt.Appendf(nil, "[%d,%d,%d]", answered, asked, heard)
				fallthrough
			case m.Method != "" && m.ID != nil:
				held = append(held, m)
			case m.Result != nil && string(m.Result) == "["+string(m.ID)+"]":
				heard++
			}
			if random.IntN(20) == 0 {
				fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"note","params":[%d]}`+"\n", asked)
			}
			if random.IntN(20) == 0 {
				asked++
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"ask","params":[%d]}`+"\n", asked, asked)
			}
			if lines.Buffered() > 0 && len(held) < 5 {
				continue
			}
			random.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
			for _, m := range held {
				answered++
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, m.Params)
			}
			held = held[:0]
			out.Flush()
		}
	}
}

// askedStress answers what the role stress asks, with the id; it takes a lock
// that callers hold while they call.
type askedStress struct {
	mu    sync.Mutex
	notes atomic.Int64
}

func (a *askedStress) ServeRPC(_ context.Context, w Reply, r Request) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.IsNotification() {
		a.notes.Add(1)
		return nil
	}
	return w.Raw(append([]byte(nil), r.Params()...))
}

// TestLiveStress: 20 callers, a third of whose calls have deadlines of 0-200 µs,
// with lines of up to 38 KB, while the other side notifies and asks: no wrong
// answer, no hang, and every late answer is counted.
func TestLiveStress(t *testing.T) {
	stress(t, 20, 700)
}

// TestLiveStressFew: the same for few callers, who are alone at times and read
// for themselves, with pauses in between.
func TestLiveStressFew(t *testing.T) {
	for _, callers := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(callers), func(t *testing.T) { stress(t, callers, 1500) })
	}
}

func stress(t *testing.T, callers, each int) {
	if checked {
		each /= 3
	}
	a := &askedStress{}
	c := live(t, "stress", &Options{Handler: a})
	text := strings.Repeat("0123456789", 3_800)
	var answers, givenUp atomic.Uint64
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), uint64(callers)))
			var dst []byte
			for i := range each {
				size := random.IntN(100)
				if random.IntN(10) == 0 {
					size = random.IntN(len(text))
				}
				want := fmt.Sprintf(`{"caller":%d,"call":%d,"text":%q}`, caller, i, text[:size])
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if random.IntN(3) == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(200))*time.Microsecond)
				}
				locks := random.IntN(50) == 0
				if locks {
					a.mu.Lock()
				}
				got, err := c.CallRaw(ctx, dst[:0], "echo", []byte(want))
				if locks {
					a.mu.Unlock()
				}
				cancel()
				switch {
				case err == nil && string(got) == want:
					answers.Add(1)
					dst = got
				case errors.Is(err, context.DeadlineExceeded) && len(got) == 0:
					givenUp.Add(1)
				default:
					t.Errorf("caller %d: %.100q, %v; want %.100q", caller, got, err, want)
					return
				}
				if random.IntN(200) == 0 {
					time.Sleep(2500 * time.Microsecond) // the role is vacant until then
				}
			}
		})
	}
	all.Wait()
	// All lines that were sent before have been answered before this, but
	// perhaps for those that were held together with it.
	var counts [3]uint64 // answered, asked, heard
	for range 3 {
		got, err := Call[[3]uint64](t.Context(), c, "count", nil)
		if err != nil {
			t.Fatal(err)
		}
		counts = got
	}
	s := c.Stats()
	if s.Noise != 0 || s.Stray+answers.Load()+2 != counts[0] || s.Stray > givenUp.Load() {
		t.Errorf("%d answers were sent; %d were right, %d were late of %d calls that were given up, %d lines were noise",
			counts[0], answers.Load(), s.Stray, givenUp.Load(), s.Noise)
	}
	if givenUp.Load() == 0 {
		t.Error("no call was given up")
	}
	// Every question is answered in the end. The child may ask more meanwhile.
	for counts[2]+5 < counts[1] {
		got, err := Call[[3]uint64](t.Context(), c, "count", nil)
		if err != nil {
			t.Fatalf("%d questions were answered of %d: %v", counts[2], counts[1], err)
		}
		counts = got
	}
}
