package server_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

type point struct{ X, Y float64 }

// seen registers a method that answers what it was given, as Go prints it.
func seen[P any](mux *server.Mux, name string, opts ...server.HandleOption) {
	server.Handle(mux, name, func(_ context.Context, p P) (string, error) {
		return strings.ReplaceAll(fmt.Sprintf("%+v", p), `"`, "'"), nil
	}, opts...)
}

func paramsMux() *server.Mux {
	mux := server.NewMux()
	seen[point](mux, "struct")
	seen[struct{}](mux, "empty")
	seen[map[string]int](mux, "map")
	seen[[]int](mux, "slice")
	seen[[2]int](mux, "array")
	seen[any](mux, "any")
	seen[int](mux, "int")
	seen[string](mux, "string")
	server.Handle(mux, "pointer", func(_ context.Context, p *point) (any, error) { return p, nil })
	server.Handle(mux, "raw", func(_ context.Context, p codec.RawMessage) (codec.RawMessage, error) { return p, nil })
	seen[point](mux, "positional", server.Positional("x", "y"))
	seen[*point](mux, "positional pointer", server.Positional("x", "y"))
	seen[map[string]any](mux, "positional map", server.Positional("a", `b"\`))
	seen[[]int](mux, "positional slice", server.Positional("a"))
	seen[point](mux, "no positions", server.Positional())
	return mux
}

func TestParams(t *testing.T) {
	const (
		wrong   = "1 error -32602 Invalid params*"
		missing = "1 error -32602 Invalid params*missing*"
	)
	for _, c := range []struct{ method, params, want string }{
		{"struct", `{"x":1,"y":2}`, `1 result "{X:1 Y:2}"`},
		{"struct", `{"X":1,"y":2,"Y":3,"z":[]}`, `1 result "{X:1 Y:3}"`}, // without regard to case; the last wins; unknown ones ignored
		{"struct", `{}`, `1 result "{X:0 Y:0}"`},
		{"struct", `{"x":null}`, `1 result "{X:0 Y:0}"`},
		{"struct", ``, missing},
		{"struct", `null`, missing},
		{"struct", `[1,2]`, wrong},
		{"struct", `{"x":"1"}`, wrong},
		{"struct", `{"x":1e400}`, wrong},
		{"empty", ``, `1 result "{}"`},
		{"empty", `null`, `1 result "{}"`},
		{"empty", `{}`, `1 result "{}"`},
		{"empty", `{"a":1}`, `1 result "{}"`},
		{"empty", `[1]`, `1 result "{}"`},
		{"map", ``, `1 result "map[]"`},
		{"map", `{"a":1}`, `1 result "map[a:1]"`},
		{"map", `[1]`, wrong},
		{"slice", ``, `1 result "[]"`},
		{"slice", `null`, `1 result "[]"`},
		{"slice", `[1,2]`, `1 result "[1 2]"`},
		{"slice", `{"a":1}`, wrong},
		{"array", `[1,2]`, `1 result "[1 2]"`},
		{"array", ``, missing},
		{"any", ``, `1 result "<nil>"`},
		{"any", `[1,"a"]`, `1 result "[1 a]"`},
		{"any", `{"a":null}`, `1 result "map[a:<nil>]"`},
		{"int", ``, missing},
		{"int", `[1]`, wrong},
		{"string", `{}`, wrong},
		{"pointer", ``, `1 result null`},
		{"pointer", `null`, `1 result null`},
		{"pointer", `{"x":1}`, `1 result {"X":1,"Y":0}`},
		{"pointer", `{"x":[]}`, wrong},
		{"raw", ``, `1 result null`},
		{"raw", `{"a" : 1.0,  "\u0062":[]}`, `1 result {"a" : 1.0,  "\u0062":[]}`},
		{"positional", `[1,2]`, `1 result "{X:1 Y:2}"`},
		{"positional", `{"y":2,"x":1}`, `1 result "{X:1 Y:2}"`},
		{"positional", `[1]`, `1 result "{X:1 Y:0}"`},
		{"positional", `[]`, `1 result "{X:0 Y:0}"`},
		{"positional", `[null, 3]`, `1 result "{X:0 Y:3}"`},
		{"positional", `[1,2,3]`, wrong},
		{"positional", `["1",2]`, wrong},
		{"positional", `[[1],2]`, wrong},
		{"positional", ``, missing},
		{"positional", `null`, missing},
		{"positional pointer", `[1,2]`, `1 result "*"`},
		{"positional pointer", ``, `1 result "<nil>"`},
		{"positional map", ` [ "]" , {"c":[1,2]} ] `, `1 result "map[a:] b'\\:map[c:[1 2]]]"`},
		{"positional slice", `[1]`, wrong},
		{"no positions", `[1]`, wrong},
	} {
		t.Run(c.method+c.params, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// Twice: the first time beside the reader, later inline.
				in := call("1", c.method, c.params) + note(c.method, c.params) + array(call("2", c.method, c.params))
				compare(t, talk(t, paramsMux(), nil, in, whole), []string{c.want, "[2" + c.want[1:] + "]"}, false)
			})
		})
	}
}

func array(lines ...string) string {
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return "[" + strings.Join(lines, ",") + "]\n"
}

// TestWrongParamsSayWhere: who reads the answer should find the culprit.
func TestWrongParamsSayWhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type file struct {
			Path string `json:"path"`
			Size int    `json:"size"`
		}
		mux := server.NewMux()
		seen[file](mux, "open")
		compare(t, talk(t, mux, nil, call("1", "open", `{"path":"a","size":"large"}`), whole), []string{"1 error -32602 Invalid params: *ize*"}, true)
	})
}

func TestTypedResults(t *testing.T) {
	type node struct {
		Next *node            `json:"next,omitempty"`
		Raw  codec.RawMessage `json:"raw,omitempty"`
	}
	mux := server.NewMux()
	add := func(name string, result any, err error) {
		server.Handle(mux, name, func(context.Context, struct{}) (any, error) { return result, err })
	}
	server.Handle(mux, "nil pointer", func(context.Context, struct{}) (*point, error) { return nil, nil })
	server.Handle(mux, "pointer", func(context.Context, struct{}) (*point, error) { return &point{1, 2}, nil })
	server.Handle(mux, "struct", func(context.Context, struct{}) (point, error) { return point{1, 2.5}, nil })
	server.Handle(mux, "nil slice", func(context.Context, struct{}) ([]int, error) { return nil, nil })
	server.Handle(mux, "nil map", func(context.Context, struct{}) (map[string]int, error) { return nil, nil })
	server.Handle(mux, "empty", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	server.Handle(mux, "text", func(context.Context, struct{}) (string, error) { return "<a&b>\n\u2028é\xff", nil })
	server.Handle(mux, "raw", func(context.Context, struct{}) (codec.RawMessage, error) { return codec.RawMessage(`{"a" : 1.0}`), nil })
	server.Handle(mux, "raw nil", func(context.Context, struct{}) (codec.RawMessage, error) { return nil, nil })
	server.Handle(mux, "raw empty", func(context.Context, struct{}) (codec.RawMessage, error) { return codec.RawMessage{}, nil })
	server.Handle(mux, "raw forging", func(context.Context, struct{}) (codec.RawMessage, error) {
		return codec.RawMessage(`1},"error":{"code":1`), nil
	})
	server.Handle(mux, "raw line", func(context.Context, struct{}) (codec.RawMessage, error) {
		return codec.RawMessage("1}\n{\"id\":2,\"result\":1"), nil
	})
	server.Handle(mux, "raw newlines", func(context.Context, struct{}) (codec.RawMessage, error) { return codec.RawMessage("[1,\n2]"), nil })
	server.Handle(mux, "raw pointer", func(context.Context, struct{}) (*codec.RawMessage, error) {
		raw := codec.RawMessage("{} x")
		return &raw, nil
	})
	server.Handle(mux, "NaN", func(context.Context, struct{}) (float64, error) { return math.NaN(), nil })
	server.Handle(mux, "Inf inside", func(context.Context, struct{}) ([]point, error) { return []point{{1, 2}, {math.Inf(1), 0}}, nil })
	server.Handle(mux, "both", func(context.Context, struct{}) (int, error) { return 5, errors.New("no") })
	add("any raw", codec.RawMessage(`{"a" : 1}`), nil)
	add("any bad raw", codec.RawMessage(`{`), nil)
	add("bad raw inside", node{Next: &node{Raw: codec.RawMessage(`1},{`)}}, nil)
	add("channel", make(chan int), nil)
	add("nil", nil, nil)
	add("wrapped error", nil, fmt.Errorf("x: %w", &codec.Error{Code: 7, Message: "seven"}))
	server.HandleNotification(mux, "note", func(context.Context, point) error { return nil })
	for method, want := range map[string]string{
		"nil pointer": "null", "pointer": `{"X":1,"Y":2}`, "struct": `{"X":1,"Y":2.5}`, "nil slice": "null", "nil map": "null", "empty": "{}",
		"text": `"<a&b>\n\u2028é\ufffd"`, "raw": `{"a" : 1.0}`, "raw nil": "null", "raw empty": "", "raw forging": "", "raw line": "", "raw newlines": "[1, 2]",
		"raw pointer": "", "NaN": "", "Inf inside": "", "both": "", "any raw": `{"a" : 1}`, "any bad raw": "", "bad raw inside": "", "channel": "", "nil": "null",
		"wrapped error": "7 seven", "note": "-32602 *",
	} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				switch {
				case want == "":
					want = "1 error -32603 *"
				case method == "wrapped error" || method == "note":
					want = "1 error " + want
				default:
					want = "1 result " + want
				}
				in := call("1", method, "") + note(method, "") + array(call("2", method, ""), note(method, "")) + call("3", "nil", "")
				compare(t, talk(t, mux, nil, in, whole), []string{want, "[2" + want[1:] + "]", "3 result null"}, false)
			})
		})
	}
}

// TestDecodedValuesAliasNothing keeps what handlers were given and looks at it
// when the memory of their lines has been used again and again.
func TestDecodedValuesAliasNothing(t *testing.T) {
	type deep struct {
		S string
		B []byte
		M map[string]string
		A any
		R codec.RawMessage
		P *string
	}
	var (
		mu   sync.Mutex
		kept []deep
		raws []codec.RawMessage
		anys []any
		ids  []string
	)
	mux := server.NewMux()
	server.Handle(mux, "deep", func(_ context.Context, p deep) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		kept = append(kept, p)
		return nil, nil
	})
	server.Handle(mux, "raw", func(_ context.Context, p codec.RawMessage) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		raws = append(raws, p)
		return nil, nil
	})
	server.Handle(mux, "any", func(_ context.Context, p any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		anys = append(anys, p)
		return nil, nil
	})
	server.Handle(mux, "positional", func(_ context.Context, p struct{ ID string }) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		ids = append(ids, p.ID)
		return nil, nil
	}, server.Positional("id"))
	const n = 200
	var in strings.Builder
	for i := range n {
		s := fmt.Sprintf("%04d-%s", i, strings.Repeat(string(rune('a'+i%26)), 10+i))
		params := fmt.Sprintf(`{"s":"%s","b":"QUJD","m":{"%s":"%s"},"a":["%s"],"r":{"r":"%s"},"p":"%s"}`, s, s, s, s, s, s)
		id := fmt.Sprint(4*i + 4)
		in.WriteString(call(id+"0", "deep", params) + call(id+"1", "raw", params) + call(id+"2", "any", params) + call(id+"3", "positional", `["`+s+`"]`))
	}
	synctest.Test(t, func(t *testing.T) {
		if lines := talk(t, mux, nil, in.String(), whole); len(lines) != 4*n {
			t.Errorf("%d answers", len(lines))
		}
	})
	whole := func(s string) bool {
		var i int
		fmt.Sscanf(s, "%04d", &i)
		return s == fmt.Sprintf("%04d-%s", i, strings.Repeat(string(rune('a'+i%26)), 10+i))
	}
	for _, p := range kept {
		if !whole(p.S) || p.M[p.S] != p.S || *p.P != p.S || string(p.B) != "ABC" || !reflect.DeepEqual(p.A, []any{p.S}) || string(p.R) != `{"r":"`+p.S+`"}` {
			t.Fatalf("spoilt: %+v", p)
		}
	}
	for _, raw := range raws {
		var p deep
		if err := codec.Std.Decode(raw, &p); err != nil || !whole(p.S) {
			t.Fatalf("spoilt: %s", raw)
		}
	}
	for _, v := range anys {
		if s, _ := v.(map[string]any)["s"].(string); !whole(s) {
			t.Fatalf("spoilt: %v", v)
		}
	}
	for _, id := range ids {
		if !whole(id) {
			t.Fatalf("spoilt: %q", id)
		}
	}
	if len(kept) != n || len(raws) != n || len(anys) != n || len(ids) != n {
		t.Errorf("%d %d %d %d kept", len(kept), len(raws), len(anys), len(ids))
	}
}

// TestCallsDoNotMix: what one call leaves behind, by panic, error or half
// decoded params, must not be seen by another.
func TestCallsDoNotMix(t *testing.T) {
	type params struct {
		Who  string
		List []string
		Do   string
	}
	type result struct {
		Who  string
		List []string
		Note string `json:",omitempty"`
	}
	mux := server.NewMux()
	server.Handle(mux, "m", func(_ context.Context, p params) (result, error) {
		switch p.Do {
		case "panic":
			panic(p.Who)
		case "fail":
			return result{Who: "leaked", Note: "leaked"}, errors.New("failed")
		case "note":
			return result{Who: p.Who, Note: "a note"}, nil
		}
		return result{Who: p.Who, List: p.List}, nil
	})
	var in strings.Builder
	var want []string
	for i := range 100 {
		id := fmt.Sprint(1000 + i)
		switch i % 5 {
		case 0:
			in.WriteString(call(id, "m", `{"who":"a","list":["x","y"],"do":"panic"}`))
			want = append(want, id+" error -32603 *panic*")
		case 1:
			in.WriteString(call(id, "m", `{"who":"b","list":["x","y"],"do":"fail"}`))
			want = append(want, id+" error -32603 *failed*")
		case 2:
			in.WriteString(call(id, "m", `{"who":"c","list":["x","y",5]}`))
			want = append(want, id+" error -32602 *")
		case 3:
			in.WriteString(call(id, "m", `{"who":"d","list":["x"],"do":"note"}`))
			want = append(want, id+` result {"Who":"d","List":null,"Note":"a note"}`)
		case 4:
			in.WriteString(call(id, "m", `{}`))
			want = append(want, id+` result {"Who":"","List":null}`)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		compare(t, talk(t, mux, nil, in.String(), whole), want, false)
	})
}
