package interop

import "testing"

func TestTypeScriptV1Client(t *testing.T) {
	w := newWire(t)
	v := script[visit](t, "mcp-v1.mjs", append([]string{"visit"}, w.command(polite, "mcp-tools")...)...)
	l := w.orderly()
	v.expect(t, l, "2025-11-25")
	l.expectHabits(t, habits{FirstID: "0", IDLate: true})
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
			v := script[visit](t, "mcp-v2.mjs", append([]string{"visit", test.mode}, w.command(polite, "mcp-tools")...)...)
			lives := w.finish(test.starts)
			session := lives[test.starts-1]
			v.expect(t, session, test.version)
			session.expectHabits(t, habits{FirstID: "0", IDLate: true})
			if test.starts == 2 {
				lives[0].expectMethods(t, "server/discover")
				session.expectMethods(t, "tools/list", "tools/call", "notifications/cancelled")
			}
		})
	}
}
