package client

import (
	"slices"
	"testing"
)

func TestTail(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		in   []string
		want string
	}{
		{"nothing", 8, nil, ""},
		{"less", 8, []string{"abc", "def"}, "abcdef"},
		{"just all", 8, []string{"abc", "defgh"}, "abcdefgh"},
		{"one more", 8, []string{"abcdefgh", "i"}, "bcdefghi"},
		{"at once", 8, []string{"0123456789"}, "23456789"},
		{"at once, just all", 8, []string{"01234567"}, "01234567"},
		{"around", 8, []string{"01234", "56789", "abcde"}, "789abcde"},
		{"around twice", 4, []string{"012", "345", "678", "9ab"}, "89ab"},
		{"a line starts there", 8, []string{"abc\n12345678"}, "12345678"},
		{"a line starts in the first half", 8, []string{"abcdef\n12345"}, "12345"},
		{"a line starts too late", 8, []string{"abcdefgh\n123"}, "efgh\n123"},
		{"only its end", 8, []string{"abcdefghijk\n"}, "efghijk\n"},
		{"a cut character", 8, []string{"äöüäöüa"}, "äöüa"},
		{"a cut long character", 8, []string{"\U0001f600abcdef"}, "abcdef"},
		{"no characters at all", 4, []string{"\x80\x80\x80\x80\x80\x80"}, "\x80\x80\x80\x80"},
		{"one byte", 1, []string{"abc"}, "c"},
	} {
		whole, bytewise := tail{size: c.size}, tail{size: c.size}
		for _, s := range c.in {
			whole.write([]byte(s))
			for i := range len(s) {
				bytewise.write([]byte(s[i : i+1]))
			}
		}
		if got := string(whole.bytes()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if !slices.Equal(whole.bytes(), bytewise.bytes()) {
			t.Errorf("%s: byte by byte it is %q", c.name, bytewise.bytes())
		}
	}
}
