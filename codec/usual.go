package codec

// usual reads a request as nearly every caller writes one: compact, with the
// members in the order of the specification's examples, a number as its id,
// and params; or a response with a result. It does in one straight line what
// object does for any order. It returns the position behind the message, -1
// when the params or the result are wrong, or 0 when the line is not of this
// shape, which says nothing about it.
func (p *Parser) usual(b []byte, m *Message) int {
	const opening, atMethod, atParams = `{"jsonrpc":"2.0","id":`, `,"method":"`, `,"params":`
	if len(b) < len(opening) || string(b[:len(opening)]) != opening {
		return 0
	}
	id := digits(b, len(opening))
	if n := id - len(opening); n == 0 || n > p.maxID || n > 1 && b[len(opening)] == '0' {
		return 0
	}
	name := id + len(atMethod)
	if name > len(b) {
		return 0
	}
	if string(b[id:name]) != atMethod {
		return p.usualResult(b, id, m)
	}
	method := plainString(b, name)
	if method == 0 {
		return 0
	}
	params := method + len(atParams)
	if params >= len(b) || string(b[method:params]) != atParams || b[params]|0x20 != '{' {
		return 0
	}
	end := p.scan.container(b, params, 1)
	if end < 0 {
		return -1
	}
	if end+1 != len(b) || b[end] != '}' {
		return 0
	}
	*m = Message{
		Kind:   Request,
		ID:     b[len(opening):id:id],
		Method: b[name : method-1 : method-1],
		Params: b[params:end:end],
	}
	return end + 1
}

// usualResult is usual for a response with a result, of which the id ends at
// b[id].
func (p *Parser) usualResult(b []byte, id int, m *Message) int {
	const opening, atResult = `{"jsonrpc":"2.0","id":`, `,"result":`
	result := id + len(atResult)
	if result >= len(b) || string(b[id:result]) != atResult {
		return 0
	}
	start, end := p.scan.value(b, result, 1)
	if end < 0 {
		return -1
	}
	if end+1 != len(b) || b[end] != '}' {
		return 0
	}
	*m = Message{Kind: Response, ID: b[len(opening):id:id], Result: b[start:end:end]}
	return end + 1
}
