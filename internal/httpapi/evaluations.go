package httpapi

import (
	"inlay/eval"
	"inlay/internal/files"
	"inlay/internal/jobs"
)

// evaluationObject is an evaluation without its report.
type evaluationObject struct {
	ID          string                  `json:"id"`
	Object      string                  `json:"object"`
	Name        string                  `json:"name"`
	Status      string                  `json:"status" enum:"queued,running,done,canceled,failed"`
	CreatedAt   int64                   `json:"created_at"`
	Files       []string                `json:"files" doc:"ids"`
	Questions   int                     `json:"questions"`
	Progress    jobs.EvaluationProgress `json:"progress"`
	Error       *files.ReadingError     `json:"error,omitempty" doc:"why it failed"`
	Recommended *eval.Recommendation    `json:"recommended,omitempty" doc:"of one that is done; everything else is in its result"`
}

type evaluationList struct {
	Object  string             `json:"object"`
	Data    []evaluationObject `json:"data"`
	HasMore bool               `json:"has_more"`
}

func describeEvaluation(e jobs.Evaluation) evaluationObject {
	o := evaluationObject{
		ID: e.ID, Object: "evaluation", Name: e.Asked.Name, Status: e.State, CreatedAt: e.Created.Unix(), Files: []string{}, Questions: len(e.Asked.Questions),
		Progress: e.How, Error: e.Why, Recommended: e.Recommend,
	}
	for _, f := range e.Asked.Files {
		o.Files = append(o.Files, f.ID)
	}
	return o
}

func (a *API) startEvaluation(c *call) error {
	var r jobs.EvaluationRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	e, err := a.service.StartEvaluation(c.ctx(), c.owner, r)
	if err != nil {
		return err
	}
	return c.json(describeEvaluation(e))
}

// maxEvaluationPage is the longest page: the records hold reports.
const maxEvaluationPage = 100

func (a *API) listEvaluations(c *call) error {
	p, err := c.page(maxEvaluationPage)
	if err != nil {
		return err
	}
	list, more, err := a.service.ListEvaluations(c.ctx(), c.owner, p)
	if err != nil {
		return err
	}
	if err := known(list, p, func(id string) error { _, err := a.service.Evaluation(c.ctx(), c.owner, id); return err }); err != nil {
		return err
	}
	out := evaluationList{Object: "list", Data: []evaluationObject{}, HasMore: more}
	for _, e := range list {
		out.Data = append(out.Data, describeEvaluation(e))
	}
	return c.json(out)
}

// getEvaluation answers with the evaluation as it is; as events, with its
// progress until it is over, and then with the event result.
func (a *API) getEvaluation(c *call) error {
	if !c.wantsEvents() {
		e, err := a.service.Evaluation(c.ctx(), c.owner, c.PathValue("id"))
		if err != nil {
			return err
		}
		return c.json(describeEvaluation(e))
	}
	return c.events(func(send func(string, any)) (any, error) {
		e, err := a.service.WatchEvaluation(c.ctx(), c.owner, c.PathValue("id"), func(e jobs.Evaluation) { send("progress", describeEvaluation(e)) })
		return describeEvaluation(e), err
	})
}

func (a *API) evaluationResult(c *call) error {
	data, err := a.service.EvaluationResult(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(data)
}

func (a *API) cancelEvaluation(c *call) error {
	e, err := a.service.CancelEvaluation(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(describeEvaluation(e))
}

func (a *API) deleteEvaluation(c *call) error {
	id := c.PathValue("id")
	if err := a.service.DeleteEvaluation(c.ctx(), c.owner, id); err != nil {
		return err
	}
	return c.json(deleted{ID: id, Object: "evaluation", Deleted: true})
}

// Evaluated implements service.Observer.
func (m *Metrics) Evaluated(status string) { m.evaluations.WithLabelValues(status).Inc() }
