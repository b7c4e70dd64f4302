// Package inspect records what the newest runs did, for the page at /inspector: what the model was
// sent, section by section, what it said, how tool calls were decided and how long they took. A run
// can be exported as a report that package llm/script plays.
//
//	recorder := inspect.New(100)
//	assistant.Tracer = recorder
//	server.Config{Inspector: recorder}
//
// It keeps everything in memory, including prompts and what users' pages show: it is for
// development, and off by default. Each owner sees only their own runs. FromEvents rebuilds a run
// that is no longer kept from what is stored of it.
package inspect
