package main

import (
	"bytes"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
)

// An order, as the shop has it.
type order struct {
	ID       string
	Customer string
	Placed   string // YYYY-MM-DD
	Status   string // one of statuses
	Total    int    // euros
	Card     string // the last digits of what it was paid with
}

var statuses = []string{"open", "late", "shipped", "returned"}

var orders = []order{
	{"1042", "Abel Marin", "2026-03-02", "late", 1280, "4417"},
	{"1043", "Blue Harbour Ltd", "2026-03-03", "shipped", 310, "0092"},
	{"1044", "Clara Osei", "2026-03-03", "open", 75, "7713"},
	{"1045", "Delta Garden", "2026-03-04", "late", 640, "2270"},
	{"1046", "Emre Kaya", "2026-03-05", "open", 1990, "8134"},
	{"1047", "Fjord & Sons", "2026-03-05", "returned", 58, "6645"},
	{"1048", "Grete Holm", "2026-03-06", "shipped", 420, "3391"},
	{"1049", "Abel Marin", "2026-03-07", "open", 215, "4417"},
	{"1050", "Hanoi Trading", "2026-03-08", "late", 2340, "5528"},
	{"1051", "Ines Duarte", "2026-03-08", "shipped", 130, "1906"},
}

var page = template.Must(template.ParseFS(files, "orders.html"))

// view is what the page shows.
type view struct {
	Filter   filter
	Statuses []string
	Orders   []order
	Total    int
}

// filter is what the form says.
type filter struct{ Status, Customer string }

func (f filter) takes(o order) bool {
	return (f.Status == "" || o.Status == f.Status) && strings.Contains(strings.ToLower(o.Customer), strings.ToLower(f.Customer))
}

func showOrders(w http.ResponseWriter, r *http.Request) {
	v := view{Filter: filter{r.FormValue("status"), strings.TrimSpace(r.FormValue("customer"))}, Statuses: statuses}
	for _, o := range orders {
		if v.Filter.takes(o) {
			v.Orders, v.Total = append(v.Orders, o), v.Total+o.Total
		}
	}
	var out bytes.Buffer
	if err := page.Execute(&out, v); err != nil {
		slog.Error("the orders cannot be shown", "error", err)
		http.Error(w, "the orders cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	// As strict as a policy gets: the script brings no style and no script of its own into the
	// page.
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'")
	if _, err := out.WriteTo(w); err != nil {
		slog.Debug("a reader left", "error", err)
	}
}
