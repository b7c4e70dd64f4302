//go:build !unix

package sqlstore

import (
	"context"
	"time"
)

// fileLock does nothing where there is no flock.
type fileLock struct{}

func lockFile(context.Context, string, time.Duration) (*fileLock, error) { return &fileLock{}, nil }

func (*fileLock) release() error { return nil }
