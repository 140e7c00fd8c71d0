module github.com/linerpc/linerpc/bench/peers

go 1.26.0

replace github.com/linerpc/linerpc => ../..

require (
	github.com/creachadair/jrpc2 v1.3.6
	github.com/linerpc/linerpc v0.0.0-00010101000000-000000000000
	go.lsp.dev/jsonrpc2 v1.0.1
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.45.0
)

require (
	github.com/creachadair/mds v0.31.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260601182631-00ed12fed2a6 // indirect
	github.com/goccy/go-json v0.12.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
