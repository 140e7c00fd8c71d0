package main

import (
	"context"
	"fmt"
	"log"
	"os/exec"

	"github.com/linerpc/linerpc/client"
)

func main() {
	ctx := context.Background()
	c, err := client.Command(ctx, exec.Command("./server"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	sum, err := client.Call[float64](ctx, c, "add", map[string]float64{"a": 2, "b": 3})
	fmt.Println(sum, err)
}
