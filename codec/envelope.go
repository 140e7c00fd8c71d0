package codec

import (
	"bytes"
	"encoding/binary"
)

// Defaults of Limits.
const (
	// DefaultMaxDepth is what encoding/json and goccy/go-json decode, so that
	// whatever is accepted can also be decoded.
	DefaultMaxDepth = 10_000
	DefaultMaxID    = 16 << 10
	DefaultMaxItems = 1_000
)

// Limits bounds what a Parser accepts. A zero field means the default, a
// negative one no limit.
type Limits struct {
	MaxDepth int  // levels of arrays and objects, the envelope's own included; DefaultMaxDepth
	MaxID    int  // bytes of an id as written, quotes included; DefaultMaxID
	MaxItems int  // items of a batch; DefaultMaxItems
	NoBatch  bool // refuse arrays
	Bare     bool // the member jsonrpc is not required and not looked at (as Codex speaks)
}

const unbounded = int(^uint(0) >> 1)

func bound(v, def int) int {
	switch {
	case v == 0:
		return def
	case v < 0:
		return unbounded
	}
	return v
}

// Parser finds the envelope members of one line after the other. It keeps
// scratch memory between lines and is not safe for concurrent use.
type Parser struct {
	scan     scanner
	maxID    int
	maxItems int
	noBatch  bool
	bare     bool
	scratch  []byte // method names that were written with escapes
	items    []Message
	msg      Message
}

// NewParser returns a Parser with the given bounds.
func NewParser(l Limits) *Parser {
	return &Parser{
		scan:     scanner{maxDepth: bound(l.MaxDepth, DefaultMaxDepth)},
		maxID:    bound(l.MaxID, DefaultMaxID),
		maxItems: bound(l.MaxItems, DefaultMaxItems),
		noBatch:  l.NoBatch,
		bare:     l.Bare,
	}
}

// maxScratch bounds what a Parser keeps from one line to the next: one
// hostile batch or method name must not pin its memory.
const (
	maxScratchBytes = 64 << 10
	maxScratchItems = DefaultMaxItems
)

// Parse checks line and finds its envelope members. The line holds one
// message without its newline; blanks around it are allowed. Parse never
// fails: a line that is not well formed is a Message with a Fault.
//
// The Message and its slices are borrowed until the next call of Parse, and
// no longer than line itself. Parse allocates nothing once warm.
func (p *Parser) Parse(line []byte) *Message {
	p.scan.reset()
	if cap(p.scratch) > maxScratchBytes {
		p.scratch = nil
	}
	if cap(p.items) > maxScratchItems {
		p.items = nil
	}
	p.scratch, p.items = p.scratch[:0], p.items[:0]
	m := &p.msg
	*m = Message{}

	i := blanks(line, 0)
	switch {
	case i < len(line) && line[i] == '{':
		i = p.object(line, i, 0, m)
	case i < len(line) && line[i] == '[':
		i = p.array(line, i, m)
	default:
		_, i = p.scan.value(line, i, 0)
		m.Fault = FaultNotObject
	}
	if i >= 0 {
		if i = blanks(line, i); i < len(line) {
			i = p.scan.fail(FaultSyntax, i)
		} else if !p.scan.utf8(line) {
			i = -1
		}
	}
	if i < 0 {
		*m = Message{Fault: p.scan.fault, Offset: p.scan.at}
	}
	return m
}

// TakeItems hands the batch items of the last Parse over to the caller; the
// Parser will not use their memory again. The slices inside stay borrowed
// from the line.
func (p *Parser) TakeItems() []Message {
	items := p.items
	p.items, p.msg.Items = nil, nil
	return items
}

// array reads a batch. Items above the bound are checked but not kept.
func (p *Parser) array(b []byte, i int, m *Message) int {
	if p.scan.maxDepth < 1 {
		return p.scan.fail(FaultDepth, i)
	}
	i = blanks(b, i+1)
	if i < len(b) && b[i] == ']' {
		m.Fault = FaultEmptyBatch
		if p.noBatch {
			m.Fault = FaultNoBatch
		}
		return i + 1
	}
	keep := p.maxItems
	if p.noBatch {
		keep = 0
	}
	for n := 0; ; n++ {
		i = blanks(b, i)
		if n < keep && i < len(b) && b[i] == '{' {
			p.items = append(p.items, Message{})
			i = p.object(b, i, 1, &p.items[n])
		} else {
			_, i = p.scan.value(b, i, 1)
			if n < keep {
				p.items = append(p.items, Message{Fault: FaultNotObject})
			}
		}
		if i < 0 {
			return -1
		}
		i = blanks(b, i)
		if i < len(b) && b[i] == ',' {
			i++
			continue
		}
		if i >= len(b) || b[i] != ']' {
			return p.scan.fail(FaultSyntax, i)
		}
		switch {
		case p.noBatch:
			m.Fault = FaultNoBatch
		case n >= p.maxItems:
			m.Fault = FaultItems
		default:
			m.Kind, m.Items = Batch, p.items
		}
		return i + 1
	}
}

// Envelope members, as bits of a set.
const (
	memberVersion = 1 << iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
)

// The names of the envelope members as the eight bytes that start with their
// opening quote; nameID is five bytes, with the colon.
const (
	nameVersion = 0x6370726e6f736a22 // "jsonrpc
	nameMethod  = 0x22646f6874656d22 // "method"
	nameParams  = 0x22736d6172617022 // "params"
	nameResult  = 0x22746c7573657222 // "result"
	nameError   = 0x3a22726f72726522 // "error":
	nameID      = 0x3a22646922       // "id":
	maskID      = 1<<40 - 1
)

// quickMember recognizes a member whose name is written as nearly everybody
// writes it: no escapes, the colon right behind. It returns the position
// behind the colon.
func quickMember(b []byte, i int) (member uint8, next int) {
	if len(b)-i < 16 {
		return 0, i
	}
	switch w := binary.LittleEndian.Uint64(b[i:]); w {
	case nameMethod:
		member = memberMethod
	case nameParams:
		member = memberParams
	case nameResult:
		member = memberResult
	case nameError:
		return memberError, i + 8
	case nameVersion:
		if b[i+8] == '"' && b[i+9] == ':' {
			return memberVersion, i + 10
		}
		return 0, i
	default:
		if w&maskID == nameID {
			return memberID, i + 5
		}
		return 0, i
	}
	if b[i+8] != ':' {
		return 0, i
	}
	return member, i + 9
}

// member reads a name and its colon, however they are written.
func (p *Parser) member(b []byte, i int) (member uint8, next int) {
	if i >= len(b) || b[i] != '"' {
		return 0, p.scan.fail(FaultSyntax, i)
	}
	key := i + 1
	if i = p.scan.str(b, key); i < 0 {
		return 0, -1
	}
	member = memberOf(b[key : i-1])
	if i = blanks(b, i); i >= len(b) || b[i] != ':' {
		return 0, p.scan.fail(FaultSyntax, i)
	}
	return member, i + 1
}

// object reads one envelope that opens at b[i], at a nesting of depth levels,
// and returns the position behind it.
func (p *Parser) object(b []byte, i, depth int, m *Message) int {
	if depth >= p.scan.maxDepth {
		return p.scan.fail(FaultDepth, i)
	}
	var seen, twice uint8
	var method, version []byte
	if i++; i < len(b) && b[i] <= ' ' {
		i = blanks(b, i)
	}
	if i < len(b) && b[i] == '}' {
		p.classify(m, 0, 0, nil, nil)
		return i + 1
	}
	for {
		member, next := quickMember(b, i)
		if member == 0 {
			if member, next = p.member(b, i); next < 0 {
				return -1
			}
		}
		start, end := next, 0
		if start < len(b) && b[start] == '"' {
			end = p.scan.str(b, start+1)
		} else {
			start, end = p.scan.value(b, start, depth+1)
		}
		if end < 0 {
			return -1
		}
		if i = end; member != 0 {
			twice |= seen & member
			seen |= member
			raw := b[start:end:end]
			switch member {
			case memberVersion:
				version = raw
			case memberID:
				m.ID = raw
			case memberMethod:
				method = raw
			case memberParams:
				m.Params = raw
			case memberResult:
				m.Result = raw
			case memberError:
				m.Error = raw
			}
		}
		if i < len(b) && b[i] <= ' ' {
			i = blanks(b, i)
		}
		if i >= len(b) {
			return p.scan.fail(FaultSyntax, i)
		}
		if b[i] != ',' {
			break
		}
		if i++; i < len(b) && b[i] <= ' ' {
			i = blanks(b, i)
		}
	}
	if b[i] != '}' {
		return p.scan.fail(FaultSyntax, i)
	}
	p.classify(m, seen, twice, version, method)
	return i + 1
}

// classify decides what the members found make of the message. The first
// fault in the order of the checks is the one that is reported.
func (p *Parser) classify(m *Message, seen, twice uint8, version, method []byte) {
	if m.Params != nil && m.Params[0] == 'n' {
		m.Params = nil
	}
	if m.Error != nil && m.Error[0] == 'n' {
		m.Error = nil
	}
	switch {
	case seen&memberMethod != 0 && seen&memberID != 0:
		m.Kind = Request
	case seen&memberMethod != 0:
		m.Kind = Notification
	case seen&(memberResult|memberError) != 0:
		m.Kind = Response
	}
	if m.ID != nil {
		if c := m.ID[0]; twice&memberID != 0 {
			m.Fault, m.ID = FaultDuplicate, nil
		} else if c != '"' && c != '-' && c != 'n' && c-'0' > 9 {
			m.Fault, m.ID = FaultID, nil
		} else if len(m.ID) > p.maxID {
			m.Fault, m.ID = FaultIDLong, nil
		}
	}
	switch {
	case m.Fault != FaultNone:
	case twice != 0:
		m.Fault = FaultDuplicate
	case !p.bare && string(version) != `"2.0"` && !isVersion(version):
		m.Fault = FaultVersion
	case m.Kind == Response:
		if m.ID == nil || (m.Error != nil) == (seen&memberResult != 0 && (m.Result[0] != 'n' || m.Error == nil)) {
			m.Fault = FaultResponse
		}
	case seen&memberMethod == 0 || method[0] != '"':
		m.Fault = FaultMethod
	case m.Params != nil && m.Params[0] != '{' && m.Params[0] != '[':
		m.Fault = FaultParams
	}
	if m.Kind == Response {
		return
	}
	if m.Fault != FaultNone {
		m.Kind = Invalid
		return
	}
	m.Method = method[1 : len(method)-1]
	if bytes.IndexByte(m.Method, '\\') >= 0 {
		n := len(p.scratch)
		p.scratch = AppendUnquoted(p.scratch, method)
		m.Method = p.scratch[n:len(p.scratch):len(p.scratch)]
	}
}

// memberOf tells which envelope member a name is, or 0. Names compare by
// their value: exact case, escapes understood.
func memberOf(key []byte) uint8 {
	switch string(key) {
	case "jsonrpc":
		return memberVersion
	case "id":
		return memberID
	case "method":
		return memberMethod
	case "params":
		return memberParams
	case "result":
		return memberResult
	case "error":
		return memberError
	}
	// The shortest escaped name is "id" with one \u sequence: seven bytes.
	// The longest is "jsonrpc" with seven of them.
	if len(key) >= 7 && len(key) <= 42 && bytes.IndexByte(key, '\\') >= 0 {
		var buf [42]byte
		if plain := appendUnescaped(buf[:0], key); bytes.IndexByte(plain, '\\') < 0 {
			return memberOf(plain)
		}
	}
	return 0
}

// isVersion is the slow comparison with "2.0": by value, escapes understood.
func isVersion(raw []byte) bool {
	if len(raw) < 2 || len(raw) > 20 || raw[0] != '"' {
		return false
	}
	var buf [20]byte
	return string(AppendUnquoted(buf[:0], raw)) == "2.0"
}
