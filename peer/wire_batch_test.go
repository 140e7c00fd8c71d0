package peer_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/peer"
)

// array makes one line of several.
func array(lines ...string) string {
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return "[" + strings.Join(lines, ",") + "]\n"
}

func TestBatches(t *testing.T) {
	many := make([]string, 1001)
	for i := range many {
		many[i] = call(strconv.Itoa(i), "nothing", "")
	}
	runRows(t, alive([]row{
		{name: "empty", in: "[]\n", want: []string{"null error -32600 *"}},
		{name: "empty with blanks", in: " [ \t] \r\n", want: []string{"null error -32600 *"}},
		{name: "in request order", in: array(call("1", "slow", ""), call("2", "echo", "[2]"), call("3", "nothing", "")),
			want: []string{`[1 result "slow"; 2 result [2]; 3 result null]`}},
		{name: "one call gives an array of one", in: array(call("1", "echo", "[1]")), want: []string{"[1 result [1]]"}},
		{name: "invalid items", in: "[1,2,null]\n", want: []string{"[null error -32600 *; null error -32600 *; null error -32600 *]"}},
		{name: "the rules of single messages", in: array(
			call("1", "echo", "[1]"), note("echo", "[7]"), `{"foo":"boo"}`, call("true", "echo", ""), `{"jsonrpc":"2.0","id":4,"method":1}`,
			call("5", "foo.get", ""), `{"id":6,"method":"echo"}`, call("7", "boom", ""), call("8", "panic", ""), call("9", "goexit", ""),
			`{"jsonrpc":"2.0","id":1,"result":1}`, call("null", "echo", "[3]"), "[]", `"x"`, call("10", "echo", "null")),
			want: []string{`[1 result [1]; null error -32600 *; null error -32600 *; 4 error -32600 *; 5 error -32601 *; 6 error -32600 *; ` +
				`7 error -32603 *; 8 error -32603 *; 9 error -32603 *; null result [3]; null error -32600 *; null error -32600 *; 10 result null]`}},
		{name: "only notifications", in: array(note("echo", ""), note("boom", ""), note("nosuch", ""))},
		{name: "only responses", in: array(`{"jsonrpc":"2.0","id":1,"result":1}`)},
		{name: "at the bound", in: array(many[:1000]...), want: []string{"[0 result null; *; 999 result null]"}, cut: true},
		{name: "above the bound nothing runs", in: array(append(many[:1000:1000], note("progress", ""))...), want: []string{"null error -32600 *"}, cut: true},
		{name: "another bound", opts: &peer.Options{MaxBatch: 2}, in: array(call("1", "id", ""), call("2", "id", "")) + array(call("1", "id", ""), "1", "2"),
			want: []string{"[1 result 1; 2 result 2]", "null error -32600 *"}},
		{name: "no bound", opts: &peer.Options{MaxBatch: -1}, in: array(many...), want: []string{"[0 result null; *; 1000 result null]"}, cut: true},
		{name: "a nested array is no batch", in: "[[" + strings.TrimSpace(call("1", "echo", "")) + "]]\n", want: []string{"[null error -32600 *]"}},
		{name: "cancelled by its id", in: array(call("1", "wait", ""), call("2", "echo", "[2]")) + note("$/cancelRequest", `{"id":1}`),
			want: []string{"[1 error -32800 *; 2 result [2]]"}},
		{name: "a barrier inside", in: array(note("slow", ""), call("2", "echo", "[2]"), note("slow", ""), call("3", "echo", "[3]")),
			want: []string{"[2 result [2]; 3 result [3]]"}},
		{name: "bounded to one handler", opts: &peer.Options{MaxHandlers: 1}, in: array(call("1", "slow", ""), call("2", "slow", ""), call("3", "echo", "[3]")),
			want: []string{`[1 result "slow"; 2 result "slow"; 3 result [3]]`}},
	}))
}

func TestBatchesAtTheSameTime(t *testing.T) {
	runRows(t, []row{{
		name: "what items send leaves at once", in: array(call("1", "progress", ""), call("2", "slow", "")), order: true,
		want: []string{"note progress [1]", "note progress [2]", `[1 result "done"; 2 result "slow"]`},
	}, {
		name: "slow ones",
		in:   array(call("1", "slow", ""), call("2", "slow", "")) + array(call("3", "echo", "[3]"), call("4", "slow", "")) + call("5", "echo", "[5]"),
		want: []string{"5 result [5]", `[1 result "slow"; 2 result "slow"]`, `[3 result [3]; 4 result "slow"]`},
	}})
}
