package main

// choices break which model answers when users may choose.
func choices() []mutant {
	at := func(file, tests string) in { return in{file, "run", tests} }
	return []mutant{
		at("run/prepare.go", "TestConversations").mutant("choices: any model may be named", "Effort: place.Effort}); err != nil {", "Effort: place.Effort}); false {"),
		at("run/history/notes.go", "TestConversations").mutant("choices: the thread forgets its choice", "agui.NoteModel); ok", "agui.NoteSummary); ok"),
		at("run/history/notes.go", "TestConversations").mutant("choices: a request changes the model under a question", "if at < 0 && !m.asks {", "if false {"),
		at("agent/start.go", "TestConversations").mutant("choices: the default answers at the other's price", "model: answerer, effort", "model: a.Model, effort"),
	}
}
