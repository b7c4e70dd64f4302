package page

// Forget forgets the items that were rendered before.
func Forget() { known.Purge() }
