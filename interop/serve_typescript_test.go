package interop

import (
	"slices"
	"testing"
)

// expectTypeScript is expect for the SDKs that TestProgressBesideItsResponse is
// about. On a busy machine they may miss the last steps; not the step at which
// they cancel a call.
func (v visit) expectTypeScript(t *testing.T, l *life, version string) {
	t.Helper()
	if all := []float64{1, 2, 3}; len(v.Progress) < 3 && slices.Equal(v.Progress, all[:len(v.Progress)]) {
		v.Progress = all
	}
	v.expect(t, l, version)
}

func TestTypeScriptV1Client(t *testing.T) {
	w := newWire(t)
	v := script[visit](t, w, "mcp-v1.mjs", append([]string{"visit"}, w.command(polite, "mcp-tools")...)...)
	l := w.orderly()
	v.expectTypeScript(t, l, "2025-11-25")
	l.expectHabits(t, habits{FirstID: "0", IDLate: true})
	l.expectEnvironment(t, false)
	l.expectMethods(t, "initialize", "notifications/initialized", "ping", "tools/list", "tools/call", "notifications/cancelled")
}

// The newer SDK finds the era with a server of its own, which it kills, and
// starts another one for the session.
func TestTypeScriptV2Client(t *testing.T) {
	for _, test := range []struct {
		mode, version string
		starts        int
	}{
		{"legacy", "2025-11-25", 1},
		{"auto", "2026-07-28", 2},
		{"2026-07-28", "2026-07-28", 2},
	} {
		t.Run("mode="+test.mode, func(t *testing.T) {
			w := newWire(t)
			v := script[visit](t, w, "mcp-v2.mjs", append([]string{"visit", test.mode}, w.command(polite, "mcp-tools")...)...)
			lives := w.finish(test.starts)
			session := lives[test.starts-1]
			session.expectOrderly(t)
			w.expectNoProcess()
			v.expectTypeScript(t, session, test.version)
			session.expectHabits(t, habits{FirstID: "0", IDLate: true})
			session.expectEnvironment(t, false)
			if test.starts == 2 {
				lives[0].expectMethods(t, "server/discover")
				if lives[0].first(signaled).Text != "terminated" {
					t.Errorf("the first server was not killed\n%s", lives[0])
				}
				session.expectMethods(t, "tools/list", "tools/call", "notifications/cancelled")
			}
		})
	}
}
