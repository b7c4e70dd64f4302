// Package agui is the AG-UI 1.0 protocol: its events, messages, run input and capabilities, their
// JSON, and the two things a stream of events must be right about, its order and what it adds up
// to.
//
//	v, t := agui.NewVerifier(), agui.NewTranscript(history)
//	for e := range events {
//		if err := v.Check(e); err != nil { // the stock clients would end the run here
//			return err
//		}
//		if err := t.Apply(e); err != nil { // a *FoldError: stock clients warn and go on
//			log.Print(err)
//		}
//		if line, err = agui.AppendEvent(line[:0], e); err != nil {
//			return err
//		}
//		…
//	}
//	store(t.Changed())
//
// An Event is a pointer to one of 31 structs. Optional fields are absent where they are the zero
// value, and are never written as null. What AG-UI calls opaque (state, metadata, payloads,
// schemas) is json.RawMessage and survives byte for byte: its nulls, the digits of its numbers, the
// order of its keys. So does the content of messages, which Content keeps as the JSON it came as.
//
// Reading is strict. One pass refuses what two JSON readers might understand differently or a
// database cannot keep: duplicate keys, keys that are a field's name but for their case, invalid
// UTF-8, lone surrogates, U+0000, nesting beyond MaxDepth; in a run's input also the keys
// __proto__, constructor and prototype. Every error is a *FieldError that names the field. Unknown
// properties are dropped, and the nulls and binary parts that peers of version 0.x may send are
// taken as what they mean. Writing checks the same: an encoded event fits the published JSON Schema
// and can be read again.
//
// Verifier holds the order to the rules that the stock client, @ag-ui/client 1.0.0, enforces, and
// to stricter ones where breaking them can only be a bug of the server. Transcript folds events
// into messages as that client does. Downgrade turns an event into what clients of version 0.x
// accept.
//
// The package knows no HTTP, no server-sent events, no storage and no model: who sends what when is
// for others. It does not expand *_CHUNK events, nor read the THINKING_* events that 1.0 has
// retired.
package agui
