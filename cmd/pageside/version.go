package main

import (
	"runtime"
	"runtime/debug"

	"github.com/pageside/pageside/agui"
)

// version describes this build.
func version() string {
	release, revision := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			release = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				revision = " (" + s.Value[:12] + ")"
			}
		}
	}
	return "pageside " + release + revision + ", AG-UI " + agui.ProtocolVersion + ", " + runtime.Version()
}
