package mcptool

import "time"

// SetListingAge changes how old a listing of tools may be until the function it returns is called.
func SetListingAge(d time.Duration) (restore func()) {
	old := listingAge
	listingAge = d
	return func() { listingAge = old }
}

// EndOfABrokenSession is why a session ends whose client panics.
func EndOfABrokenSession() error { return (&session{}).ends() }
