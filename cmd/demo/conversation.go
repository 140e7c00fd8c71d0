package main

import "strings"

// maxLine is the bound on the bytes of a line here; the default is 64 MiB.
const maxLine = 4096

// scene is one thing to be shown.
type scene struct {
	title string
	turns []turn
}

// turn is one line that is sent, or one that must come back.
type turn struct {
	kind kind
	text string
}

type kind uint8

const (
	say     kind = iota // send a line
	sayLast             // send a line without its newline, and end the input
	hear                // a line must come: this one, where * is any text
	remark              // nothing happens; it is explained
)

// failure is the beginning of an answer with an error, up to its message.
func failure(id, code string) turn {
	return turn{hear, `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"*"*}}`}
}

// conversation is what is said. Nothing in it depends on how fast anything is:
// where one call overtakes another, the other would have taken a minute.
func conversation() []scene {
	return []scene{
		{"A call and its result", []turn{
			{say, `{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":2,"b":3}}`},
			{hear, `{"jsonrpc":"2.0","id":1,"result":5}`},
		}},
		{"An id comes back byte for byte, wherever it stood in the line", []turn{
			{say, `{"jsonrpc":"2.0","id":9007199254740993,"method":"add","params":{"a":1,"b":1}}`},
			{hear, `{"jsonrpc":"2.0","id":9007199254740993,"result":2}`},
			{say, `{"params":{"a":1,"b":2},"method":"add","jsonrpc":"2.0","id":"caf\u00e9 1"}`},
			{hear, `{"jsonrpc":"2.0","id":"caf\u00e9 1","result":3}`},
			{say, `{"jsonrpc":"2.0","id":1.50,"method":"add","params":{"a":2,"b":2}}`},
			{hear, `{"jsonrpc":"2.0","id":1.50,"result":4}`},
		}},
		{"So do params that a handler passes on as they are", []turn{
			{say, `{"jsonrpc":"2.0","id":2,"method":"echo","params":{"n": 1.0e+2, "big":18446744073709551616, "html":"<&>"}}`},
			{hear, `{"jsonrpc":"2.0","id":2,"result":{"n": 1.0e+2, "big":18446744073709551616, "html":"<&>"}}`},
		}},
		{"A notification is not answered, not even when nobody knows its method", []turn{
			{say, `{"jsonrpc":"2.0","method":"update","params":[1,2,3]}`},
			{say, `{"jsonrpc":"2.0","method":"nobody.knows"}`},
			{say, `{"jsonrpc":"2.0","id":3,"method":"echo","params":["the first answer is this one"]}`},
			{hear, `{"jsonrpc":"2.0","id":3,"result":["the first answer is this one"]}`},
		}},
		{"-32700: broken JSON in mid-stream, and the stream goes on", []turn{
			{say, `{"jsonrpc":"2.0","id":4,"method":"echo","params":[1,2`},
			failure("null", "-32700"),
			{say, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"echo\",\"params\":[\"not UTF-8: \xff\"]}"},
			failure("null", "-32700"),
			{say, `{"jsonrpc":"2.0","id":6,"method":"echo","params":["still here"]}`},
			{hear, `{"jsonrpc":"2.0","id":6,"result":["still here"]}`},
		}},
		{"-32600: JSON, but no request; its id is echoed where it has one", []turn{
			{say, `{"jsonrpc":"1.0","id":7,"method":"echo"}`},
			failure("7", "-32600"),
			{say, `"hello"`},
			failure("null", "-32600"),
		}},
		{"-32601: a method that nobody serves", []turn{
			{say, `{"jsonrpc":"2.0","id":8,"method":"tools/brew"}`},
			failure("8", "-32601"),
		}},
		{"-32602: params that do not fit the handler's Go type", []turn{
			{say, `{"jsonrpc":"2.0","id":9,"method":"add","params":{"a":"two","b":3}}`},
			failure("9", "-32602"),
		}},
		{"-32603: a handler that returns an error, with its Go type and its text", []turn{
			{say, `{"jsonrpc":"2.0","id":10,"method":"boom"}`},
			failure("10", "-32603"),
		}},
		{"A handler that panics harms nobody else", []turn{
			{say, `{"jsonrpc":"2.0","id":11,"method":"panic"}`},
			failure("11", "-32603"),
			{say, `{"jsonrpc":"2.0","id":12,"method":"echo","params":["alive"]}`},
			{hear, `{"jsonrpc":"2.0","id":12,"result":["alive"]}`},
		}},
		{"A batch: one array comes back, without the notification, with the item that is none", []turn{
			{say, `[{"jsonrpc":"2.0","id":13,"method":"sum","params":[1,2,4]},{"jsonrpc":"2.0","method":"update"},7,{"jsonrpc":"2.0","id":14,"method":"subtract","params":[42,23]}]`},
			{hear, `[{"jsonrpc":"2.0","id":13,"result":7},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"*"}},{"jsonrpc":"2.0","id":14,"result":19}]`},
		}},
		{"Two progress notifications leave before the result they announce", []turn{
			{say, `{"jsonrpc":"2.0","id":15,"method":"progress"}`},
			{hear, `{"jsonrpc":"2.0","method":"progress","params":{"step":1}}`},
			{hear, `{"jsonrpc":"2.0","method":"progress","params":{"step":2}}`},
			{hear, `{"jsonrpc":"2.0","id":15,"result":"done"}`},
		}},
		{"A handler calls the client back, and waits for its answer in mid-call", []turn{
			{say, `{"jsonrpc":"2.0","id":16,"method":"greet"}`},
			{hear, `{"jsonrpc":"2.0","id":1,"method":"client/name"}`},
			{say, `{"jsonrpc":"2.0","id":1,"result":"Ada"}`},
			{hear, `{"jsonrpc":"2.0","id":16,"result":"hello, Ada"}`},
		}},
		{"A call that takes a minute is overtaken by a fast one, and cancelled", []turn{
			{say, `{"jsonrpc":"2.0","id":17,"method":"slow","params":{"ms":60000}}`},
			{say, `{"jsonrpc":"2.0","id":18,"method":"echo","params":["fast"]}`},
			{hear, `{"jsonrpc":"2.0","id":18,"result":["fast"]}`},
			{say, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":17}}`},
			failure("17", "-32800"),
		}},
		{"A line above the bound (here 4 KiB) is skipped, not fatal", []turn{
			{say, `{"jsonrpc":"2.0","id":19,"method":"echo","params":["` + strings.Repeat("x", 2*maxLine) + `"]}`},
			failure("null", "-32600"),
			{say, `{"jsonrpc":"2.0","id":20,"method":"echo","params":["short again"]}`},
			{hear, `{"jsonrpc":"2.0","id":20,"result":["short again"]}`},
		}},
		{"The input ends behind a call without a newline: it is answered before the server ends", []turn{
			{sayLast, `{"jsonrpc":"2.0","id":21,"method":"slow","params":{"ms":20}}`},
			{remark, "(end of input)"},
			{hear, `{"jsonrpc":"2.0","id":21,"result":"done"}`},
		}},
	}
}
