//go:build !conformance

package main

import "github.com/pageside/pageside/tool"

// extraTools are the tools of `pageside serve`: none. The conformance build has some to test with.
func extraTools() []*tool.Tool { return nil }
