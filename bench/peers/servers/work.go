package main

import (
	"encoding/json"
	"errors"
	"time"
)

// The methods that every contender serves, but for those of MCP, which have
// ping alone:
//
//	echo    gives its params back as the JSON text that they are
//	typed   decodes its params into a record and encodes that
//	ping    takes nothing and gives an empty object
//	slow    waits for slowness and does as echo
//	note    is a notification, of which nothing is made
const slowness = 5 * time.Millisecond

// record is what a typed handler takes and gives.
type record struct {
	Text  string  `json:"text"`
	Count int     `json:"count"`
	Ratio float64 `json:"ratio"`
	OK    bool    `json:"ok"`
	Kind  string  `json:"kind"`
}

// nothing is the answer to a ping.
type nothing struct{}

var errMethod = errors.New("method not found")

// answer does the work of a method for a library that hands over params as
// text and takes any value that encodes. Decode is that library's way into a
// Go value.
func answer(method string, params []byte, decode func(into any) error) (any, error) {
	switch method {
	case "slow":
		time.Sleep(slowness)
		fallthrough
	case "echo":
		return json.RawMessage(params), nil
	case "typed":
		var r record
		if err := decode(&r); err != nil {
			return nil, err
		}
		return &r, nil
	case "ping":
		return nothing{}, nil
	case "note":
		return nil, nil
	}
	return nil, errMethod
}
