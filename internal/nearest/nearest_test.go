package nearest

import (
	"testing"

	"github.com/pageside/pageside/test/must"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"get_wether", "get_weather", 1}, {"ab", "ba", 2},
	} {
		must.Be(t, Distance(tt.a, tt.b), tt.want, "the distance of %q and %q", tt.a, tt.b)
	}
}

func TestSlip(t *testing.T) {
	for name, want := range map[string]string{"chekc": "check", "xz": "xy", "chat": "", "ab": "", "x": ""} {
		must.Be(t, Slip(name, []string{"serve", "check", "xy"}), want, "%s", name)
	}
}

func TestOf(t *testing.T) {
	names := []string{"subject", "tenant", "roles"}
	for name, want := range map[string]string{"Tenat": "tenant", "role": "roles", "id": "", "": ""} {
		must.Be(t, Of(name, names), want, "%q is taken for", name)
	}
}
