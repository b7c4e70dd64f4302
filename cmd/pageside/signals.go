package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. The second one ends the
// process at once, and says so: a live run may take as long as --grace.
func untilSignal(parent context.Context, stderr io.Writer, exit func(int)) context.Context {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		code := 128 + int(syscall.SIGTERM)
		if <-signals == os.Interrupt {
			code = 128 + int(syscall.SIGINT)
		}
		fmt.Fprintln(stderr, "pageside: stopped at once; live runs go on at the next start")
		exit(code)
	}()
	return ctx
}
