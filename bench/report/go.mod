module github.com/linerpc/linerpc/bench/report

go 1.26.0

replace (
	github.com/linerpc/linerpc => ../..
	github.com/linerpc/linerpc/bench/peers => ../peers
)

require (
	github.com/linerpc/linerpc/bench/peers v0.0.0-00010101000000-000000000000
	gonum.org/v1/plot v0.17.0
)
