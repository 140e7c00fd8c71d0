package drive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// checker sees that answers are what they should be. All answers to a load
// have the same members, and ids and params of the same length, so that those
// of a server are equally long. The first are compared whole, and one of many
// later; of the others the length is looked at, which costs nothing.
type checker struct {
	copies bool
	items  int
	want   any // the result
	length int // of answers that were compared
	seen   int
}

const (
	comparedFirst = 20
	comparedEvery = 4096
)

func newChecker(l *Load, copies bool) checker {
	k := checker{copies: copies, items: l.Batch}
	text := Params(l.Size)
	if l.Method == "ping" {
		text = "{}"
	}
	if l.Size == 0 && l.Method == "typed" {
		text = `{"text":"","count":0,"ratio":0,"ok":false,"kind":""}`
	}
	if err := json.Unmarshal([]byte(text), &k.want); err != nil {
		panic(err) // it is written a few lines above
	}
	return k
}

func (k *checker) answer(line []byte) error {
	if k.copies {
		return nil
	}
	k.seen++
	if len(line) == k.length && k.seen > comparedFirst && k.seen%comparedEvery != 0 {
		return nil
	}
	err := k.compare(line)
	if err != nil {
		return fmt.Errorf("%w: %.300q", err, line)
	}
	k.length = len(line)
	return nil
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id"`
	Result  any             `json:"result"`
	Error   json.RawMessage `json:"error"`
}

func (k *checker) compare(line []byte) error {
	var all []response
	if k.items > 0 {
		if err := json.Unmarshal(line, &all); err != nil {
			return err
		}
		if len(all) != k.items {
			return fmt.Errorf("%d answers to a batch of %d", len(all), k.items)
		}
	} else {
		all = make([]response, 1)
		if err := json.Unmarshal(line, &all[0]); err != nil {
			return err
		}
	}
	ids := make(map[int64]bool)
	for _, r := range all {
		switch {
		case r.Error != nil:
			return errors.New("an error")
		case r.Version != "2.0" || ids[r.ID]:
			return errors.New("no answer of JSON-RPC 2.0")
		case !reflect.DeepEqual(r.Result, k.want):
			return errors.New("not the result")
		}
		ids[r.ID] = true
	}
	return nil
}

var idMember = []byte(`"id":`)

// idOf finds the id of an answer, or that of an item of a batch: at the
// beginning, where most put it, or at the end.
func idOf(line []byte) (use, slot int, ok bool) {
	i := bytes.Index(line[:min(len(line), 64)], idMember)
	if i < 0 {
		i = bytes.LastIndex(line, idMember)
	}
	if i < 0 || len(line) < i+len(idMember)+idDigits {
		return 0, 0, false
	}
	var id int64
	for _, c := range line[i+len(idMember):][:idDigits] {
		if c < '0' || c > '9' {
			return 0, 0, false
		}
		id = id*10 + int64(c-'0')
	}
	if id < firstID {
		return 0, 0, false
	}
	use, slot = splitID(id)
	return use, slot, true
}
