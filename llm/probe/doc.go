// Package probe asks a real model a few questions whose answers show what works: text, a tool call,
// calls in parallel, an image, a cached prefix. It costs some ten thousand tokens.
//
//	for answer := range probe.Run(ctx, model) {
//		fmt.Println(answer.Question, answer.Status, answer.Detail)
//	}
package probe
