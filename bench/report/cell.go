package main

import (
	"fmt"
	"slices"

	"github.com/linerpc/linerpc/bench/peers/drive"
)

// kind is how a cell is measured.
type kind int

const (
	pipes   kind = iota // a server behind OS pipes
	memory              // servers in memory
	layers              // linerpc in pieces
	clients             // a client with a server
)

// cell is one thing that is measured, for every entry that takes part.
type cell struct {
	name        string
	group       string
	title       string
	kind        kind
	load        drive.Load
	connections int  // of servers in memory
	callers     int  // of a client
	pairs       bool // each client has the server of its own library
	entries     []entry
	failure     string // what it says of a contender that can't do it
}

// entry is one that takes part in a cell.
type entry struct {
	label  string
	name   string // of the contender or the piece
	method string // in place of that of the cell
}

// The groups, in the order of the page.
const (
	groupFlight      = "Requests in flight"
	groupSize        = "Size of the message"
	groupPingPong    = "One request at a time"
	groupTyped       = "Typed handlers"
	groupPing        = "Ping"
	groupNotes       = "Notifications"
	groupBatch       = "Batches"
	groupMixed       = "Broken lines, and slow handlers among fast ones"
	groupMemory      = "In memory"
	groupConnections = "Connections"
	groupClients     = "Client with server"
	groupLayers      = "Layers"
)

// baseline is the entry that ratios are to.
const (
	baseline = "linerpc"
	copier   = "copier"
	control  = "control"
)

var (
	rawEntries   = entriesOf("linerpc", "lsp", "jrpc2", "exp", "sourcegraph", "scanner", copier, control)
	typedEntries = slices.Concat(
		entriesOf("linerpc", "linerpc-std"),
		[]entry{{label: "linerpc raw", name: "linerpc", method: "echo"}},
		entriesOf("lsp", "lsp-goccy", "jrpc2", "exp", "sourcegraph", "scanner", copier, control))
	pingEntries = entriesOf("linerpc", "go-sdk", "mcp-go", "lsp", "jrpc2", "exp", "sourcegraph", "scanner", copier, control)
	pieceNames  = []string{"read", "write", "frame", "sniff", "envelope", "dispatch", "decode", "encode", "handler"}
)

func entriesOf(names ...string) (list []entry) {
	for _, name := range names {
		list = append(list, entry{label: name, name: name})
	}
	return list
}

func (e entry) copies() bool {
	return slices.Contains([]string{copier, control, "write", "frame", "sniff"}, e.name)
}
func (e entry) mcp() bool { return e.name == "go-sdk" || e.name == "mcp-go" }

func sizeText(size int) string {
	switch {
	case size < 0:
		return "none"
	case size >= 1<<20:
		return fmt.Sprintf("%dMiB", size>>20)
	case size >= 1<<10:
		return fmt.Sprintf("%dKiB", size>>10)
	}
	return fmt.Sprintf("%dB", size)
}

func pipeCell(group, prefix string, entries []entry, l drive.Load) cell {
	return cell{
		name:  fmt.Sprintf("%s/size=%s/inflight=%d", prefix, sizeText(l.Size), l.Window),
		title: fmt.Sprintf("%s of text, %d in flight", sizeText(l.Size), l.Window),
		group: group, load: l, entries: entries,
	}
}

func echoCell(group string, size, window int) cell {
	return pipeCell(group, "echo", rawEntries, drive.Load{Method: "echo", Size: size, Window: window})
}

func typedCell(size, window int) cell {
	return pipeCell(groupTyped, "typed", typedEntries, drive.Load{Method: "typed", Size: size, Window: window})
}

func pingCell(window int) cell {
	c := pipeCell(groupPing, "ping", pingEntries, drive.Load{Method: "ping", Size: -1, Window: window})
	c.title = fmt.Sprintf("no params, %d in flight", window)
	return c
}

func notesCell(size int) cell {
	c := pipeCell(groupNotes, "notes", rawEntries, drive.Load{Method: "echo", Size: size, Window: 4, Notes: 99})
	c.title = fmt.Sprintf("%s of text, a request behind every 99", sizeText(size))
	return c
}

func batchCell(size int) cell {
	c := pipeCell(groupBatch, "batch", rawEntries, drive.Load{Method: "echo", Size: size, Window: 4, Batch: 100})
	c.title = fmt.Sprintf("batches of 100, %s of text each, 4 in flight", sizeText(size))
	c.failure = "does not answer it as JSON-RPC 2.0 section 6 wants"
	return c
}

func badCell() cell {
	c := pipeCell(groupMixed, "bad", rawEntries, drive.Load{Method: "echo", Size: 64, Window: 64, BadIn: 100})
	c.title = "64B of text, 64 in flight, a broken line before every 100th"
	c.failure = "ends at a broken line"
	return c
}

func slowCell(window int) cell {
	c := pipeCell(groupMixed, "slow", rawEntries, drive.Load{Method: "echo", Size: 64, Window: window, SlowIn: 50})
	c.title = fmt.Sprintf("64B of text, %d in flight, every 50th takes 5 ms; times are those of the others", window)
	return c
}

func memoryCell(group, method string, size, window, connections int, entries []entry) cell {
	c := cell{
		name:  fmt.Sprintf("memory/%s/size=%s/inflight=%d", method, sizeText(size), window),
		title: fmt.Sprintf("%s, %s of text, %d in flight", method, sizeText(size), window),
		group: group, kind: memory, connections: connections, entries: entries,
		load: drive.Load{Method: method, Size: size, Window: window},
	}
	if size < 0 {
		c.title = fmt.Sprintf("%s, no params, %d in flight", method, window)
	}
	if group == groupConnections {
		c.name = fmt.Sprintf("connections/%d", connections)
		c.title = fmt.Sprintf("connections: %d, 64B of text, %d in flight on each", connections, window)
	}
	return c
}

func layerCell(size int) cell {
	window := drive.BurstOf("echo", size, 256)
	return cell{
		name: "layers/size=" + sizeText(size), group: groupLayers, kind: layers,
		title:   fmt.Sprintf("%s of text, bursts of %d", sizeText(size), window),
		load:    drive.Load{Method: "echo", Size: size, Window: window, Burst: true},
		entries: entriesOf(pieceNames...),
	}
}

func clientCell(callers int, pairs bool) cell {
	c := cell{
		name: fmt.Sprintf("client/callers=%d", callers), group: groupClients, kind: clients, callers: callers,
		title: fmt.Sprintf("callers: %d, params of 64 bytes, linerpc as the server of all", callers),
	}
	if pairs {
		c.name = fmt.Sprintf("pair/callers=%d", callers)
		c.title = fmt.Sprintf("callers: %d, params of 64 bytes, each with the server of its own library", callers)
		c.pairs = true
	}
	return c
}

// inFlight is the window for a size: as much as keeps a server busy, and less
// than it takes seconds to answer.
func inFlight(size int) int {
	switch {
	case size <= 1<<10:
		return 256
	case size <= 16<<10:
		return 64
	case size <= 128<<10:
		return 16
	}
	return 4
}

func defaultCells() (list []cell) {
	for _, w := range []int{1, 4, 16, 64, 256, 1024} {
		list = append(list, echoCell(groupFlight, 64, w))
	}
	for _, size := range []int{0, 1 << 10, 4 << 10, 16 << 10, 128 << 10, 1 << 20} {
		list = append(list, echoCell(groupSize, size, inFlight(size)))
	}
	for _, size := range []int{1 << 10, 16 << 10, 1 << 20} {
		list = append(list, echoCell(groupPingPong, size, 1))
	}
	list = append(list, typedCell(64, 1), typedCell(64, 256), typedCell(1<<10, 256), typedCell(16<<10, 64),
		pingCell(1), pingCell(256), notesCell(64), notesCell(1<<10), batchCell(0), batchCell(64), badCell(), slowCell(16), slowCell(64))
	for _, size := range []int{0, 64, 1 << 10, 16 << 10, 1 << 20} {
		list = append(list, memoryCell(groupMemory, "echo", size, inFlight(size), 1, rawEntries))
	}
	list = append(list,
		memoryCell(groupMemory, "typed", 64, 256, 1, typedEntries),
		memoryCell(groupMemory, "typed", 1<<10, 256, 1, typedEntries),
		memoryCell(groupMemory, "ping", -1, 256, 1, pingEntries))
	for _, n := range []int{1, 8, 64, 512} {
		list = append(list, memoryCell(groupConnections, "echo", 64, 16, n, rawEntries))
	}
	for _, n := range []int{1, 16, 64} {
		list = append(list, clientCell(n, false), clientCell(n, true))
	}
	return append(list, layerCell(64), layerCell(1<<10), layerCell(16<<10))
}

// allCells adds every size with every window to the default ones.
func allCells() []cell {
	list := defaultCells()
	for _, size := range []int{0, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 128 << 10, 1 << 20} {
		for _, w := range []int{1, 4, 16, 64, 256, 1024} {
			if size*w > 64<<20 {
				continue // the messages in flight alone would need more than a server should
			}
			list = append(list, echoCell(groupSize, size, w), typedCell(size, w), memoryCell(groupMemory, "echo", size, w, 1, rawEntries))
		}
	}
	for _, w := range []int{4, 16, 64} {
		list = append(list, pingCell(w), slowCell(w))
	}
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(c cell) bool {
		twice := seen[c.name]
		seen[c.name] = true
		return twice
	})
}
