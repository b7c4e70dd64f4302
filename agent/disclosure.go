package agent

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/tool"
)

// Disclosure tells a user what an agent works with at a place, and where the user's data goes.
// Texts of instructions are left out: they are the operator's.
type Disclosure struct {
	Agent       string `json:"agent"`
	Description string `json:"description,omitempty"`
	// every model that may answer, the one that answers now first. Of an agent elsewhere, the agent
	Models       []DisclosedModel        `json:"models"`
	Tools        []DisclosedTool         `json:"tools"`
	Instructions []DisclosedInstructions `json:"instructions"`
	// what the model may do with the shared state: none, read or write
	State sharedstate.Access `json:"state"`
	// estimate for all that the server adds to each call of a model
	Tokens int `json:"tokens"`
}

// DisclosedModel is a model that may answer.
type DisclosedModel struct {
	Name     string     `json:"name"`
	Scripted bool       `json:"scripted,omitempty"`
	Uses     []ModelUse `json:"uses"`
	Destination
}

// ModelUse says when a model answers.
type ModelUse string

// When a model answers.
const (
	UsedNow           ModelUse = "now"            // the user's next question
	UsedInReserve     ModelUse = "reserve"        // if the one that answers now fails
	UsedIfChosen      ModelUse = "choice"         // once the user chooses it
	UsedBehindAChoice ModelUse = "choice_reserve" // if one that the user chooses fails
)

// DisclosedTool is a tool of the server that the user's runs may use.
type DisclosedTool struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Effect      tool.Effect   `json:"effect"`
	Approval    tool.Approval `json:"approval"` // never, always or policy
	BuiltIn     bool          `json:"builtIn,omitempty"`
	When        string        `json:"when,omitempty"` // condition under which it is offered
	Tokens      int           `json:"tokens"`         // estimate for its declaration
	Destination
}

// Destination says where requests go. Both are empty where that is unknown, or nowhere.
type Destination struct {
	Host    string `json:"host,omitempty"`    // a public one
	Private bool   `json:"private,omitempty"` // a host of the operator's network, not named
}

// DisclosedInstructions names a part of the system prompt.
type DisclosedInstructions struct {
	Name   string `json:"name"` // as of page.Section
	Tokens int    `json:"tokens"`
}

// Disclose returns what a principal is told of the agent's work at a place, with the stored
// instructions of its scope, while the pick holds. It leaves out what the client itself sends.
func (a *Agent) Disclose(ctx context.Context, p auth.Principal, at page.Place, scope []string, pick Pick) Disclosure {
	d := Disclosure{
		Agent: a.ID, Description: a.Description, Tools: []DisclosedTool{}, Instructions: []DisclosedInstructions{},
		State: cmp.Or(a.State.Model, sharedstate.Read),
	}
	model, _ := a.picked(pick)
	d.Models = a.discloseModels(model)
	view := a.Pages.Resolve(at)
	if model.Info().Tools {
		d.Tools = append(d.Tools, a.discloseTools(ctx, p, at, view)...)
	}
	for _, s := range page.Sections(view, page.Extra{
		Agent: a.Instructions, Scope: scope, PayloadTools: payloadsByTool(model.Info()),
	}) {
		d.Instructions = append(d.Instructions, DisclosedInstructions{s.Name, s.Tokens})
		d.Tokens += s.Tokens
	}
	for _, t := range d.Tools {
		if t.When == "" {
			d.Tokens += t.Tokens
		}
	}
	for _, p := range toolPayloads(view, model.Info()) {
		d.Tokens += DeclaredTokens(payloadOffer(p, false).decl)
	}
	return d
}

// discloseModels returns the model that answers now and those that stand in for it, then those that
// users may choose from, and last what stands in for these alone.
func (a *Agent) discloseModels(now llm.Model) (list disclosedModels) {
	list.add(llm.Answerers(now)[:1], UsedNow)
	list.add(llm.Answerers(now)[1:], UsedInReserve)
	for _, c := range a.Choices {
		list.add(llm.Answerers(c.Model)[:1], UsedIfChosen)
	}
	for _, c := range a.Choices {
		list.add(llm.Answerers(c.Model)[1:], UsedBehindAChoice)
	}
	return list
}

type disclosedModels []DisclosedModel

// add adds models with a use. One that is listed gets no other, but if it is in reserve and may be
// chosen too.
func (l *disclosedModels) add(infos []llm.Info, use ModelUse) {
	for _, info := range infos {
		m := DisclosedModel{info.Name(), info.Scripted, []ModelUse{use}, destination(info.Host)}
		i := slices.IndexFunc(*l, func(listed DisclosedModel) bool {
			return listed.Name == m.Name && listed.Scripted == m.Scripted && listed.Destination == m.Destination
		})
		switch {
		case i < 0:
			*l = append(*l, m)
		case use == UsedIfChosen && slices.Equal((*l)[i].Uses, []ModelUse{UsedInReserve}):
			(*l)[i].Uses = append((*l)[i].Uses, use)
		}
	}
}

// discloseTools returns the place's tools that may be offered to the principal, and the built-in
// ones.
func (a *Agent) discloseTools(
	ctx context.Context, p auth.Principal, at page.Place, view page.View,
) (list []DisclosedTool) {
	may := newAccess(a, &Input{Principal: p, Place: at}, &taint{})
	for _, t := range view.Tools {
		if lacking(t, at) == "" && may.offers(ctx, policy.Tool, t.Name, t.Effect, false).Decision != policy.Deny {
			list = append(list, disclosed(describeTool(t), t.Host))
		}
	}
	for _, t := range a.describeBuiltins(view) {
		list = append(list, disclosed(t, ""))
	}
	return list
}

func disclosed(t ToolDescription, host string) DisclosedTool {
	return DisclosedTool{t.Name, t.Description, t.Effect, t.Approval, t.BuiltIn, t.When, t.Tokens, destination(host)}
}

// internalNames end the names of hosts that only a private network knows.
var internalNames = []string{
	".localhost", ".local", ".internal", ".intranet", ".corp", ".lan", ".home", ".home.arpa", ".private",
}

// destination returns where requests to a host go. Names of private hosts stay untold: they are
// about the operator's network.
func destination(host string) Destination {
	if host == "" {
		return Destination{}
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(strings.ToLower(host), "[].")
	if isPrivate(host) {
		return Destination{Private: true}
	}
	return Destination{Host: host}
}

func isPrivate(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return !addr.IsGlobalUnicast() || addr.IsPrivate()
	}
	for _, suffix := range internalNames {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}
