package client

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/linerpc/linerpc/codec"
)

func init() {
	// Sends by itself what it is told to send: before the answer, at once
	// behind it, or after a while.
	roles["by itself"] = func() {
		for m := range received() {
			var p struct {
				Before, Behind, Later []json.RawMessage
				Wait                  int // milliseconds before what comes later
			}
			if m.Method != "send" {
				m.answer(m.Params)
				continue
			}
			json.Unmarshal(m.Params, &p)
			var out []byte
			for _, line := range p.Before {
				out = append(append(out, line...), '\n')
			}
			out = fmt.Appendf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, m.Params)
			for _, line := range p.Behind {
				out = append(append(out, line...), '\n')
			}
			os.Stdout.Write(out)
			if p.Later != nil {
				time.Sleep(time.Duration(p.Wait) * time.Millisecond)
			}
			for _, line := range p.Later {
				os.Stdout.Write(append(line, '\n'))
			}
		}
	}
}

const note = `{"jsonrpc":"2.0","method":"note"}`

// TestLiveAloneHears: whatever a caller that is alone leaves behind, what the
// other side sends by itself is heard soon, though nobody calls any more.
func TestLiveAloneHears(t *testing.T) {
	heard := make(chan struct{}, 100)
	c := live(t, "by itself", nil)
	c.Subscribe("note", func(context.Context, Request) { heard <- struct{}{} })
	for i, params := range []string{
		`{"before":[` + note + `]}`,
		`{"behind":[` + note + `]}`,
		`{"later":[` + note + `],"wait":0}`,
		`{"later":[` + note + `],"wait":1}`,
		`{"later":[` + note + `],"wait":2}`,
		`{"later":[` + note + `],"wait":30}`,
	} {
		for range 10 {
			for range i {
				ping(t, c, "alone")
			}
			if _, err := c.CallRaw(t.Context(), nil, "send", []byte(params)); err != nil {
				t.Fatal(err)
			}
			within(t, time.Second, "the note", func() { <-heard })
		}
	}
}

// TestLiveAloneIsAsked: requests of the other side are answered before, during
// and after the calls of one caller, and a handler that takes a lock which the
// caller holds while it calls does not hold up that call.
func TestLiveAloneIsAsked(t *testing.T) {
	var mu sync.Mutex
	asked := make(chan struct{}, 100)
	c := live(t, "by itself", &Options{Handler: HandlerFunc(func(_ context.Context, w Reply, r Request) error {
		mu.Lock()
		defer mu.Unlock()
		asked <- struct{}{}
		return w.Raw(r.Params())
	})})
	request := `{"jsonrpc":"2.0","id":"theirs","method":"ask","params":[1]}`
	for i, params := range []string{
		`{"before":[` + request + `]}`,
		`{"behind":[` + request + `]}`,
		`{"later":[` + request + `],"wait":1}`,
		`{"before":[` + request + `],"later":[` + strings.Replace(request, "theirs", "more", 1) + `],"wait":5}`,
	} {
		for range 10 {
			mu.Lock()
			for range i {
				ping(t, c, "alone")
			}
			within(t, time.Second, "the call", func() {
				if _, err := c.CallRaw(t.Context(), nil, "send", []byte(params)); err != nil {
					t.Fatal(err)
				}
			})
			ping(t, c, "locked")
			mu.Unlock()
			<-asked
			if i == 3 {
				<-asked
			}
		}
	}
}

// TestLiveAloneAndTogether: bursts, pauses and calls one by one, in turn.
func TestLiveAloneAndTogether(t *testing.T) {
	heard := make(chan struct{}, 1000)
	c := live(t, "by itself", nil)
	c.Subscribe("note", func(context.Context, Request) { heard <- struct{}{} })
	rounds := 100
	for i := range rounds {
		for j := range i % 7 {
			ping(t, c, fmt.Sprint(i, j))
		}
		if i%3 == 0 {
			time.Sleep(2500 * time.Microsecond) // longer than the role may be vacant
		}
		var all sync.WaitGroup
		for j := range i % 5 {
			all.Go(func() { ping(t, c, fmt.Sprint(i, j)) })
		}
		if i%2 == 0 {
			// Given up at some moment of its way.
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*10*time.Microsecond)
			c.CallRaw(ctx, nil, "echo", nil)
			cancel()
		}
		f := Go[any](t.Context(), c, "send", codec.RawMessage(`{"behind":[`+note+`]}`))
		if i%4 == 0 {
			ping(t, c, "beside")
		}
		if _, err := f.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		within(t, time.Second, "the note", func() { <-heard })
	}
}
