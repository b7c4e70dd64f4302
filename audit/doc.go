// Package audit says what was done, by whom and why it was allowed.
//
//	err := recorder.Record(ctx, audit.Entry{Kind: audit.ToolCall, Principal: p, Tool: "delete_item", Decision: "ask", Outcome: "approved"})
package audit
