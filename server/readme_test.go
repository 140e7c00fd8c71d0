package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const (
	readmeServer = "testdata/readme/main.go"
	readmeClient = "../client/testdata/readme/main.go"
)

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// A snippet stands in the README behind the name of a file, or of a function
// in a file, whose text it must have: what is compiled and run is what is read.
var snippet = regexp.MustCompile("(?s)<!-- from: (\\S+)(?: (\\S+))? -->\n```go\n(.*?)```")

func TestReadmeSnippetsAreTheCode(t *testing.T) {
	readme := readText(t, "../README.md")
	found := snippet.FindAllStringSubmatch(readme, -1)
	if all := strings.Count(readme, "```go"); len(found) != all || all == 0 {
		t.Fatalf("%d Go snippets, and %d of them say where they are from", all, len(found))
	}
	for _, m := range found {
		want := readText(t, filepath.Join("..", m[1]))
		if m[2] != "" {
			want = function(t, want, m[2])
		}
		if m[3] != want {
			t.Errorf("the snippet from %s %s is\n%s\nthe code\n%s", m[1], m[2], m[3], want)
		}
	}
}

// function gives the text of a function with its comment, or of an example
// what stands between its braces.
func function(t *testing.T, src, name string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	text := func(from, to token.Pos) string {
		return src[fset.Position(from).Offset:fset.Position(to).Offset]
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name {
			continue
		}
		if strings.HasPrefix(name, "Example") {
			body := strings.Trim(text(f.Body.Lbrace+1, f.Body.Rbrace), "\n")
			return strings.ReplaceAll(strings.TrimPrefix(body, "\t"), "\n\t", "\n") + "\n"
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		return text(from, f.End()) + "\n"
	}
	t.Fatalf("no function %s", name)
	return ""
}

func TestReadmeServerFitsInFifteenLines(t *testing.T) {
	if n := strings.Count(readText(t, readmeServer), "\n"); n > 15 {
		t.Errorf("%d lines", n)
	}
}

// build builds the program that a file is, under that name.
func build(t *testing.T, main, name string) (program string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command to build it with")
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command(goTool, "build", "-o", name, "./"+filepath.ToSlash(filepath.Dir(main))).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// The client of the README is built, and prints what the README says of it.
func TestReadmeClientRuns(t *testing.T) {
	dir := t.TempDir()
	build(t, readmeServer, filepath.Join(dir, "server"))
	cmd := exec.Command(build(t, readmeClient, filepath.Join(dir, "client")))
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil || string(out) != "5 <nil>\n" {
		t.Errorf("%v, %q", err, out)
	}
	if !strings.Contains(readText(t, "../README.md"), "prints `"+strings.TrimSpace(string(out))+"`") {
		t.Error("the README says something else")
	}
}

// The server of the README is built, and answers what the README says it does.
func TestReadmeServerRuns(t *testing.T) {
	program := build(t, readmeServer, filepath.Join(t.TempDir(), "readme"))
	request := `{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":2,"b":3}}`
	answer := `{"jsonrpc":"2.0","id":1,"result":5}`
	if readme := readText(t, "../README.md"); !strings.Contains(readme, request) || !strings.Contains(readme, answer) {
		t.Error("the README shows another call")
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(request + "\n")
	if out, err := cmd.Output(); err != nil || string(out) != answer+"\n" {
		t.Errorf("%v, %q", err, out)
	}
}

var (
	tableRow = regexp.MustCompile(`(?m)^\| ([A-Z]\w+) \| (.+?) \| (.+) \|$`)
	docRow   = regexp.MustCompile(`(?m)^//\t([A-Z]\w+) +(\S+(?: \S+)*?) {2,}(.+)$`)
)

// The README's tables of bounds are those of peer.Options and client.Options.
func TestReadmeBoundsAreThoseOfOptions(t *testing.T) {
	var readme, options []string
	for _, m := range tableRow.FindAllStringSubmatch(readText(t, "../README.md"), -1) {
		readme = append(readme, strings.Join(m[1:], " | "))
	}
	for _, path := range []string{"../peer/options.go", "../client/options.go"} {
		rows := docRow.FindAllStringSubmatch(readText(t, path), -1)
		if len(rows) == 0 {
			t.Errorf("%s has no table", path)
		}
		for _, m := range rows {
			options = append(options, strings.Join(m[1:], " | "))
		}
	}
	if got, want := strings.Join(readme, "\n"), strings.Join(options, "\n"); got != want {
		t.Errorf("the README says\n%s\nthe options\n%s", got, want)
	}
}

var codeBlock = regexp.MustCompile("(?s)```.*?```")

func TestReadmeLinksLeadSomewhere(t *testing.T) {
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"} {
		text := codeBlock.ReplaceAllString(readText(t, filepath.Join("..", page)), "")
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// The tests that the README names as proof are there.
func TestReadmeNamesTests(t *testing.T) {
	paths, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, path := range paths {
		tests.WriteString(readText(t, path))
	}
	names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(readText(t, "../README.md"), -1)
	if len(names) == 0 {
		t.Error("none is named")
	}
	for _, m := range names {
		if !strings.Contains(tests.String(), "\nfunc "+m[1]+"(") {
			t.Errorf("there is no %s", m[1])
		}
	}
}
