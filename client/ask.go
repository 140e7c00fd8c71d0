package client

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

var errNoObject = errors.New("client: only params that are an object can ask for progress")

// ask gives params, JSON text that is an object or nil, with a token in them.
func ask(p *peer.Progress, params []byte, token uint64) ([]byte, error) {
	if params != nil && !codec.Valid(params) {
		return nil, peer.ErrNotJSON
	}
	params = bytes.TrimSpace(params)
	member := strconv.AppendUint(append(codec.AppendQuote(nil, p.Asked), ':'), token, 10)
	if p.Within == "" {
		return withMember(params, member)
	}
	if start, end := codec.LookupAt(params, p.Within); end > 0 {
		inner, err := withMember(params[start:end], member)
		return slices.Concat(params[:start], inner, params[end:]), err
	}
	outer := append(codec.AppendQuote(nil, p.Within), ":{"...)
	return withMember(params, append(append(outer, member...), '}'))
}

// withMember puts a member in front of those of an object. Of a name that
// stands twice most readers take the last: whoever has asked himself has his
// own token.
func withMember(object, member []byte) ([]byte, error) {
	switch {
	case len(object) == 0, string(object) == "null":
		return slices.Concat([]byte{'{'}, member, []byte{'}'}), nil
	case object[0] != '{':
		return nil, errNoObject
	}
	rest := bytes.TrimLeft(object[1:], " \t\r\n")
	if rest[0] != '}' {
		member = append(member, ',')
	}
	return slices.Concat([]byte{'{'}, member, rest), nil
}
