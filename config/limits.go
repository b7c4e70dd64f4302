package config

import (
	"slices"

	"github.com/pageside/pageside/llm"
)

// Limits bounds what the server accepts, and what one user may have of it.
type Limits struct {
	Body     int            `json:"body,omitempty" jsonschema:"largest request in bytes, without messages that its thread has already; default 4 MiB"`
	Runs     int            `json:"runs,omitempty" jsonschema:"most runs live or waiting at once; default 10000"`
	Inputs   int            `json:"inputs,omitempty" jsonschema:"most bytes of requests that are being read or wait for their run to begin; default 64 MiB. One that repeats its thread may have half of it"`
	Messages int            `json:"messages,omitempty" jsonschema:"most messages in a request; default 10000"`
	User     *UserLimits    `json:"user,omitempty" jsonschema:"what one user may have"`
	Tenant   *TenantLimits  `json:"tenant,omitempty" jsonschema:"what all users of a tenant may have together"`
	Thread   *ThreadLimits  `json:"thread,omitempty" jsonschema:"what one thread may hold"`
	Run      *RunLimits     `json:"run,omitempty" jsonschema:"what one run may use; its time is runs.timeout, its steps are the agent's maxSteps"`
	Requests *RequestLimits `json:"requests,omitempty" jsonschema:"how often one user may do what; by default not limited for the single user of auth mode none"`
}

// UserLimits is what one user may have.
type UserLimits struct {
	Runs          int     `json:"runs,omitempty" jsonschema:"most runs live or waiting at once; default 32, and limits.runs for the single user of auth mode none"`
	Inputs        int     `json:"inputs,omitempty" jsonschema:"most bytes of requests that are being read or wait for their run to begin; default 16 MiB"`
	Searches      int     `json:"searches,omitempty" jsonschema:"most searches at once; default 4"`
	Streams       int     `json:"streams,omitempty" jsonschema:"most open streams of events; default 200"`
	TokensPerDay  int     `json:"tokensPerDay,omitempty" jsonschema:"most tokens of model calls in a day (UTC); default no limit"`
	DollarsPerDay float64 `json:"dollarsPerDay,omitempty" jsonschema:"most US dollars, by the models' prices, in a day (UTC); default no limit"`
}

// TenantLimits is what all users of a tenant may have together.
type TenantLimits struct {
	Runs          int     `json:"runs,omitempty" jsonschema:"most runs live or waiting at once; default no limit"`
	TokensPerDay  int     `json:"tokensPerDay,omitempty" jsonschema:"most tokens of model calls in a day (UTC); default no limit"`
	DollarsPerDay float64 `json:"dollarsPerDay,omitempty" jsonschema:"most US dollars, by the models' prices, in a day (UTC); default no limit"`
}

// ThreadLimits is what one thread may hold.
type ThreadLimits struct {
	Waiting         int `json:"waiting,omitempty" jsonschema:"most runs that wait for the thread's live run; default 4"`
	Attachments     int `json:"attachments,omitempty" jsonschema:"most attachments; default 500"`
	AttachmentBytes int `json:"attachmentBytes,omitempty" jsonschema:"most bytes of attachments; default 64 MiB"`
}

// RunLimits is what one run may use.
type RunLimits struct {
	Tokens  int     `json:"tokens,omitempty" jsonschema:"most tokens of its model calls; default no limit"`
	Dollars float64 `json:"dollars,omitempty" jsonschema:"most US dollars, by the models' prices; default no limit"`
}

// RequestLimits is how often one user may do what.
type RequestLimits struct {
	Runs         *Rate `json:"runs,omitempty" jsonschema:"starting runs; default 60 a minute, 30 at once"`
	Actions      *Rate `json:"actions,omitempty" jsonschema:"suggested actions with a server handler; default 60 a minute, 30 at once"`
	Instructions *Rate `json:"instructions,omitempty" jsonschema:"changing the instructions of scopes; default 30 a minute, 20 at once"`
	Searches     *Rate `json:"searches,omitempty" jsonschema:"searching threads; default 120 a minute, 30 at once"`
	Writes       *Rate `json:"writes,omitempty" jsonschema:"other changes, such as titles and cancelling; default 300 a minute, 100 at once"`
	Reads        *Rate `json:"reads,omitempty" jsonschema:"everything else; default 1200 a minute, 300 at once"`
}

// Rate is how often something may be done.
type Rate struct {
	PerMinute int `json:"perMinute" jsonschema:"on average"`
	Burst     int `json:"burst,omitempty" jsonschema:"so many at once; default perMinute"`
}

// Open reports whether the server has no authentication: then all requests are of one user, and
// there is nobody else to be protected.
func (f File) Open() bool { return f.Auth == nil || f.Auth.Mode == "none" }

// inDollars returns the first limit in dollars, or "".
func (l Limits) inDollars() string {
	switch {
	case Section(l.User).DollarsPerDay > 0:
		return "limits.user.dollarsPerDay"
	case Section(l.Tenant).DollarsPerDay > 0:
		return "limits.tenant.dollarsPerDay"
	case Section(l.Run).Dollars > 0:
		return "limits.run.dollars"
	}
	return ""
}

// prices checks that a limit in dollars is one: calls of unknown price would not count.
func (b *builder) prices() {
	field := Section(b.Limits).inDollars()
	if field == "" || len(b.problems) > 0 {
		return
	}
	var unknown []string
	for _, a := range b.site.Agents {
		models := []llm.Model{a.TitleModel}
		if b.site.remote[a.ID] == "" { // else its cost is somebody else's
			models = append(models, a.Model)
		}
		for _, m := range models {
			if m == nil {
				continue
			}
			for _, info := range llm.Answerers(m) {
				if !info.Scripted && (info.Prices.Input <= 0 || info.Prices.Output <= 0) &&
					!slices.Contains(unknown, info.Name()) {
					unknown = append(unknown, info.Name())
				}
			}
		}
	}
	for _, name := range unknown {
		b.fail(field, "needs the prices of %s: set prices under models", name)
	}
}
