package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// mixed is a handler of everything that can happen to a request.
func mixed(ctx context.Context, w Reply, r Request) error {
	var p struct {
		N   int    `json:"n"`
		US  int    `json:"us"`
		Pad string `json:"pad"`
	}
	if err := r.Decode(&p); err != nil {
		return err
	}
	before := string(r.Params())
	switch c := w.x.c; rand.IntN(3) {
	case 0:
		c.take(c.word.Load(), true) // in the middle of this handler
	case 1:
		go c.take(c.word.Load(), true) // at any moment of it, or when it has ended
	}
	switch r.Method() {
	case "sleep":
		time.Sleep(time.Duration(p.US) * time.Microsecond)
	case "compute":
		for end := time.Now().Add(time.Duration(p.US) * time.Microsecond); time.Now().Before(end); {
		}
	case "notify":
		for i := range 3 {
			if err := w.Notify("progress", map[string]int{"of": p.N, "step": i}); err != nil {
				return err
			}
			runtime.Gosched()
		}
	case "derive":
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	case "panic":
		panic(p.N)
	case "goexit":
		runtime.Goexit()
	case "fail":
		return fmt.Errorf("failed %d", p.N)
	}
	if after := string(r.Params()); after != before {
		return fmt.Errorf("params changed under the handler: %.100q became %.100q", before, after)
	}
	return w.Raw(r.Params())
}

// TestStressTakeOvers moves the reading role at random moments, much more
// often than the watcher would, under every kind of load, and checks that
// every request is answered once and rightly.
func TestStressTakeOvers(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	var total uint64
	for _, bound := range []int{1, 3, 4096} {
		for _, batched := range []bool{false, true} {
			t.Run(fmt.Sprintf("handlers=%d/batched=%v", bound, batched), func(t *testing.T) {
				total += stress(t, bound, batched)
			})
		}
	}
	if total < 1000 {
		t.Errorf("only %d take-overs: the test proves nothing", total)
	}
}

func stress(t *testing.T, bound int, batched bool) (takeOvers uint64) {
	const requests = 2000
	// The watcher is off: every handler starts inline, and only the handlers
	// themselves see to it that the role is taken.
	r := newRig(t, 4<<10, HandlerFunc(mixed), &Options{MaxHandlers: bound, Drain: time.Minute, NoTakeOver: true})
	methods := []string{"echo", "echo", "echo", "sleep", "compute", "notify", "derive", "panic", "goexit", "fail"}
	sent := make([]string, requests)
	window := make(chan struct{}, 8) // few enough that inline starts go on at a bound of one
	go func() {
		rng := rand.New(rand.NewPCG(1, uint64(bound)))
		var array []string
		for i := range requests {
			select {
			case window <- struct{}{}:
			default:
				if array != nil {
					r.send("[" + strings.Join(array, ",") + "]")
					array = nil
				}
				window <- struct{}{}
			}
			method := methods[rng.IntN(len(methods))]
			sent[i] = method
			pad := strings.Repeat("x", rng.IntN(40)*rng.IntN(40))
			line := callLine(i, method, fmt.Sprintf(`{"n":%d,"us":%d,"pad":%q}`, i, rng.IntN(300), pad))
			if rng.IntN(20) == 0 {
				line = noteLine("sleep", `{"n":-1,"us":100}`) + map[bool]string{true: ",", false: "\n"}[batched] + line
			}
			if rng.IntN(50) == 0 {
				r.send("oops")
			}
			if !batched {
				r.send(line)
			} else if array = append(array, line); len(array) > rng.IntN(20) {
				r.send("[" + strings.Join(array, ",") + "]")
				array = nil
			}
		}
		if array != nil {
			r.send("[" + strings.Join(array, ",") + "]")
		}
		r.in.close()
	}()

	answered := make([]bool, requests)
	steps := make(map[int]int)
	check := func(m msg) {
		if m.Method == "progress" {
			var p struct{ Of, Step int }
			json.Unmarshal(m.Params, &p)
			if steps[p.Of] != p.Step || answered[p.Of] {
				t.Errorf("progress %d of %d after %d, answered %v", p.Step, p.Of, steps[p.Of], answered[p.Of])
			}
			steps[p.Of]++
			return
		}
		if string(m.ID) == "null" && m.Error != nil && m.Error.Code == -32700 {
			return
		}
		id, err := strconv.Atoi(string(m.ID))
		if err != nil || answered[id] {
			t.Fatalf("unexpected answer: %.200s", m.line)
		}
		answered[id] = true
		<-window
		switch sent[id] {
		case "panic", "goexit", "fail":
			if m.Error == nil || m.Error.Code != -32603 {
				t.Errorf("want -32603: %.200s", m.line)
			}
		default:
			var p struct{ N int }
			if json.Unmarshal(m.Result, &p); m.Result == nil || p.N != id {
				t.Errorf("answer %d: %.200s", id, m.line)
			}
		}
	}
	r.readAll(func(m msg) {
		if m.line[0] != '[' {
			check(m)
			return
		}
		var items []msg
		if err := json.Unmarshal([]byte(m.line), &items); err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			check(item)
		}
	})
	for id, ok := range answered {
		if !ok {
			t.Errorf("request %d (%s) was not answered", id, sent[id])
		}
	}
	s := r.c.Stats()
	t.Logf("%d take-overs, %d writes for %d bytes", s.TakeOvers, s.Writes, s.BytesOut)
	if s.Running != 0 || s.Waiting != 0 || r.c.flight.n.Load() != 0 || len(r.c.flight.byHash) != 0 || r.c.starting.Load() != 0 || r.c.barrier != 0 {
		t.Errorf("left behind: %+v flying %d flight %d starting %d barrier %d", s, r.c.flight.n.Load(), len(r.c.flight.byHash), r.c.starting.Load(), r.c.barrier)
	}
	return s.TakeOvers
}

// TestDerivedContextsOutliveHandlers keeps contexts derived from a handler's,
// as handlers do that start something in the background.
func TestDerivedContextsOutliveHandlers(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	n := 100_000
	if testing.Short() {
		n = 2000
	}
	var kept sync.WaitGroup
	h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
		derived, cancel := context.WithTimeout(ctx, time.Hour)
		kept.Add(1)
		go func() {
			defer kept.Done()
			defer cancel()
			<-derived.Done()
			if derived.Err() != context.Canceled {
				t.Errorf("derived context ended with %v", derived.Err())
			}
		}()
		return w.Raw(r.Params())
	})
	r := newRig(t, 64<<10, h, nil)
	go func() {
		for i := range n {
			r.send(callLine(i, "derive", `{"n":1}`))
		}
		r.in.close()
	}()
	if got := len(r.finishReading()); got != n {
		t.Errorf("%d answers, want %d", got, n)
	}
	kept.Wait() // every derived context ended with its handler
}

// TestReplyAfterReturn uses each Reply after its handler has returned, while
// later requests are being answered.
func TestReplyAfterReturn(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	n := 100_000
	if testing.Short() {
		n = 2000
	}
	type stale struct {
		w   Reply
		r   Request
		ctx context.Context
	}
	left := make(chan stale, 64)
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for s := range left {
				s.w.x.waitOver(s.w.gen)
				if err := s.w.Raw([]byte(`"stale"`)); err != ErrDone {
					t.Errorf("Raw: %v", err)
				}
				if err := s.w.Encode("stale"); err != ErrDone {
					t.Errorf("Encode: %v", err)
				}
				if err := s.w.Notify("stale", nil); err != ErrDone {
					t.Errorf("Notify: %v", err)
				}
				var v any
				if err := s.r.Decode(&v); err != ErrDone {
					t.Errorf("Decode: %v", err)
				}
			}
		})
	}
	h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
		left <- stale{w, r, ctx}
		return w.Raw(r.Params())
	})
	r := newRig(t, 64<<10, h, &Options{MaxQueued: -1, Drain: time.Minute})
	go func() {
		for i := range n {
			r.send(callLine(i, "echo", fmt.Sprintf(`{"n":%d}`, i)))
		}
		r.in.close()
	}()
	all := r.finishReading()
	close(left)
	users.Wait()
	if len(all) != n {
		t.Errorf("%d answers, want %d", len(all), n)
	}
	for _, m := range all {
		if !bytes.Contains(m.Result, append([]byte(`{"n":`), m.ID...)) {
			t.Fatalf("cross-talk: %s", m.line)
		}
	}
}

// waitOver waits until the handler of a generation has returned.
func (x *exchange) waitOver(gen uint64) {
	for x.live(gen) {
		runtime.Gosched()
	}
}
