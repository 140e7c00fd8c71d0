package server_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
)

// text is a string in a case: written out, or in parts, of which a pair is a
// string and how often it stands there.
type text string

func (s *text) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(s))
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var b strings.Builder
	for _, part := range parts {
		var (
			piece string
			times = 1
			err   error
		)
		if part[0] == '"' {
			err = json.Unmarshal(part, &piece)
		} else {
			err = json.Unmarshal(part, &[]any{&piece, &times})
		}
		if err != nil {
			return err
		}
		b.WriteString(strings.Repeat(piece, times))
	}
	*s = text(b.String())
	return nil
}

// conformanceCase is a line of testdata/cases.jsonl: what a server is given,
// and what it must say to that, in the form of render.
type conformanceCase struct {
	Name     string
	Report   string // the public bug report that the case comes from
	About    string
	In       text
	InBase64 []byte `json:"in_base64"` // where it is not UTF-8
	Want     []text
	Ordered  bool     // the answers come in this order
	Absent   []string // what the output must not contain
}

// readCases reads a file of one JSON value a line.
func readCases[T any](t testing.TB, path string) (cases []T) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c T
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v: %.200s", path, err, lines.Bytes())
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", path, len(cases), err)
	}
	return cases
}

func TestConformance(t *testing.T) {
	for _, c := range readCases[conformanceCase](t, "testdata/cases.jsonl") {
		input := string(c.In) + string(c.InBase64)
		for how, piece := range map[string]int{"whole": whole, "byte by byte": 1, "seven": 7} {
			if len(input) > 20_000*piece {
				continue // it would only take long
			}
			t.Run(c.Name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var want []string
					for _, w := range c.Want {
						want = append(want, string(w))
					}
					lines := talk(t, conformanceMux(), nil, input, piece)
					compare(t, lines, want, c.Ordered)
					for _, s := range c.Absent {
						if strings.Contains(strings.Join(lines, "\n"), s) {
							t.Errorf("the output contains %q", s)
						}
					}
				})
			})
		}
	}
}

// TestSpecification runs the examples of JSON-RPC 2.0 section 7. The texts of
// errors are free; the order inside a batch is that of the requests.
func TestSpecification(t *testing.T) {
	passed := 0
	rows := readCases[struct {
		Name string
		In   string
		Out  any
	}](t, "testdata/section7.jsonl")
	for _, c := range rows {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got any
				switch lines := talk(t, conformanceMux(), nil, c.In+"\n", whole); len(lines) {
				case 0:
				case 1:
					if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
						t.Fatal(err)
					}
				default:
					t.Fatalf("%d lines: %q", len(lines), lines)
				}
				if !reflect.DeepEqual(plain(got), plain(c.Out)) {
					t.Errorf("got  %v\nwant %v", got, c.Out)
				} else {
					passed++
				}
			})
		})
	}
	if passed != 15 {
		t.Errorf("%d of 15 examples", passed)
	}
}

// plain takes the texts out of errors.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		if e, ok := v["error"].(map[string]any); ok {
			v["error"] = e["code"]
		}
	}
	return v
}

func TestCasesAreReadRight(t *testing.T) {
	var s text
	if err := json.Unmarshal([]byte(`["a",["bc",3],"d"]`), &s); err != nil || s != "abcbcbcd" {
		t.Errorf("got %q, %v", s, err)
	}
}
