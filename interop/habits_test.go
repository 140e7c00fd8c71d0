package interop

import (
	"encoding/json"
	"slices"
	"strings"
)

// message is a line as others understand it.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage

	members []string // their names in the order of the line
}

// messages gives what was sent or received; an array gives each of its items.
func (l *life) messages(k kind) (all []message) {
	for _, r := range l.all(k) {
		items := []json.RawMessage{json.RawMessage(r.Text)}
		if strings.HasPrefix(r.Text, "[") {
			json.Unmarshal([]byte(r.Text), &items)
		}
		for _, item := range items {
			var m message
			json.Unmarshal(item, &m)
			m.members = members(item)
			all = append(all, m)
		}
	}
	return all
}

func members(object json.RawMessage) (names []string) {
	in := json.NewDecoder(strings.NewReader(string(object)))
	in.Token() // the brace
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return names
		}
		names = append(names, name.(string))
		var value json.RawMessage
		in.Decode(&value)
	}
	return names
}

// habits are the ways of a client that a server has to cope with.
type habits struct {
	FirstID string // of its requests, as written
	IDLate  bool   // in some requests the id stands behind the params
	CRLF    bool   // a line of it ends in \r\n
	Batch   bool   // it sends arrays
	Scalar  bool   // params that are neither an object nor an array
}

func (l *life) habits() (h habits) {
	for _, r := range l.all(sent) {
		h.CRLF = h.CRLF || strings.HasSuffix(r.Text, "\r\n")
		h.Batch = h.Batch || strings.HasPrefix(r.Text, "[")
	}
	for _, m := range l.messages(sent) {
		h.Scalar = h.Scalar || m.Params != nil && m.Params[0] != '{' && m.Params[0] != '['
		if m.Method == "" || m.ID == nil {
			continue
		}
		if h.FirstID == "" {
			h.FirstID = string(m.ID)
		}
		h.IDLate = h.IDLate || m.Params != nil && slices.Index(m.members, "id") > slices.Index(m.members, "params")
	}
	return h
}

// methods are those that were sent, each once, in the order of their first use.
func (l *life) methods() (names []string) {
	for _, m := range l.messages(sent) {
		if m.Method != "" && !slices.Contains(names, m.Method) {
			names = append(names, m.Method)
		}
	}
	return names
}

// answers are the responses among messages that have an id.
func answers(messages []message, id json.RawMessage) (found []message) {
	for _, m := range messages {
		if m.Method == "" && string(m.ID) == string(id) {
			found = append(found, m)
		}
	}
	return found
}

// errorCode is that of a response, or 0 where it is a result.
func errorCode(m message) int {
	var e struct{ Code int }
	json.Unmarshal(m.Error, &e)
	return e.Code
}
