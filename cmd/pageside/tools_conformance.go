//go:build conformance

package main

import (
	"github.com/pageside/pageside/test/conformance"
	"github.com/pageside/pageside/tool"
)

// extraTools returns the tools that stock clients are tested with.
func extraTools() []*tool.Tool { return conformance.Tools() }
