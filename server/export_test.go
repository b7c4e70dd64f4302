package server

// Routes returns the patterns of all routes.
func (s *Server) Routes() []string { return s.patterns }
