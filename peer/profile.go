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
}

// The profiles of the protocols in use. JSONRPC is the default.
var (
	JSONRPC = &Profile{Name: "JSON-RPC 2.0", CancelMethod: "$/cancelRequest", CancelID: "id", Batch: true}
	// LSP is that of the Language Server Protocol 3.17.
	LSP = &Profile{Name: "LSP", CancelMethod: "$/cancelRequest", CancelID: "id"}
	// MCP is that of the Model Context Protocol up to 2025-11-25.
	MCP = &Profile{Name: "MCP", CancelMethod: "notifications/cancelled", CancelID: "requestId", CancelReason: true, Silent: true}
	// MCP20250326 is MCP with the batches that only that revision has.
	MCP20250326 = &Profile{Name: "MCP 2025-03-26", CancelMethod: "notifications/cancelled", CancelID: "requestId", CancelReason: true, Silent: true, Batch: true}
	// MCP2026 is that of MCP 2026-07-28, where a server sends no requests.
	MCP2026 = &Profile{Name: "MCP 2026-07-28", CancelMethod: "notifications/cancelled", CancelID: "requestId", CancelReason: true, Silent: true, NoCalls: true}
	// ACP is that of the Agent Client Protocol.
	ACP = &Profile{Name: "ACP", CancelMethod: "$/cancel_request", CancelID: "requestId"}
	// Codex is that of the Codex app server.
	Codex = &Profile{Name: "Codex", Bare: true, Overloaded: -32001}
)
