// Package remote runs an AG-UI agent that is somewhere else, behind an address: one made with
// LangGraph, Pydantic AI, ADK, Mastra, CrewAI or anything that speaks AG-UI 1.0 or 0.x over HTTP.
//
//	research, err := remote.New(remote.Config{
//		ID:      "research",
//		URL:     "https://agents.example.com/research",
//		Headers: map[string]string{"Authorization": "Bearer " + key},
//	})
//	manager, err := run.NewManager(ctx, run.Config{Store: st, Agents: []run.Agent{research}})
//
// The thread stays the server's: each run posts it as RunAgentInput, with what the page shows, its
// tools, the shared state, and the answers to what the agent has asked. What the agent streams back
// is untrusted. It is bounded in size and time, read strictly where AG-UI 1.0 leaves no doubt and
// leniently where agents of version 0.x are known to differ, and then judged like what any agent
// says: see run.Agent.
package remote
