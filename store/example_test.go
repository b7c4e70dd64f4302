package store_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

func Example() {
	ctx := context.Background()
	s, err := sqlstore.OpenTemp(ctx)
	if err != nil {
		panic(err)
	}
	defer s.Close()

	ada := store.Owner{Tenant: "acme", Subject: "ada"}
	question := agui.Message{ID: "m1", Role: agui.RoleUser, Content: agui.TextContent("Why so few results?")}
	answer := agui.Message{ID: "m2", Role: agui.RoleAssistant, Content: agui.TextContent("The filter is narrow.")}

	if err := s.BeginRun(ctx, ada, store.Run{ID: "r1", ThreadID: "t1"}, []agui.Message{question}, store.Batch{}); err != nil {
		fmt.Println(err)
	}
	if err := s.EndRun(ctx, ada, store.Run{ID: "r1", Status: store.RunFinished}, []agui.Message{answer}, store.Batch{}); err != nil {
		fmt.Println(err)
	}
	messages, err := s.Transcript(ctx, ada, "t1", "")
	for _, m := range messages {
		fmt.Println(m.Role, m.Content.Text(), err)
	}

	// To anybody else the thread does not exist.
	_, err = s.Transcript(ctx, store.Owner{Tenant: "acme", Subject: "bob"}, "t1", "")
	fmt.Println(errors.Is(err, store.ErrNotFound))

	// Output:
	// user Why so few results? <nil>
	// assistant The filter is narrow. <nil>
	// true
}
