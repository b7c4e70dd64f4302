//go:build unix

package mcptool

import (
	"os"
	"syscall"
)

func termGroup(p *os.Process) { signalGroup(p, syscall.SIGTERM) }
func killGroup(p *os.Process) { signalGroup(p, syscall.SIGKILL) }

// signalGroup signals a process and its children. A group that is gone is no error.
func signalGroup(p *os.Process, sig syscall.Signal) {
	if p != nil && p.Pid > 1 {
		_ = syscall.Kill(-p.Pid, sig)
	}
}
