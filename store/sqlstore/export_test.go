package sqlstore

// WithLongHistory sets from how many messages on what a thread begins with is kept in one row.
func WithLongHistory(messages int) Option { return func(s *Store) { s.longHistory = messages } }
