// Package a2atool offers agents elsewhere as tools: they speak A2A 1.0 in its JSON-RPC binding.
//
//	t, err := a2atool.New(a2atool.Config{
//		Name: "book_travel", Description: "Books trips. Say where to, when and for whom.",
//		URL:     "https://agents.example.com/a2a/travel",
//		Headers: map[string]string{"Authorization": "Bearer " + key},
//	})
//
// A call sends one message and follows the task that it begins: updates are the call's progress,
// the artifacts its result. What the agent asks is asked of the user (tool.Question), and the
// answer continues the same task. A call that ends early cancels its task, and so does a
// question that gets no answer.
//
// The description is the operator's, so that nothing an agent says of itself gets into a prompt.
package a2atool
