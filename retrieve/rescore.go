package retrieve

// rescored is how many of the first hits are looked at word by word.
const rescored = 50

// rescore reorders the first hits by how much of the query is together in
// one place of the passage.
func (c *Corpus) rescore(hits []hit, words lexicalHits, set *setting) {
	if set.window == 0 {
		return
	}
	first := hits[:min(rescored, len(hits))]
	for i := range first {
		h := &first[i]
		f := c.words[h.file]
		h.score += float64(set.window * words.asked[f.terms.Lang].window(h.file, f, h.chunk, set.windowWords))
	}
	sortHits(first) // none of the others can be above them: scores do not sink
}

// window returns the greatest share of the query's weight whose terms are
// within size words of a chunk, 0..1.
func (q *lexicalQuery) window(file int, f *lexicalFile, chunk, size int) float64 {
	if q.counts[file].terms == nil {
		return 0
	}
	column, body := q.column[file], f.body[chunk]
	if cap(q.places) < len(body) {
		q.places = make([]int16, 2*len(body))
	}
	places := q.places[:len(body)]
	for i, id := range body {
		places[i] = column[id]
	}
	return q.together(places, size, q.own)
}

// together is window for a sequence of words as 1 + their places in q.terms, 0
// for others, and the first n of the terms.
func (q *lexicalQuery) together(body []int16, size, n int) float64 {
	have := q.have
	if have == nil {
		have = make([]int, len(q.terms))
		q.have = have
	}
	clear(have)
	sum, most, ideal := 0.0, 0.0, 0.0
	for _, t := range q.terms[:n] {
		ideal += t.weight
	}
	if ideal == 0 {
		return 0
	}
	for at, c := range body {
		if at >= size {
			if c := int(body[at-size]); 0 < c && c <= n {
				if have[c-1]--; have[c-1] == 0 {
					sum -= q.terms[c-1].weight
				}
			}
		}
		if c := int(c); 0 < c && c <= n {
			if have[c-1]++; have[c-1] == 1 {
				sum += q.terms[c-1].weight
			}
		}
		most = max(most, sum)
	}
	return most / ideal
}
