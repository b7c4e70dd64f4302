package agent

import "github.com/pageside/pageside/agui"

type long struct{ summary string }

func (r *run) compacted(messages []agui.Message) []agui.Message { return messages }

type scale struct{}
