package research

import (
	"errors"
	"net/http"
	"time"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/rest"
)

type streamHead struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Purpose   string    `json:"purpose"`
	Articles  int       `json:"articles"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func (a *App) getStreams(req *http.Request) (any, error) {
	list := []streamHead{}
	for _, s := range a.streams.all() {
		_, total, err := a.find(req.Context(), s.Retrieval, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, streamHead{s.ID, s.Name, s.Purpose, min(total, s.Retrieval.MaxResults), s.UpdatedAt})
	}
	return map[string]any{"streams": list}, nil
}

func (a *App) getStream(req *http.Request) (any, error) { return a.streams.get(req.PathValue("id")) }

func (a *App) postStream(req *http.Request) (any, error) {
	var s Stream
	if err := rest.Decode(req, &s); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	made, err := a.streams.add(s)
	return rest.Created{Value: made}, err
}

func (a *App) putStream(req *http.Request) (any, error) {
	var s Stream
	if err := rest.Decode(req, &s); err != nil {
		return nil, err
	}
	if s.ID != "" && s.ID != req.PathValue("id") {
		return nil, rest.BadField("id", "is not that of the address")
	}
	s.ID = req.PathValue("id")
	if err := s.check(); err != nil {
		return nil, err
	}
	return a.streams.put(s)
}

func (a *App) getReports(*http.Request) (any, error) {
	list := []Report{}
	for _, r := range a.reports.sorted() {
		head := *r
		head.Articles = nil
		list = append(list, head)
	}
	return map[string]any{"reports": list}, nil
}

func (a *App) getReport(req *http.Request) (any, error) {
	r, err := a.reports.get(req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return whole(r), nil
}

// whole is a report with its articles, be there any or none.
func whole(r *Report) any {
	return struct {
		Report
		Articles []library.Brief `json:"articles"`
	}{*r, rest.List(r.Articles)}
}

func (a *App) postReport(req *http.Request) (any, error) {
	var in struct {
		StreamID string `json:"streamId"`
		Name     string `json:"name"`
	}
	if err := rest.Decode(req, &in); err != nil {
		return nil, err
	}
	r, err := a.newReport(req.Context(), in.StreamID, in.Name)
	if err != nil {
		return nil, err
	}
	return rest.Created{Value: whole(r)}, nil
}

type preview struct {
	Match Match    `json:"match"`
	Type  string   `json:"type"`
	PMIDs []string `json:"pmids"`
	NCTs  []string `json:"ncts"`
}

// maxPreview is for how many rows a column is computed at once.
const maxPreview = 500

func (a *App) postPreview(req *http.Request) (any, error) {
	var in preview
	if err := rest.Decode(req, &in); err != nil {
		return nil, err
	}
	if err := in.Match.check("match"); err != nil {
		return nil, err
	}
	if err := oneOf("type", in.Type, valueTypes...); err != nil {
		return nil, err
	}
	if len(in.PMIDs)+len(in.NCTs) > maxPreview {
		return nil, rest.BadField("pmids", "and ncts are more than %d", maxPreview)
	}
	values, match := map[string]any{}, in.Match.matcher()
	for _, pmid := range in.PMIDs {
		if article, err := a.library.Article(req.Context(), pmid); err == nil {
			values[pmid] = match.value(in.Type, recordOf(article))
		} else if !errors.Is(err, library.ErrNotFound) {
			return nil, err
		}
	}
	for _, nct := range in.NCTs {
		if t, err := a.library.Trial(req.Context(), nct); err == nil {
			values[nct] = match.value(in.Type, recordOfTrial(t))
		} else if !errors.Is(err, library.ErrNotFound) {
			return nil, err
		}
	}
	return map[string]any{"values": values}, nil
}
