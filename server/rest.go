package server

// rest is the server with what the routes of threads and of a user's settings do. Protocols know
// nothing of it.
type rest struct{ *Server }

func (s rest) mount(mux *router) {
	mux.Handle("GET /v1/agents", s.api(s.getAgents))
	mux.Handle("GET /v1/threads", s.api(s.getThreads))
	mux.Handle("GET /v1/threads/{thread}", s.api(s.getThread))
	mux.Handle("PATCH /v1/threads/{thread}", s.api(s.patchThread))
	mux.Handle("DELETE /v1/threads/{thread}", s.api(s.deleteThread))
	mux.Handle("GET /v1/threads/{thread}/messages", s.api(s.getMessages))
	mux.Handle("GET /v1/threads/{thread}/history", s.api(s.getHistory))
	mux.Handle("GET /v1/threads/{thread}/runs", s.api(s.getRuns))
	mux.Handle("GET /v1/threads/{thread}/allowances", s.api(s.getAllowances))
	mux.Handle("DELETE /v1/threads/{thread}/allowances/{allowance}", s.api(s.deleteAllowance))
	mux.Handle("POST /v1/threads/{thread}/shares", s.api(s.postShare))
	mux.Handle("GET /v1/threads/{thread}/shares", s.api(s.getShares))
	mux.Handle("DELETE /v1/threads/{thread}/shares/{share}", s.api(s.deleteShare))
	mux.Handle("GET /v1/shared/{token}", s.api(s.getShared))
	mux.Handle("GET /v1/allowances", s.api(s.getUserAllowances))
	mux.Handle("DELETE /v1/allowances/{allowance}", s.api(s.deleteUserAllowance))
	mux.Handle("PUT /v1/threads/{thread}/messages/{message}/feedback", s.api(s.putFeedback))
	mux.Handle("PUT /v1/threads/{thread}/payloads/{message}", s.api(s.putPayload))
	mux.Handle("POST /v1/actions/{name}", s.api(s.postAction))
	mux.Handle("POST /v1/suggestions", s.api(s.postSuggestions))
	mux.Handle("GET /v1/instructions/{kind}/{id}", s.api(s.getInstructions))
	mux.Handle("PUT /v1/instructions/{kind}/{id}", s.api(s.putInstructions))
	mux.Handle("DELETE /v1/instructions/{kind}/{id}", s.api(s.deleteInstructions))
	mux.Handle("GET /v1/limits", s.api(s.getLimits))
	mux.Handle("POST /v1/disclosure", s.api(s.postDisclosure))
}

// admin is the server with what those routes do that take a permission of their own.
type admin struct{ *Server }

func (s admin) mount(mux *router) {
	mux.Handle("GET /v1/definitions", s.api(s.getDefinitions))
	mux.Handle("GET /v1/subjects/{subject}", s.api(s.getSubject))
	mux.Handle("DELETE /v1/subjects/{subject}", s.api(s.deleteSubject))
	mux.Handle("POST /v1/resolve", s.api(s.postResolve))
	if s.cfg.Audit != nil {
		mux.Handle("GET /v1/audit", s.api(s.getAudit))
		mux.Handle("GET /v1/audit/verify", s.api(s.getAuditVerify))
	}
	if s.cfg.Inspector != nil {
		mux.Handle("GET /v1/inspector/runs", s.api(s.getInspectedRuns))
		mux.Handle("GET /v1/inspector/runs/{run}", s.api(s.getInspectedRun))
		mux.Handle("GET /v1/inspector/runs/{run}/report", s.api(s.getReport))
	}
}
