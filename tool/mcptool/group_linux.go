package mcptool

import "syscall"

// ownGroup puts a command into a process group of its own, so that it can be ended together with
// its children, and has the system kill it should this process die without a word.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
