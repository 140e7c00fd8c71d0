package client_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/linerpc/linerpc/client"
)

func TestGo(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, tools(), nil)
		var futures []*client.Future[float64]
		for i := range 100 {
			futures = append(futures, client.Go[float64](t.Context(), c, "add", map[string]int{"a": i, "b": 1}))
		}
		var all sync.WaitGroup
		for i := range futures {
			for range 2 {
				all.Go(func() {
					if v, err := futures[i].Get(t.Context()); v != float64(i+1) || err != nil {
						t.Errorf("future %d got %v, %v", i, v, err)
					}
					<-futures[i].Done()
				})
			}
		}
		all.Wait()
	})
}

// TestFutureOutlivesAWait: the end of the context of Get is not that of the
// call.
func TestFutureOutlivesAWait(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		f := make(chan *client.Future[int], 1)
		go func() { f <- client.Go[int](t.Context(), p.Client, "m", nil) }()
		p.hear()
		future := <-f
		short, cancel := context.WithTimeoutCause(t.Context(), time.Second, errUser)
		defer cancel()
		if _, err := future.Get(short); err != errUser {
			t.Errorf("got %v", err)
		}
		p.tell(answer(1, "5"))
		if v, err := future.Get(t.Context()); v != 5 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		p.end()
	})
}

// TestFutureIsGivenUp by Cancel or by its own context, whether or not somebody
// waits for it.
func TestFutureIsGivenUp(t *testing.T) {
	for name, giveUp := range map[string]func(f *client.Future[int], cancel context.CancelCauseFunc){
		"Cancel":  func(f *client.Future[int], _ context.CancelCauseFunc) { f.Cancel(errUser) },
		"context": func(_ *client.Future[int], cancel context.CancelCauseFunc) { cancel(errUser) },
	} {
		inBubble(t, name, func(t *testing.T) {
			p := meet(t, client.Options{Profile: client.ACP})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			f := make(chan *client.Future[int], 1)
			go func() { f <- client.Go[int](ctx, p.Client, "m", nil) }()
			p.hear()
			future := <-f
			go giveUp(future, cancel)
			p.want(`{"method":"$/cancel_request","params":{"requestId":1}}`)
			<-future.Done()
			if _, err := future.Get(t.Context()); err != errUser {
				t.Errorf("got %v", err)
			}
			future.Cancel(nil)
			p.end()
		})
	}
}

// TestFutureOfWhatWasNotSent gives the reason at once.
func TestFutureOfWhatWasNotSent(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		f := client.Go[int](t.Context(), p.Client, "m", 5)
		<-f.Done()
		f.Cancel(nil)
		if _, err := f.Get(t.Context()); err == nil || errors.Is(err, client.ErrClosed) {
			t.Errorf("got %v", err)
		}
		p.end()
	})
}
