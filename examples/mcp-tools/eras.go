package main

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

// object is a result before it is encoded.
type object = map[string]any

// era says in which of the two a request is made, or a method exists.
type era int

const (
	legacy era = 1 << iota // after initialize
	modern                 // each request says what it needs to be understood
	stable                 // of a method: its result is the same for everybody
)

var (
	legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	modernVersions = []string{"2026-07-28"}
	capable        = object{"tools": object{}}
	info           = object{"name": "linerpc-mcp-tools", "version": "0.1.0"}
)

// abilities are what a client can be asked for in the middle of a call.
type abilities struct {
	Elicitation *struct{} `json:"elicitation"`
	Sampling    *struct{} `json:"sampling"`
}

// call is the params of any request, of which no two members mean different
// things in different methods, and what was found out about its era.
type call struct {
	Meta struct {
		Version       *string          `json:"io.modelcontextprotocol/protocolVersion"`
		Abilities     *abilities       `json:"io.modelcontextprotocol/clientCapabilities"`
		ProgressToken codec.RawMessage `json:"progressToken"`
	} `json:"_meta"`
	ProtocolVersion string            `json:"protocolVersion"` // initialize
	Capabilities    abilities         `json:"capabilities"`    // initialize
	Name            string            `json:"name"`            // tools/call
	Arguments       codec.RawMessage  `json:"arguments"`       // tools/call
	InputResponses  map[string]answer `json:"inputResponses"`  // tools/call again, modern

	era    era
	client abilities
}

// session is what a connection knows of a client of the older era.
type session struct {
	client atomic.Pointer[abilities] // nil before initialize
}

// on registers a method for the eras that have it.
func (s *session) on(mux *server.Mux, method string, in era, fn func(context.Context, *call) (object, error)) {
	server.Handle(mux, method, func(ctx context.Context, c *call) (object, error) {
		if c == nil {
			c = &call{}
		}
		if err := s.place(c, method, in); err != nil {
			return nil, err
		}
		result, err := fn(ctx, c)
		if err != nil || c.era == legacy {
			return result, err
		}
		if result["resultType"] == nil {
			result["resultType"] = "complete"
		}
		if in&stable != 0 {
			result["ttlMs"], result["cacheScope"] = 0, "public"
		}
		result["_meta"] = object{"io.modelcontextprotocol/serverInfo": info}
		return result, nil
	})
}

// place finds the era of a request. One that names no version is of the older
// era if there was an initialize, and is incomplete otherwise.
func (s *session) place(c *call, method string, in era) error {
	client := s.client.Load()
	switch version := c.Meta.Version; {
	case version == nil && in&modern == 0: // initialize, or a ping before it
		c.era = legacy
	case version == nil && in&legacy != 0 && client != nil:
		c.era, c.client = legacy, *client
	case version == nil:
		return codec.InvalidParams(`_meta must have "io.modelcontextprotocol/protocolVersion"`)
	case !slices.Contains(modernVersions, *version):
		e := &server.Error{Code: -32022, Message: "Unsupported protocol version"}
		return e.WithData(object{"supported": modernVersions, "requested": *version})
	case c.Meta.Abilities == nil:
		return codec.InvalidParams(`_meta must have "io.modelcontextprotocol/clientCapabilities"`)
	case in&modern == 0:
		return codec.MethodNotFound(method)
	default:
		c.era, c.client = modern, *c.Meta.Abilities
	}
	return nil
}

// initialize begins the older era: with the version that the client asks for,
// or else with the newest that has an initialize.
func (s *session) initialize(_ context.Context, c *call) (object, error) {
	s.client.Store(&c.Capabilities)
	version := c.ProtocolVersion
	if !slices.Contains(legacyVersions, version) {
		version = legacyVersions[0]
	}
	return object{"protocolVersion": version, "capabilities": capable, "serverInfo": info}, nil
}
