package main

import (
	"context"
	"runtime"
	"time"
)

// seat is one that takes part in a cell, while it does.
type seat interface {
	slice(d time.Duration) (sample, error)
	// end gives the figures that are known only then, into r, and closes.
	end(r *row)
}

// measure lets all that take part in a cell take their turns. One that fails
// is out; the others go on.
func measure(ctx context.Context, s *settings, b *built, c cell, bar *progress) (*result, error) {
	if c.kind == clients {
		return measureClients(ctx, s, b, c)
	}
	r := &result{cell: c}
	seats := make([]seat, len(c.entries))
	defer func() {
		for i, seat := range seats {
			if seat != nil {
				seat.end(r.rows[i])
			}
		}
		r.settle()
	}()
	for i, e := range c.entries {
		r.rows = append(r.rows, &row{label: e.label})
		seat, err := open(b, c, e)
		if err == nil {
			seats[i] = seat
			_, err = seat.slice(s.slice / 2) // whatever is made once is made now
		}
		if err != nil {
			r.rows[i].failed(c, err)
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	for round := range s.rounds {
		for k := range seats {
			i := (round + k) % len(seats)
			if r.rows[i].failure != "" {
				r.rows[i].samples = append(r.rows[i].samples, newSample())
				continue
			}
			runtime.GC() // nobody pays for what another left behind here
			taken, err := seats[i].slice(s.slice)
			if err != nil {
				r.rows[i].failed(c, err)
				taken = newSample()
			}
			r.rows[i].samples = append(r.rows[i].samples, taken)
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
		}
		bar.within(float64(round+1) / float64(s.rounds))
	}
	return r, nil
}
