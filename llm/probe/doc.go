// Package probe asks a real model a few questions whose answers show what works: whether it answers
// at all, calls a tool, and takes an image. It costs a few hundred tokens.
//
//	for answer := range probe.Run(ctx, model, probe.Timeout) {
//		fmt.Println(answer.Question, answer.Status, answer.Detail)
//	}
package probe
