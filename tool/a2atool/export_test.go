package a2atool

import "time"

// PollSoon makes tools look again without a pause.
func PollSoon(c *Config) { c.poll = time.Millisecond }
