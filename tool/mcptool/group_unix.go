//go:build unix && !linux

package mcptool

import "syscall"

// ownGroup puts a command into a process group of its own, so that it can be ended together with
// its children.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
