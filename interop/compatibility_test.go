package interop

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const page = "../docs/compatibility.md"

// The tests that the page names as proof are there, and each test is named.
func TestCompatibilityNamesTests(t *testing.T) {
	paths, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	proofs := map[string]bool{}
	for _, path := range paths {
		if !strings.HasPrefix(path, "serve_") && !strings.HasPrefix(path, "drive_") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read(t, path), -1) {
			proofs[m[1]] = false
		}
	}
	for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(read(t, page), -1) {
		if _, there := proofs[m[1]]; !there {
			t.Errorf("there is no %s", m[1])
		}
		proofs[m[1]] = true
	}
	for name, named := range proofs {
		if !named {
			t.Errorf("%s is not named", name)
		}
	}
}

// The versions on the page are those that run.
func TestCompatibilityVersions(t *testing.T) {
	pinned := read(t, "go.mod") + read(t, "package.json")
	rows := regexp.MustCompile("`([\\w@./-]+)` (v?[0-9][0-9.]+[0-9])").FindAllStringSubmatch(read(t, page), -1)
	if len(rows) < 10 {
		t.Errorf("%d versions were found", len(rows))
	}
	for _, m := range rows {
		if !strings.Contains(pinned, m[1]+" "+m[2]) && !strings.Contains(pinned, `"`+m[1]+`": "`+m[2]+`"`) {
			t.Errorf("%s is not pinned at %s", m[1], m[2])
		}
	}
}

// The lock names no registry, so that whoever installs chooses it.
func TestLockNamesNoRegistry(t *testing.T) {
	if lock := read(t, "package-lock.json"); strings.Contains(lock, `"resolved"`) || !strings.Contains(lock, `"integrity"`) {
		t.Error("package-lock.json says where packages come from, or lacks their sums")
	}
}
