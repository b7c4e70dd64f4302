// Package agui is the AG-UI 1.0 protocol: its events, messages, run input and capabilities in JSON,
// the rules for the order of events, and folding events into messages.
//
//	v, t := agui.NewVerifier(), agui.NewTranscript(history)
//	for e := range events {
//		if err := v.Check(e); err != nil { // the stock clients would end the run here
//			return err
//		}
//		if err := t.Apply(e); err != nil { // stock clients warn and continue
//			log.Print(err)
//		}
//		if line, err = agui.AppendEvent(line[:0], e); err != nil {
//			return err
//		}
//		…
//	}
//	store(t.Changed())
//
// An Event is a pointer to one of 31 structs. Optional fields are absent if they are the zero
// value, and are never written as null. Values that AG-UI calls opaque (state, metadata, payloads,
// schemas) are json.RawMessage and survive byte for byte: nulls, digits of numbers, order of keys.
// So does the content of messages, which Content keeps as JSON.
//
// Reading is strict. One pass refuses what two JSON readers might understand differently or a
// database cannot store: duplicate keys, keys that differ from a field's name only in case, invalid
// UTF-8, lone surrogates, U+0000, nesting beyond MaxDepth; in a run's input also the keys
// __proto__, constructor and prototype. Every error is a *FieldError that names the field. Unknown
// properties are dropped; the nulls and binary parts of 0.x peers are converted. Writing checks the
// same: an encoded event conforms to the published JSON Schema and can be read again.
//
// Verifier enforces the order of events as the stock client, @ag-ui/client 1.0.0, does, and is
// stricter if a violation can only be a bug of the server. Transcript folds events into messages
// like that client. Downgrade converts an event for clients of version 0.x. AppendProto puts an
// encoded event in AG-UI's binary framing.
//
// The package knows no HTTP, no server-sent events, no storage and no model. It does not expand
// *_CHUNK events, nor read the THINKING_* events that 1.0 has retired.
package agui
