package research

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/internal/egress"
)

// eutils asks PubMed over the NCBI's E-utilities: https://www.ncbi.nlm.nih.gov/books/NBK25501/.
type eutils struct {
	base   string
	client httpDoer
}

const ncbi = "eutils.ncbi.nlm.nih.gov"

func newEutils(c Config) (*eutils, error) {
	e := &eutils{base: cmp.Or(c.eutils, "https://"+ncbi+"/entrez/eutils"), client: c.client}
	if e.client == nil {
		guard, err := egress.New(egress.Policy{Hosts: []string{ncbi}, MaxBytes: 4 << 20, Timeout: 20 * time.Second})
		if err != nil {
			return nil, fmt.Errorf("allow %s: %w", ncbi, err)
		}
		e.client = guard.Client()
	}
	return e, nil
}

// search returns the newest articles that PubMed finds, and how many there are.
func (e *eutils) search(ctx context.Context, query string, limit int) (articles []library.Brief, total int, interpreted string, err error) {
	var found struct {
		Result struct {
			Count       string   `json:"count"`
			IDs         []string `json:"idlist"`
			Translation string   `json:"querytranslation"`
			Error       string   `json:"ERROR"`
		} `json:"esearchresult"`
	}
	if err := e.get(ctx, "esearch.fcgi", url.Values{"term": {query}, "retmax": {fmt.Sprint(limit)}, "sort": {"pub_date"}}, &found); err != nil {
		return nil, 0, "", err
	}
	if found.Result.Error != "" {
		return nil, 0, "", fmt.Errorf("PubMed refused the search: %s", clip(found.Result.Error, 300))
	}
	if _, err := fmt.Sscan(found.Result.Count, &total); err != nil {
		return nil, 0, "", fmt.Errorf("PubMed's answer has no count")
	}
	articles, err = e.summaries(ctx, found.Result.IDs)
	return articles, total, found.Result.Translation, err
}

func (e *eutils) summaries(ctx context.Context, ids []string) ([]library.Brief, error) {
	list := []library.Brief{}
	if len(ids) == 0 {
		return list, nil
	}
	var answer struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	if err := e.get(ctx, "esummary.fcgi", url.Values{"id": {strings.Join(ids, ",")}}, &answer); err != nil {
		return nil, err
	}
	for _, id := range ids {
		var s struct {
			Title   string `json:"title"`
			Journal string `json:"fulljournalname"`
			Date    string `json:"sortpubdate"`
			Authors []struct {
				Name string `json:"name"`
			} `json:"authors"`
			Types []string `json:"pubtype"`
		}
		if json.Unmarshal(answer.Result[id], &s) != nil || s.Title == "" {
			continue // PubMed has ids without a summary
		}
		b := library.Brief{PMID: id, Title: s.Title, Journal: s.Journal, Authors: []string{}, Types: nonNil(s.Types)}
		b.Date = strings.ReplaceAll(s.Date[:min(len(s.Date), 10)], "/", "-")
		for _, author := range s.Authors[:min(len(s.Authors), 12)] {
			b.Authors = append(b.Authors, author.Name)
		}
		list = append(list, b)
	}
	return list, nil
}

func (e *eutils) get(ctx context.Context, program string, values url.Values, into any) error {
	values.Set("db", "pubmed")
	values.Set("retmode", "json")
	values.Set("tool", "pageside-demo")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.base+"/"+program+"?"+values.Encode(), nil)
	if err != nil {
		return fmt.Errorf("ask PubMed: %w", err)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask PubMed: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
		return fmt.Errorf("ask PubMed: it answered %s", resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read PubMed's answer: %w", err)
	}
	return nil
}
