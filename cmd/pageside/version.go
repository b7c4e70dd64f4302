package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/pageside/pageside/agui"
)

// commit is set by the Makefile. Without it, what the Go tool knows of the checkout is used.
var commit string

// version describes this build.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return "pageside " + releaseOf(info, commit) + ", AG-UI " + agui.ProtocolVersion + ", " + runtime.Version()
}

// release is the version of this build alone.
func release() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// releaseOf returns the module's version and the commit that was built, as far as they are known.
func releaseOf(info *debug.BuildInfo, commit string) string {
	release := "devel"
	if info != nil {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			release = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 && commit == "" {
				commit = s.Value[:12]
			}
		}
	}
	if commit == "" && release == "devel" {
		return "devel (commit not known)"
	}
	if commit == "" { // built by go install from a module's version, which says it all
		return release
	}
	if strings.Contains(release, commit) { // a pseudo-version ends with it
		return release
	}
	return release + " (" + commit + ")"
}
