package forward

import (
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/auth"
)

// FillBad remembers more bad credentials than there is room for, as if many addresses had sent
// them.
func (s *Sessions) FillBad() {
	for i := range maxBad + maxSessions {
		s.remember(hashOf(http.Header{"Cookie": {fmt.Sprint(i)}}), answer{err: auth.Refuse(sessionMethod, "unknown"), until: time.Now().Add(time.Hour)})
	}
}

// Bad returns how many bad credentials are remembered.
func (s *Sessions) Bad() int { return s.bad.Len() }
