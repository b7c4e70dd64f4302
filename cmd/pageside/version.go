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
	info, _ := debug.ReadBuildInfo()
	return moduleVersion(info)
}

// moduleVersion returns the version of the module that was built, as far as it is known.
func moduleVersion(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// releaseOf returns the module's version and the commit that was built, as far as they are known.
func releaseOf(info *debug.BuildInfo, commit string) string {
	release := moduleVersion(info)
	if info != nil && commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = s.Value[:12]
			}
		}
	}
	switch {
	case commit == "" && release == "devel":
		return "devel (commit not known)"
	case strings.Contains(release, commit): // a pseudo-version; or go install's, which says it all
		return release
	}
	return release + " (" + commit + ")"
}
