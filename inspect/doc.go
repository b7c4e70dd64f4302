// Package inspect remembers what the newest runs did, for the page at /inspector: what the model
// was sent, section by section, what it said, how tool calls were decided and how long they took. A
// run can be taken home as a report that package llm/script plays.
//
//	recorder := inspect.New(100)
//	assistant.Tracer = recorder
//	server.Config{Inspector: recorder}
//
// It keeps everything in memory, prompts and what users have on screen included: it is for
// development, and off unless asked for. Who asks sees the runs of one owner only.
package inspect
