package codec

import "bytes"

// classify decides what the members found make of the message. The first
// fault in the order of the checks is the one that is reported. The method is
// searched for escapes unless it is known to be plain.
func (p *Parser) classify(m *Message, seen, twice uint8, version, method []byte, plain bool) {
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
	case seen&memberMethod == 0:
		m.Fault = FaultEmpty
	case method[0] != '"':
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
	if !plain && bytes.IndexByte(m.Method, '\\') >= 0 {
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
