package peer

// Profile is what differs between the protocols that ride on JSON-RPC lines.
// It is data: a protocol that is not listed is a Profile of its own.
type Profile struct {
	Name         string
	CancelMethod string // the notification that cancels a call; empty: there is none
	CancelID     string // the member of its params that holds the id
	CancelReason bool   // it carries a member "reason"
	Silent       bool   // a cancelled call is not answered
	Batch        bool   // arrays are understood; otherwise one -32600 answers them
	Bare         bool   // the member jsonrpc is neither sent nor required
	Overloaded   int    // code of the answer to a request above the bounds; 0 means -32000
	NoCalls      bool   // a server sends no requests
	Progress     *Progress
}

// Progress says how a protocol reports on a call that is under way: the caller
// puts a token into the params, and notifications carry it.
type Progress struct {
	Method string // of the notifications
	Token  string // the member of their params that holds the token
	Within string // the member of a call's params that holds the one named Asked; empty: the params themselves
	Asked  string // the member that asks for progress: its value is the token
}

var (
	lspProgress = &Progress{Method: "$/progress", Token: "token", Asked: "workDoneToken"}
	mcpProgress = &Progress{Method: "notifications/progress", Token: "progressToken", Within: "_meta", Asked: "progressToken"}
)

// The profiles of the protocols in use. JSONRPC is the default.
var (
	JSONRPC = &Profile{Name: "JSON-RPC 2.0", CancelMethod: "$/cancelRequest", CancelID: "id", Batch: true, Progress: lspProgress}
	// LSP is that of the Language Server Protocol 3.17.
	LSP = &Profile{Name: "LSP", CancelMethod: "$/cancelRequest", CancelID: "id", Progress: lspProgress}
	// MCP is that of the Model Context Protocol up to 2025-11-25.
	MCP = &Profile{Name: "MCP", CancelMethod: "notifications/cancelled", CancelID: "requestId", CancelReason: true, Silent: true, Progress: mcpProgress}
	// MCP20250326 is MCP with the batches that only that revision has.
	MCP20250326 = &Profile{Name: "MCP 2025-03-26", CancelMethod: "notifications/cancelled", CancelID: "requestId", CancelReason: true, Silent: true, Batch: true, Progress: mcpProgress}
	// MCP2026 is that of MCP 2026-07-28, where a server sends no requests.
	MCP2026 = &Profile{Name: "MCP 2026-07-28", CancelMethod: "notifications/cancelled", CancelID: "requestId", CancelReason: true, Silent: true, NoCalls: true, Progress: mcpProgress}
	// ACP is that of the Agent Client Protocol.
	ACP = &Profile{Name: "ACP", CancelMethod: "$/cancel_request", CancelID: "requestId"}
	// Codex is that of the Codex app server.
	Codex = &Profile{Name: "Codex", Bare: true, Overloaded: -32001}
)
