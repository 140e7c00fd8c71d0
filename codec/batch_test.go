package codec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/codec"
)

func TestBatches(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":1,"method":"m"}`
	calls := func(n int) string { return "[" + strings.Repeat(call+",", n-1) + call + "]" }
	fault := func(l codec.Limits, line string) codec.Fault {
		m := codec.NewParser(l).Parse([]byte(line))
		if m.Fault != codec.FaultNone && (m.Kind != codec.Invalid || m.Items != nil || m.ID != nil) {
			t.Errorf("%.40s: a refused batch left %v, %d items", line, m.Kind, len(m.Items))
		}
		if m.Fault == codec.FaultNone && m.Kind != codec.Batch {
			t.Errorf("%.40s: kind %v", line, m.Kind)
		}
		return m.Fault
	}
	for _, c := range []struct {
		name string
		l    codec.Limits
		line string
		want codec.Fault
	}{
		{"empty", codec.Limits{}, `[]`, codec.FaultEmptyBatch},
		{"empty with blanks", codec.Limits{}, ` [ ] `, codec.FaultEmptyBatch},
		{"one", codec.Limits{}, calls(1), codec.FaultNone},
		{"the default bound", codec.Limits{}, calls(codec.DefaultMaxItems), codec.FaultNone},
		{"over the default bound", codec.Limits{}, calls(codec.DefaultMaxItems + 1), codec.FaultItems},
		{"a bound", codec.Limits{MaxItems: 3}, calls(3), codec.FaultNone},
		{"over a bound", codec.Limits{MaxItems: 3}, calls(4), codec.FaultItems},
		{"over a bound by numbers", codec.Limits{MaxItems: 3}, `[1,2,3,4]`, codec.FaultItems},
		{"no bound", codec.Limits{MaxItems: -1}, calls(5000), codec.FaultNone},
		{"not allowed", codec.Limits{NoBatch: true}, calls(1), codec.FaultNoBatch},
		{"empty and not allowed", codec.Limits{NoBatch: true}, `[]`, codec.FaultNoBatch},
		{"over the bound and wrong behind it", codec.Limits{MaxItems: 1}, `[1,2,tru]`, codec.FaultSyntax},
		{"not allowed and wrong", codec.Limits{NoBatch: true}, `[1,{"a":}]`, codec.FaultSyntax},
	} {
		if got := fault(c.l, c.line); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}

	m := codec.NewParser(codec.Limits{}).Parse([]byte(`[1, "s" ,null,[],[[` + call + `]],{},` + call + `,{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"result":0}]`))
	type item struct {
		kind  codec.Kind
		fault codec.Fault
	}
	var got []item
	for _, m := range m.Items {
		got = append(got, item{m.Kind, m.Fault})
	}
	want := []item{
		{0, codec.FaultNotObject}, {0, codec.FaultNotObject}, {0, codec.FaultNotObject},
		{0, codec.FaultNotObject}, {0, codec.FaultNotObject}, // arrays in arrays are no batches
		{0, codec.FaultVersion}, {codec.Request, 0}, {codec.Notification, 0}, {codec.Response, 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Escaped names of several items share one scratch buffer: growing it must not
// take earlier ones along.
func TestBatchEscapedMethods(t *testing.T) {
	var lines, names []string
	for i := range 300 {
		name := fmt.Sprintf("method/%d/%s", i, strings.Repeat("x", i))
		names = append(names, name)
		lines = append(lines, `{"jsonrpc":"2.0","id":1,"method":"`+strings.ReplaceAll(name, "/", `\/`)+`"}`)
	}
	m := codec.NewParser(codec.Limits{}).Parse([]byte("[" + strings.Join(lines, ",") + "]"))
	for i, name := range names {
		if string(m.Items[i].Method) != name {
			t.Fatalf("item %d: %q", i, m.Items[i].Method)
		}
	}
}

// TakeItems gives the items away: later lines leave them alone.
func TestTakeItems(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	first := []byte(`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]`)
	p.Parse(first)
	items := p.TakeItems()
	if m := p.Parse([]byte(`[{"jsonrpc":"2.0","id":3,"method":"c"},{"jsonrpc":"2.0","id":4,"method":"d"},5]`)); len(m.Items) != 3 {
		t.Fatalf("second batch: %d items", len(m.Items))
	}
	if len(items) != 2 || string(items[0].ID) != "1" || string(items[1].Method) != "b" {
		t.Errorf("items taken: %+v", items)
	}
	if m := p.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)); m.Items != nil {
		t.Error("a single message has items")
	}
	if items := p.TakeItems(); len(items) != 0 {
		t.Errorf("items of a single message: %d", len(items))
	}
}

// What a Parser hands out are slices of the line, cut so that appending to one
// can't write into the line.
func TestBorrowedSlices(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	line := []byte(`{"jsonrpc":"2.0","id":12,"method":"mm","params":[1]}`)
	m := p.Parse(line)
	for _, s := range [][]byte{m.ID, m.Method, m.Params} {
		i := strings.Index(string(line), string(s))
		if &s[0] != &line[i] {
			t.Errorf("%s is a copy", s)
		}
	}
	for _, s := range [][]byte{m.ID, m.Params} {
		if cap(s) != len(s) {
			t.Errorf("%s has room for %d bytes", s, cap(s))
		}
	}
	// The message is one object per Parser; the next Parse overwrites it.
	if p.Parse([]byte(`{}`)) != m || m.ID != nil || m.Kind != codec.Invalid {
		t.Error("the message was not used again")
	}
}
