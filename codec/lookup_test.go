package codec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/codec"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct{ object, name, want string }{
		{`{"id":1}`, "id", `1`},
		{`{"a":{"id":2},"id":"x","b":[{"id":3}]}`, "id", `"x"`},
		{"{ \"a\" : [ 1 , 2 ] ,\n \"id\" : null }", "id", `null`},
		{`{"id":1,"id":2}`, "id", `1`},
		{`{"\u0069d":{"a": 1}}`, "id", `{"a": 1}`},
		{`{"a\"b":1,"":2}`, `a"b`, `1`},
		{`{"a":1,"":2}`, "", `2`},
		{`{"requestId":7,"reason":"` + strings.Repeat("r", 300) + `"}`, "requestId", `7`},
		{`{"reason":"` + strings.Repeat("r", 300) + `","requestId":7}`, "requestId", `7`},
		{`{"Id":1,"ids":2,"i":3}`, "id", ``},
		{`{}`, "id", ``}, {`[]`, "id", ``}, {`["id",1]`, "id", ``}, {`"id"`, "id", ``}, {``, "id", ``}, {`null`, "id", ``},
	} {
		got := codec.Lookup([]byte(c.object), c.name)
		if string(got) != c.want || (got == nil) != (c.want == "") {
			t.Errorf("%s in %s: %q, want %q", c.name, c.object, got, c.want)
		}
		if cap(got) != len(got) {
			t.Errorf("%s in %s: room for %d bytes behind it", c.name, c.object, cap(got)-len(got))
		}
	}
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		array string
		want  []string
	}{
		{`[]`, nil}, {`[ ]`, nil}, {`[1]`, []string{"1"}}, {` [1]`, nil}, {`{}`, nil}, {``, nil}, {`null`, nil},
		{`["a", [1,2] ,{"b":[3]},null]`, []string{`"a"`, `[1,2]`, `{"b":[3]}`, `null`}},
		{"[\n1\n,\n\"x,y\"\n]", []string{`1`, `"x,y"`}},
	} {
		var got []string
		for _, e := range codec.Elements(nil, []byte(c.array)) {
			got = append(got, string(e))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.array, got)
		}
	}
	if got := codec.Elements([][]byte{[]byte("0")}, []byte(`[1]`)); len(got) != 2 || string(got[0]) != "0" {
		t.Errorf("what was there: %q", got)
	}
}

func TestResponseID(t *testing.T) {
	const cut = "xxxxxxxx"
	for _, c := range []struct{ head, tail, want string }{
		// The id stands in front of the member that was cut.
		{`{"jsonrpc":"2.0","id":1,"result":"` + cut, cut + `"}`, `1`},
		{`{"id":"a:b","jsonrpc":"2.0","error":{"code":1` + cut, cut + `}`, `"a:b"`},
		{` { "id" : null , "result" : [` + cut, cut, `null`},
		{`{"\u0069d":7,"r\u0065sult":[` + cut, cut, `7`},
		// Or at the very end.
		{`{"jsonrpc":"2.0","result":["` + cut, cut + `"],"id":12}`, `12`},
		{`{"result":["` + cut, cut + `"],"id":"x","jsonrpc":"2.0"}`, `"x"`},
		{`{"result":["` + cut, cut + `"],"jsonrpc":"2.0","id":"x"}` + "\r\n", `"x"`},
		{`{"result":["` + cut, cut + `"],"id" : 12 }`, `12`},
		// Nothing is guessed.
		{`{"jsonrpc":"2.0","result":["` + cut, cut + `"]}`, ``},
		{`{"jsonrpc":"2.0","result":{"` + cut, cut + `","id":12}}`, ``},
		{`{"jsonrpc":"2.0","result":"` + cut, cut + `,\"id\":12}"}`, ``},
		{`{"jsonrpc":"2.0","result":"` + cut, cut + `,\"id\":12}`, ``},
		{`{"jsonrpc":"2.0","result":"` + cut, ``, ``},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":["` + cut, cut + `"]}`, ``},
		{`{"params":["` + cut, cut + `"],"method":"m","id":1}`, ``},
		{`{"other":"` + cut, cut + `","id":1}`, ``},
		{`[{"jsonrpc":"2.0","id":1,"result":"` + cut, cut + `"}]`, ``},
		{`{"jsonrpc":"2.0","id":1`, `}`, ``},
		{cut, cut, ``}, {``, ``, ``}, {`{`, `}`, ``}, {`{"id"`, `}`, ``}, {`{"id":`, `}`, ``}, {`{"id":1 "result":`, `}`, ``},
	} {
		if got := codec.ResponseID([]byte(c.head), []byte(c.tail)); string(got) != c.want {
			t.Errorf("%s ... %s: %q, want %q", c.head, c.tail, got, c.want)
		}
	}
}
