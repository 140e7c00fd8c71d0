package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

var update = flag.Bool("update", false, "write testdata/conversation.txt anew")

// serveEnv makes the test binary the demo's server.
const serveEnv = "LINERPC_DEMO_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		os.Exit(run([]string{"serve"}, os.Stdout, os.Stderr))
	}
	flag.Parse()
	os.Exit(m.Run())
}

// printed runs the conversation and gives what it prints.
func printed(t *testing.T, colour bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := converse(context.Background(), newPrinter(&out, colour), conversation()); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

// The page says what a reader sees. Where a text was changed on purpose:
// go test ./cmd/demo -update
func TestConversationIsAsOnFile(t *testing.T) {
	const page = "testdata/conversation.txt"
	got := printed(t, false)
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("line %d is\n%s\nand on file (-update writes it anew)\n%s", i+1, gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		t.Fatalf("%d lines, on file %d", len(gotLines), len(wantLines))
	}
}

func TestConversationIsTheSameEveryTime(t *testing.T) {
	first := printed(t, false)
	for range 5 {
		if next := printed(t, false); next != first {
			t.Fatalf("first\n%s\nthen\n%s", first, next)
		}
	}
}

func TestConversationHasEveryCode(t *testing.T) {
	out := printed(t, false)
	for _, code := range []string{"-32700", "-32600", "-32601", "-32602", "-32603", "-32800"} {
		if !strings.Contains(out, `"error":{"code":`+code+`,`) {
			t.Errorf("no answer with code %s", code)
		}
	}
}

func TestColoursAddNothingElse(t *testing.T) {
	plain, coloured := printed(t, false), printed(t, true)
	if strings.Contains(plain, "\x1b") {
		t.Error("escape sequences where none are wanted")
	}
	stripped := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured, "")
	if stripped != plain || coloured == plain {
		t.Errorf("coloured:\n%s", coloured)
	}
}

// In a pipe and in a file it is plain; on a terminal unless NO_COLOR is set.
func TestWantsColour(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if wantsColour(file) || wantsColour(w) {
		t.Error("colours in a file or in a pipe")
	}
	if got := wantsColour(device); got != (runtime.GOOS != "windows") {
		t.Errorf("on a device: %v", got)
	}
	t.Setenv("NO_COLOR", "1")
	if wantsColour(device) {
		t.Error("colours in spite of NO_COLOR")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if wantsColour(device) {
		t.Error("colours on a dumb terminal")
	}
}

func TestBytesForTheTerminalAreNotPassedOn(t *testing.T) {
	if got := shown("a\x1b[31mb\x7f\xff\r"); got != "a�[31mb���" {
		t.Errorf("%q", got)
	}
	if got := shown(strings.Repeat("é", maxShown)); !strings.HasSuffix(got, "… (480 bytes)") || len(got) > maxShown {
		t.Errorf("%q", got)
	}
}

// A wrong answer, a missing one and one too many all make it fail.
func TestWrongAnswersFail(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`
	const answer = `{"jsonrpc":"2.0","id":1,"result":[1]}`
	for _, test := range []struct {
		name  string
		turns []turn
		want  string
		is    error
	}{
		{"right", []turn{{sayLast, call}, {hear, answer}}, "", nil},
		{"wrong", []turn{{say, call}, {hear, `{"jsonrpc":"2.0","id":1,"result":[2]}`}}, "expected", nil},
		{"missing", []turn{{say, call}, {hear, answer}, {hear, answer}}, "expected", errSilent},
		{"missing at the end", []turn{{sayLast, call}, {hear, answer}, {hear, answer}}, "expected", io.ErrUnexpectedEOF},
		{"one too many", []turn{{sayLast, call}}, answer, errExtra},
		{"no end", []turn{{say, call}, {hear, answer}}, "did not end", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := converse(t.Context(), newPrinter(io.Discard, false), []scene{{"a scene", test.turns}})
				switch {
				case test.want == "" && err != nil:
					t.Fatal(err)
				case test.want == "":
				case err == nil || !strings.Contains(err.Error(), test.want):
					t.Errorf("error %v; want one with %q", err, test.want)
				case test.is != nil && !errors.Is(err, test.is):
					t.Errorf("error %v is not %v", err, test.is)
				}
			})
		})
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, line string
		want          bool
	}{
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"a*c", "abc", true},
		{"a*c", "ac", true},
		{"a*c", "ab", false},
		{"ab*bc", "abc", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a12c", false},
		{"*", "", true},
	} {
		if got := matches(test.pattern, test.line); got != test.want {
			t.Errorf("matches(%q, %q) = %v", test.pattern, test.line, got)
		}
	}
}

// status runs the command line and gives what it wrote to both outputs.
func status(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	code = run(args, out, &errs)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(text), errs.String()
}

func TestCommandLine(t *testing.T) {
	if code, out, errs := status(t); code != 0 || errs != "" || out != printed(t, false) {
		t.Errorf("status %d, %q\n%s", code, errs, out)
	}
	for _, help := range []string{"-h", "--help", "help"} {
		if code, out, errs := status(t, help); code != 0 || errs != "" || !strings.Contains(out, "go run ./cmd/demo serve") || !strings.Contains(out, "\n  progress\n") {
			t.Errorf("%s: status %d, %q\n%s", help, code, errs, out)
		}
	}
	for _, wrong := range [][]string{{"server"}, {"serve", "now"}, {"-x"}} {
		if code, out, errs := status(t, wrong...); code != 2 || out != "" || !strings.Contains(errs, "go run ./cmd/demo") {
			t.Errorf("%q: status %d, %q, %q", wrong, code, out, errs)
		}
	}
}

func TestServe(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"=1")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":2,"b":3}}` + "\n")
	out, err := cmd.Output()
	if want := `{"jsonrpc":"2.0","id":1,"result":5}` + "\n"; err != nil || string(out) != want {
		t.Errorf("%v, %q", err, out)
	}
}
