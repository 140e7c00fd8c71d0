package codec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/codec"
)

// allocates fails the test if f, once warm, allocates at all.
func allocates(t *testing.T, name string, f func()) {
	t.Helper()
	f()
	if n := testing.AllocsPerRun(20, f); n != 0 {
		t.Errorf("%s: %v allocations", name, n)
	}
}

func TestSniffingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":[1,2.5,-3e1]}}}`
	nest := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"m","params":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	p := codec.NewParser(codec.Limits{})
	for name, line := range map[string]string{
		"request":                    call,
		"notification":               `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":50}}`,
		"response":                   `{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"hi"}]}}`,
		"error response":             `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`,
		"id last":                    `{"params":[1],"method":"m","jsonrpc":"2.0","id":"x"}`,
		"escaped method":             `{"jsonrpc":"2.0","id":1,"method":"a\/b\u00e9"}`,
		"escaped names":              `{"\u006asonrpc":"\u0032.0","\u0069d":1,"\u006dethod":"m"}`,
		"UTF-8":                      `{"jsonrpc":"2.0","id":1,"method":"m","params":["漢字かな交じり文","привет","😀"]}`,
		"batch of 100":               "[" + strings.Repeat(call+",", 99) + call + "]",
		"batch with escaped methods": "[" + strings.Repeat(`{"jsonrpc":"2.0","method":"a\/b"},`, 99) + call + "]",
		"63 levels":                  nest(62),
		"64 levels":                  nest(63),
		"1000 levels":                nest(999),
		"10000 levels":               nest(9999),
		"a string of 1 MiB":          `{"jsonrpc":"2.0","id":1,"method":"m","params":{"s":"` + strings.Repeat("x", 1<<20) + `"}}`,
		"an escaped string of 1 MiB": `{"jsonrpc":"2.0","id":1,"method":"m","params":{"s":"` + strings.Repeat(`a\n`, 1<<20/3) + `"}}`,
		"records of 1 MiB":           `{"jsonrpc":"2.0","id":1,"method":"m","params":[` + strings.Repeat(call+",", 1<<20/len(call)) + `0]}`,

		"empty line":       ``,
		"scalar":           `12`,
		"syntax":           `{"jsonrpc":"2.0","id":1,"method":"m","params":[1,}`,
		"cut short":        call[:50],
		"UTF-8 fault":      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
		"too deep":         nest(10_001),
		"no version":       `{"id":1,"method":"m"}`,
		"wrong version":    `{"jsonrpc":"1.0","id":1,"method":"m"}`,
		"id object":        `{"jsonrpc":"2.0","id":{},"method":"m"}`,
		"duplicate":        `{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}`,
		"empty batch":      `[]`,
		"over the bound":   "[" + strings.Repeat("1,", codec.DefaultMaxItems) + "1]",
		"batch of scalars": `[1,2,3]`,
		"long id":          `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", codec.DefaultMaxID) + `","method":"m"}`,
	} {
		b := []byte(line)
		allocates(t, name, func() { p.Parse(b) })
	}
}

func TestWritingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	dst := make([]byte, 0, 4096)
	id, params := []byte(`"id-1"`), []byte("{\n\"a\":[1,2,3]}")
	e := &codec.Error{Code: codec.CodeInternalError, Message: "tab\there", Data: codec.RawMessage(`{"a":1}`)}
	for name, f := range map[string]func(){
		"request":      func() { codec.V2.AppendRequest(dst, id, "tools/call", params) },
		"notification": func() { codec.V2.AppendNotification(dst, "tools/\"list", params) },
		"result":       func() { codec.V2.AppendResult(dst, id, params) },
		"no result":    func() { codec.Bare.AppendResult(dst, id, nil) },
		"error":        func() { codec.V2.AppendError(dst, id, e) },
		"quote":        func() { codec.AppendQuote(dst, "é\n\xff\"") },
		"unquote":      func() { codec.AppendUnquoted(dst, []byte(`"\u00e9\n\ud83d\ude00"`)) },
		"valid":        func() { codec.Valid(params) },
	} {
		allocates(t, name, f)
	}
	v := &point{X: 1, Name: "name"}
	allocates(t, "Goccy.Append", func() {
		if _, err := codec.Goccy.Append(dst, v); err != nil {
			t.Error(err)
		}
	})
}

// Handing the items of a batch over costs their slice and nothing else.
func TestTakeItemsAllocatesOnce(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p := codec.NewParser(codec.Limits{})
	line := []byte(`[` + strings.Repeat(`{"jsonrpc":"2.0","method":"m"},`, 15) + `{"jsonrpc":"2.0","method":"m"}]`)
	n := testing.AllocsPerRun(20, func() {
		p.Parse(line)
		if got := len(p.TakeItems()); got != 16 {
			panic(fmt.Sprint(got, " items"))
		}
	})
	if n > 6 { // append grows: 1, 2, 4, 8, 16
		t.Errorf("%v allocations", n)
	}
}
