package interop

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/linerpc/linerpc/client"
)

// Some servers do not end at the end of their input: those of version 1 of the
// TypeScript SDK live on as long as something in them has a timer. Close
// signals them when Options.CloseWait is over, and TERM is enough.
func TestServersThatStay(t *testing.T) {
	for name, busy := range map[string]func(t *testing.T, h *host) <-chan error{
		// A call is under way, and goes on for an hour.
		"in mid-call": func(t *testing.T, h *host) <-chan error {
			ctx, underWay := h.firstStep()
			done := make(chan error, 1)
			go func() {
				params := object{"name": longRunning, "arguments": object{"duration": 3600, "steps": 360_000}}
				_, err := client.Call[json.RawMessage](ctx, h.Client, "tools/call", params)
				done <- err
			}()
			underWay()
			return done
		},
		// 350 ms after the handshake it asks for the client's roots, and waits a
		// minute for the answer, also when nobody can give it any more.
		"right after the handshake": func(*testing.T, *host) <-chan error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{}
			o := h.options(withInitialize)
			o.CloseWait = time.Second
			o.Handler = client.HandlerFunc(func(ctx context.Context, _ client.Reply, _ client.Request) error {
				<-ctx.Done()
				return ctx.Err()
			})
			h.driven = drive(t, o, reference("everything")...)
			done := busy(t, h)
			_, l := h.end()
			near(t, "Close returned", h.took, o.CloseWait)
			if how := l.first(exited).Text; how != "signal: terminated" {
				t.Errorf("it ended with %s\n%s", how, l)
			}
			if done == nil {
				return
			}
			if err := <-done; !errors.Is(err, client.ErrClosed) {
				t.Errorf("the call that was under way gave %v", err)
			}
		})
	}
}

// A server behind npm, and the shell that npm starts it with, is the
// grandchild of what our client starts. npm writes on standard output, which
// is for messages: those lines are noise, and the messages behind them arrive.
func TestServerBehindNPM(t *testing.T) {
	for name, stays := range map[string]bool{"a server that ends": false, "a server that stays": true} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			h := &host{}
			o := h.options(withInitialize)
			o.CloseWait, o.TermWait = 2*time.Second, time.Second
			how := polite
			if stays {
				how, o.CloseWait = stubborn, 300*time.Millisecond
			}
			argv := w.tapped(how, reference("memory")...)
			cmd := exec.Command("npm", "run", "server")
			cmd.Env = npmEnvironment(t, argv)
			h.driven = driveCommand(t, w, o, cmd)
			h.lists("create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
				"delete_relations", "read_graph", "search_nodes", "open_nodes")
			why, l := h.end()
			if stays {
				near(t, "Close returned", h.took, o.CloseWait) // npm ends at TERM, and what it leaves is killed
			}
			noise := strings.Split(strings.TrimSpace(h.noise.String()), "\n")
			if len(noise) != 2 || !strings.HasPrefix(noise[0], "> ") || !strings.HasPrefix(noise[1], "> ") {
				t.Errorf("noise: %q", noise)
			}
			if stays != (why.State.String() != success) {
				t.Errorf("npm ended with %v\n%s", why.State, l)
			}
		})
	}
}

// npmEnvironment has npm neither ask for news of itself nor leave a file.
func npmEnvironment(t *testing.T, argv []string) []string {
	dir := t.TempDir()
	return append(os.Environ(), "HOME="+dir, "npm_config_cache="+dir, "npm_config_update_notifier=false",
		"MEMORY_FILE_PATH="+dir+"/memory.jsonl", "SERVER="+strings.Join(argv, " "))
}
