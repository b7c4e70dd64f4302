//go:build !unix

package mcptool

import (
	"os"
	"syscall"
)

// Where there are no process groups, a command's children end when their input does.
func ownGroup() *syscall.SysProcAttr { return nil }
func termGroup(p *os.Process)        { killGroup(p) }
func killGroup(p *os.Process) {
	if p != nil {
		_ = p.Kill()
	}
}
