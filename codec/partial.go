package codec

import "bytes"

// ResponseID finds the id of a response of which only the first and the last
// bytes are known, because it was too long to be read whole. It gives nil
// unless it is sure: result or error must be the member that was cut, and the
// id must stand in front of it or among the members at the very end. The text
// between was not seen, so nothing says that the line was valid.
func ResponseID(head, tail []byte) []byte {
	s := scanner{maxDepth: unbounded}
	i := blanks(head, 0)
	if i >= len(head) || head[i] != '{' {
		return nil
	}
	var id []byte
	for i = blanks(head, i+1); i < len(head) && head[i] == '"'; {
		key := i + 1
		if i = s.str(head, key); i < 0 {
			return nil
		}
		member := memberOf(head[key : i-1])
		if member == memberResult || member == memberError {
			if id == nil {
				id = lastID(tail)
			}
			return id
		}
		if i = blanks(head, i); i >= len(head) || head[i] != ':' {
			return nil
		}
		start, end := s.value(head, i+1, 0)
		switch {
		case end < 0 || member == memberMethod || member == memberParams:
			return nil
		case member == memberID:
			id = head[start:end:end]
		}
		if i = blanks(head, end); i >= len(head) || head[i] != ',' {
			return nil
		}
		i = blanks(head, i+1)
	}
	return nil
}

// lastID reads the members id and jsonrpc backwards from the closing brace.
func lastID(tail []byte) []byte {
	tail = bytes.TrimRight(tail, " \t\r\n")
	if len(tail) == 0 || tail[len(tail)-1] != '}' {
		return nil
	}
	for tail = tail[:len(tail)-1]; ; {
		tail = bytes.TrimRight(tail, " \t")
		colon := bytes.LastIndexByte(tail, ':')
		if colon < 0 {
			return nil
		}
		value := bytes.TrimLeft(tail[colon+1:], " \t")
		name := bytes.TrimRight(tail[:colon], " \t")
		switch {
		case bytes.HasSuffix(name, []byte(`,"id"`)) && Valid(value):
			return value
		case bytes.HasSuffix(name, []byte(`,"jsonrpc"`)) && string(value) == `"2.0"`:
			tail = name[:len(name)-len(`,"jsonrpc"`)]
		default:
			return nil
		}
	}
}
