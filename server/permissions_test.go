package server_test

import (
	"github.com/pageside/pageside/policy"
)

func on(kind policy.Kind, names ...string) map[policy.Kind][]string {
	return map[policy.Kind][]string{kind: names}
}
