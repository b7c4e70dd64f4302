package a2a

import "time"

// RetryAfter sets the pauses between the tries of a notification.
func (n *Notifier) RetryAfter(pauses ...time.Duration) { n.pauses = pauses }
