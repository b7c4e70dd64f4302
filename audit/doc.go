// Package audit says what was done, by whom and why it was allowed.
//
//	err := recorder.Record(ctx, audit.Entry{
//		Kind: audit.ToolCall, Principal: p, Tool: "delete_item", Outcome: audit.OK,
//	})
//
// A Log is the Recorder that a server uses: it seals entries in a chain per tenant, which a store
// keeps, and writes the heads of the chains elsewhere, as anchors. Verify finds what was changed.
package audit
