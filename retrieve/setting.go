package retrieve

// setting holds the numbers of ranking, one setting for all documents.
// docs/retrieval.md has the measurements behind each; affinity has its own.
type setting struct {
	saturation   float64 // BM25's k1: how soon a repeated term stops adding
	lengthShare  float64 // BM25's b: how much long passages are discounted
	repetition   float64 // BM25's k3: how soon a term that the query repeats stops adding
	headings     float32 // occurrences that a term in a heading above a passage counts for
	neighbours   float64 // occurrences that a term in the passage before or after counts for
	document     float64 // weight of the whole document's BM25 beside the passage's
	pairs        float64 // weight of two neighbouring terms of the query that are neighbours in the passage
	pairDistance int     // words from the one to the other, at most
	background   float64 // passages of ordinary text that document frequencies begin with
	letters      float64 // weight of the built-in embedder's cosine beside the lexical score
	window       float64 // weight of the query's terms that are together in a window of the passage
	windowWords  int     // words of that window
	meaning      float64 // weight of other embedders' cosine, both scaled over the hits
	promoted     int     // rank, from 1, that the passage of the highest affinity gets at least; 0 leaves it
	around       float64 // in affinity: occurrences that a term in the passage before or after counts for
	variants     int     // 1 if other forms of a query's words are found too
	titles       float32 // occurrences that a term, or pair, in the title of a page or table counts for
	phrases      float64 // weight of what documents write for a phrase of the query, beside its own terms
	together     float64 // share of that which goes to terms side by side, the rest to terms
	request      float64 // occurrences that a term which says how to answer counts for
	requestFrom  int     // other terms of a query from which on such terms are told apart
	evidence     float64 // in affinity: what is written for a phrase counts for, beside the phrase
	subject      float64 // in affinity: occurrences, saturated, that a term of the whole file's subject counts for
	perPage      int     // passages of one page that are cited before those of others; 0 means any number
}

func defaultSetting() setting {
	return setting{
		saturation: 1.2, lengthShare: .75, repetition: 100, headings: 1, neighbours: .2, document: .5,
		pairs: .6, pairDistance: 2, background: 50, letters: .45, meaning: .5,
		window: .4, windowWords: 20, promoted: 3, around: .2, variants: 1,
		titles: 4, phrases: 2, together: .5, request: .2, requestFrom: 4, evidence: .8, subject: .2, perPage: 1,
	}
}
