package eval

// Schema names the JSON form of a [Report].
const Schema = "inlay.evaluation/v1"

// Report is the outcome of an evaluation. But for the fields named Millis it
// is the same for the same input, whatever the number of processors. Shares
// are 0..1.
type Report struct {
	Schema        string           `json:"schema"`
	Set           Summary          `json:"set"`
	Recommended   Recommendation   `json:"recommended"`
	Others        []Recommendation `json:"others"`   // by the other aims, for comparison
	Cost          Cost             `json:"cost"`     // what faults cost
	Settings      []Setting        `json:"settings"` // in the order asked for: embedder, then chunk
	Points        []Point          `json:"points"`   // setting, then limit, then threshold ascending
	Best          []Point          `json:"best"`     // the best threshold of each setting and limit by the aim
	Kinds         []KindRow        `json:"kinds,omitempty"`
	Documents     []DocumentRow    `json:"documents"`       // in the set's order
	Failures      []Failure        `json:"failures"`        // in the set's order of questions, at most Options.Failures
	FailuresInAll int              `json:"failures_in_all"` // more than len(Failures) when there were too many to list
	Warnings      []string         `json:"warnings,omitempty"`
	ParseMillis   float64          `json:"parse_millis"`   // all documents, wall clock; 0 when they came from the store
	ElapsedMillis float64          `json:"elapsed_millis"` // the whole evaluation
	ParsedNow     int              `json:"parsed_now"`     // documents that did not come from the store
	EmbeddedNow   int              `json:"embedded_now"`   // documents, once for each setting, that did not come from the store
	RankedNow     int              `json:"ranked_now"`     // questions, once for each setting, that did not come from the store

	Run   []Line `json:"-"` // the ranking of the recommended setting, the best hundred of each question
	Qrels []Line `json:"-"` // what it is judged by, under the same names
}

// Summary says what was evaluated.
type Summary struct {
	Name         string `json:"name"`
	Layout       Layout `json:"layout"`
	Documents    int    `json:"documents"`
	Unreadable   int    `json:"unreadable"` // documents that no text could be read from
	Questions    int    `json:"questions"`  // asked
	Answerable   int    `json:"answerable"`
	Unanswerable int    `json:"unanswerable"`
	Unjudged     int    `json:"unjudged"`   // left out, since nothing is known of their answers
	ByPassage    bool   `json:"by_passage"` // places in documents are expected, not whole documents
}

// Setting is one way to search: an embedder and a chunking. Its ranking is
// judged as a whole, before limit and threshold.
type Setting struct {
	Embedder  string  `json:"embedder"`           // as embed.Spec.Model
	Reranker  string  `json:"reranker,omitempty"` // that ordered the best passages again; empty: none
	Chunk     string  `json:"chunk"`              // "300/0"
	Threshold float64 `json:"threshold"`          // that the embedder recommends
	Chunks    int     `json:"chunks"`             // of all documents
	Tokens    int     `json:"tokens"`             // of all chunks, by the splitter's measure
	Ranking   Ranking `json:"ranking"`
	// Affinities is a histogram of the best affinity of each question.
	Affinities Histogram `json:"affinities"`

	IndexMillis  float64 `json:"index_millis"`  // to chunk, embed and index all documents, wall clock; 0 when nothing had to be done
	SearchMillis float64 `json:"search_millis"` // for one question, on average over those searched
}

// Search names the embedder and the reranker: "builtin, reranked by rerank:bge".
func (s Setting) Search() string { return searchName(s.Embedder, s.Reranker) }

// Search names the embedder and the reranker.
func (r Recommendation) Search() string { return searchName(r.Embedder, r.Reranker) }

func searchName(embedder, reranker string) string {
	if reranker == "" {
		return embedder
	}
	return embedder + ", reranked by " + reranker
}

// Ranking judges the order of what was found for the answerable questions, as
// trec_eval does; each is a mean over them.
type Ranking struct {
	NDCG10     float64 `json:"ndcg@10"`
	MRR10      float64 `json:"mrr@10"`
	MAP        float64 `json:"map"`
	Recall5    float64 `json:"recall@5"`
	Recall10   float64 `json:"recall@10"`
	Recall20   float64 `json:"recall@20"`
	Recall100  float64 `json:"recall@100"`
	Precision1 float64 `json:"precision@1"`
	Success5   float64 `json:"success@5"`
	// AUROC is how well the best affinity tells answerable questions from
	// unanswerable ones: .5 is guessing. 0 where there are not both.
	AUROC float64 `json:"auroc"`
}

// Histogram counts questions by the best affinity that they found, in bins of
// equal width from 0 to 1; the last holds 1 too.
type Histogram struct {
	Answerable   []int `json:"answerable"`
	Unanswerable []int `json:"unanswerable"`
}

// Point is one combination of the sweep and what it does.
type Point struct {
	Setting   int     `json:"setting"` // place in Report.Settings
	Limit     int     `json:"limit"`
	Threshold float64 `json:"threshold"`
	Scores
}

// Scores say what a person gets at a point. Passages are those cited: the best
// Limit, of these the ones with an affinity above Threshold.
type Scores struct {
	Precision float64 `json:"precision"` // of all passages cited for any question, the share that was expected; 0 where none was cited
	Recall    float64 `json:"recall"`    // of what was expected, the share cited; mean over answerable questions
	F1        float64 `json:"f1"`        // harmonic mean of Precision and Recall
	HitRate   float64 `json:"hit_rate"`  // of answerable questions, those with an expected passage among the cited
	MRR       float64 `json:"mrr"`       // of the cited; mean over answerable questions
	NDCG10    float64 `json:"ndcg@10"`   // of the cited; mean over answerable questions
	Silent    float64 `json:"silent"`    // of answerable questions, those that got nothing
	False     float64 `json:"false"`     // of unanswerable questions, those that got something; 0 where there are none
	Passages  float64 `json:"passages"`  // cited for a question, mean over all
	Tokens    float64 `json:"tokens"`    // of passages, for a question, mean over all; text that passages share counts twice
	Cost      float64 `json:"cost"`      // see Cost; mean over all questions
}

// Recommendation is the best point by an aim, and how far to trust it.
type Recommendation struct {
	Aim      string `json:"aim"`      // "f1", "recall@0.5", "cost"
	Reached  bool   `json:"reached"`  // false: no point has the precision that the aim asks for, and this one comes nearest
	Embedder string `json:"embedder"` // of the setting
	Reranker string `json:"reranker,omitempty"`
	Chunk    string `json:"chunk"`
	Point
	// ThresholdRange is the middle 95 % of the thresholds that the aim chooses
	// when the questions are drawn again, with replacement, for the same setting
	// and limit; ScoreRange that of the aim's score at the recommended point.
	ThresholdRange [2]float64 `json:"threshold_range"`
	ScoreRange     [2]float64 `json:"score_range"`
	// Score is what the aim maximises (f1, recall) or minimises (cost) at the
	// point, on the questions it was chosen by. HeldOut is the same for points
	// chosen without the questions they are scored on: the mean over folds of
	// cross-validation. Where HeldOut is much worse, there are too few questions.
	Score   float64 `json:"score"`
	HeldOut Scores  `json:"held_out"`
	Folds   int     `json:"folds"` // 0: too few questions, HeldOut is empty
	// HeldOutScore is the aim's score within HeldOut.
	HeldOutScore float64 `json:"held_out_score"`
}

// KindRow says what the questions of one kind get at the recommended point.
type KindRow struct {
	Kind         string  `json:"kind"`
	Answerable   int     `json:"answerable"`
	Unanswerable int     `json:"unanswerable"`
	HitRate      float64 `json:"hit_rate"` // of its answerable questions
	Silent       float64 `json:"silent"`   // of its answerable questions
	False        float64 `json:"false"`    // of its unanswerable questions
	Affinity     float64 `json:"affinity"` // the best of a question, mean
}

// DocumentRow says how one document fares at the recommended point.
type DocumentRow struct {
	Document  string  `json:"document"` // its id in the set
	Chunks    int     `json:"chunks"`
	Tokens    int     `json:"tokens"`
	Questions int     `json:"questions"` // that expect something of it
	Hits      int     `json:"hits"`      // of these, those for which something expected of it was cited
	Wrong     int     `json:"wrong"`     // passages of it that were cited without being expected
	Error     string  `json:"error,omitempty"`
	Recall    float64 `json:"recall"` // Hits over Questions; 0 where nobody asks
}

// Failure is a question that did not get what it should at the recommended point.
type Failure struct {
	Question string  `json:"question"` // its id
	Text     string  `json:"text"`
	Kind     string  `json:"kind,omitempty"`
	Reason   Reason  `json:"reason"`
	Expected []Found `json:"expected,omitempty"` // what would have been right; none for unanswerable questions
	Cited    []Found `json:"cited"`              // what was cited instead, best first
	Best     *Found  `json:"best,omitempty"`     // the best expected passage of the ranking, if it has one
}

// Reason says why a question failed.
type Reason string

// The reasons.
const (
	BelowThreshold Reason = "below_threshold" // the expected passage is among the best, its affinity too low
	BelowLimit     Reason = "below_limit"     // other passages are before it
	NotFound       Reason = "not_found"       // it is not among what the search ranked at all
	Unreadable     Reason = "unreadable"      // its document could not be read
	ShouldBeSilent Reason = "should_be_silent"
)

// Found is a passage, or a place that was expected. Offsets are half-open byte
// ranges of the parsed text; absent numbers mean unknown, or the whole document.
type Found struct {
	Document  string  `json:"document"`
	Page      int     `json:"page,omitempty"`
	LineStart int     `json:"line_start,omitempty"`
	LineEnd   int     `json:"line_end,omitempty"`
	Start     int     `json:"start"`
	End       int     `json:"end"`
	Excerpt   string  `json:"excerpt"`        // its beginning, at most 300 bytes
	Cut       bool    `json:"cut,omitempty"`  // Excerpt is not all of it
	Rank      int     `json:"rank,omitempty"` // among all passages of the question, from 1
	Affinity  float64 `json:"affinity,omitempty"`
	Right     bool    `json:"right,omitempty"` // it was expected
}
