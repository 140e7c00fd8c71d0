module github.com/linerpc/linerpc/interop

go 1.26

replace github.com/linerpc/linerpc => ..

require (
	github.com/coder/acp-go-sdk v0.13.0 // indirect
	github.com/mark3labs/mcp-go v1.2.1 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
)
