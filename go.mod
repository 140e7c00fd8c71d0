module github.com/linerpc/linerpc

go 1.26

require (
	github.com/goccy/go-json v0.12.0
	github.com/valyala/bytebufferpool v1.0.0
	go.uber.org/goleak v1.3.0
)

require golang.org/x/sys v0.45.0
