package main

import (
	"context"
	"fmt"
	"os"

	"github.com/linerpc/linerpc/server"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := server.Stdio(context.Background(), newMux(), nil); err != nil {
			fmt.Fprintln(os.Stderr, "demo:", err)
			os.Exit(1)
		}
		return
	}
}
