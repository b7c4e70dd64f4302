// Package agui speaks AG-UI over HTTP: runs are started, followed and cancelled, and agents say
// what they can do.
//
//	assistant, err := server.New(server.Config{
//		Runs: runs, Protocols: []server.Protocol{agui.Protocol{}},
//	})
//
// The events themselves are those of package run, and go out as they are: the wire's types and
// rules are in the other package agui, at the top of the module. Threads, settings and the list of
// agents are the server's own routes.
package agui
