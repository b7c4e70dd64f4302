package agent

import "testing"

// The names of hosts inside the operator's network are not told.
func TestADisclosureNamesPublicHostsOnly(t *testing.T) {
	for host, want := range map[string]Destination{
		"":                          {},
		"api.openai.com":            {Host: "api.openai.com"},
		"API.example.com:8443":      {Host: "api.example.com"},
		"9.9.9.9:443":               {Host: "9.9.9.9"},
		"[2620:fe::fe]:443":         {Host: "2620:fe::fe"},
		"127.0.0.1:11434":           {Private: true},
		"10.3.2.1":                  {Private: true},
		"[::1]:8080":                {Private: true},
		"[fd00::1]":                 {Private: true},
		"169.254.169.254":           {Private: true},
		"localhost:11434":           {Private: true},
		"ollama":                    {Private: true},
		"billing.svc.cluster.local": {Private: true},
		"vault.Internal.":           {Private: true},
	} {
		if got := destination(host); got != want {
			t.Errorf("%q goes to %+v, want %+v", host, got, want)
		}
	}
}
