package main

import (
	"runtime"
	"runtime/debug"

	"github.com/pageside/pageside/agui"
)

// release is the version of this build alone.
func release() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// version describes this build.
func version() string {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				revision = " (" + s.Value[:12] + ")"
			}
		}
	}
	return "pageside " + release() + revision + ", AG-UI " + agui.ProtocolVersion + ", " + runtime.Version()
}
