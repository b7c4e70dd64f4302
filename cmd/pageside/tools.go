//go:build !conformance

package main

import "github.com/pageside/pageside/tool"

// extraTools returns the tools of `pageside serve`: none. The conformance build has some.
func extraTools() []*tool.Tool { return nil }
