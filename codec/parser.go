package codec

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

// What a Parser keeps from one line to the next: one hostile batch or method
// name must not pin its memory.
const (
	maxScratchBytes = 64 << 10
	maxScratchItems = 2 * DefaultMaxItems // append grows beyond what it needs
	maxSpill        = 1 << 10             // words; the default depth needs 158
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
	i := p.usual(line, m)
	switch {
	case i > 0:
		if !p.scan.utf8(line) {
			*m = Message{Fault: p.scan.fault, Offset: p.scan.at}
		}
		return m
	case i < 0:
		*m = Message{Fault: p.scan.fault, Offset: p.scan.at}
		return m
	}
	*m = Message{}
	if len(line) > 0 && line[0] <= ' ' {
		i = blanks(line, 0)
	}
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
		if i < len(line) {
			i = blanks(line, i)
		}
		if i < len(line) {
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
