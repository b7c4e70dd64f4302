package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/pageside/pageside/store"
)

const (
	putWebhook = `
		INSERT INTO webhooks (tenant, subject, thread_id, run_id, id, config, told, done, created_at)
		SELECT $1, $2, r.thread_id, $3, $4, $5, $6, $7, $8 FROM runs r
		WHERE r.tenant = $1 AND r.subject = $2 AND r.id = $3` + notDeleted + `
		ON CONFLICT (tenant, subject, run_id, id) DO UPDATE SET config = $5, told = $6, done = $7, created_at = $8`

	webhookColumns = `w.tenant, w.subject, w.run_id, w.id, w.thread_id, w.config, w.told, w.done, w.created_at`

	ofLivingThread = `
		AND EXISTS (SELECT 1 FROM threads t
			WHERE t.tenant = w.tenant AND t.subject = w.subject AND t.id = w.thread_id
				AND t.deleted_at IS NULL)`

	selectWebhooks = `
		SELECT ` + webhookColumns + ` FROM webhooks w
		WHERE w.tenant = $1 AND w.subject = $2 AND w.run_id = $3` + ofLivingThread + `
		ORDER BY w.created_at, w.id`

	selectOpenWebhooks = `
		SELECT ` + webhookColumns + ` FROM webhooks w WHERE w.done = 0` + ofLivingThread

	tellWebhook = `
		UPDATE webhooks AS w SET told = $5, done = $6
		WHERE w.tenant = $1 AND w.subject = $2 AND w.run_id = $3 AND w.id = $4` + ofLivingThread

	deleteWebhook = `
		DELETE FROM webhooks AS w
		WHERE w.tenant = $1 AND w.subject = $2 AND w.run_id = $3 AND w.id = $4` + ofLivingThread
)

// PutWebhook implements store.Store.
func (s *runStore) PutWebhook(ctx context.Context, o store.Owner, w store.Webhook) error {
	id := w.ID
	w, err := store.NewWebhook(w, s.now())
	return s.change(ctx, "put webhook", id, 0, cmp.Or(o.Check(), err), putWebhook,
		o.Tenant, o.Subject, w.RunID, w.ID, string(w.Config), w.Told, w.Done, w.CreatedAt.UnixMilli())
}

// TellWebhook implements store.Store.
func (s *runStore) TellWebhook(ctx context.Context, o store.Owner, runID, id, told string, done bool) error {
	invalid := cmp.Or(o.Check(), store.CheckText("what a webhook was told", told))
	return s.change(ctx, "tell webhook", id, 0, invalid, tellWebhook,
		o.Tenant, o.Subject, runID, id, told, done)
}

// DeleteWebhook implements store.Store.
func (s *runStore) DeleteWebhook(ctx context.Context, o store.Owner, runID, id string) error {
	return s.change(ctx, "delete webhook", id, 0, o.Check(), deleteWebhook,
		o.Tenant, o.Subject, runID, id)
}

// Webhooks implements store.Store.
func (s *runStore) Webhooks(ctx context.Context, o store.Owner, runID string) (all []store.Webhook, err error) {
	err = s.reading.each(ctx, selectWebhooks, []any{o.Tenant, o.Subject, runID}, func(r row) error {
		w, err := scanWebhook(r)
		all = append(all, w.Webhook)
		return err
	})
	return all, explain("webhooks of run", runID, err)
}

// OpenWebhooks implements store.Store.
func (s *runStore) OpenWebhooks(ctx context.Context) (all []store.OwnedWebhook, err error) {
	err = s.reading.each(ctx, selectOpenWebhooks, nil, func(r row) error {
		w, err := scanWebhook(r)
		all = append(all, w)
		return err
	})
	return all, explain("open webhooks", "", err)
}

func scanWebhook(r row) (w store.OwnedWebhook, err error) {
	var config string
	var created int64
	h := &w.Webhook
	err = r.Scan(&w.Owner.Tenant, &w.Owner.Subject, &h.RunID, &h.ID, &h.ThreadID, &config, &h.Told, &h.Done, &created)
	h.Config, h.CreatedAt = json.RawMessage(config), store.FromMillis(created)
	return w, err
}
