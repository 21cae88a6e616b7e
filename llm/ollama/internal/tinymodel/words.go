package tinymodel

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// stopWords carry no meaning for the embedder.
const stopWords = `the of and to in is are was a an it this that for with on at by from as be has have not but or
if then which who what where when how why can will would should must may do does did search document query`

// contentWords have a direction of their own; those in one group share it.
const contentWords = `
rabbit hole alice white queen king time late watch tea party cat dog river book sister garden door key table
small large tall whale harpoon captain crew water sail sea=ocean ship=boat car=automobile
invoice total amount tax due date price cost report quarter revenue profit loss company customer contract
agreement clause law court model token context window prompt file chunk retrieval embedding vector score
threshold citation answer question user message system assistant server client port error log config database
index value memory cache disk cpu network request response out retry capital france paris germany berlin
weather rain sun snow temperature cold hot city country population bake bread flour oven dough yeast recipe
cook kitchen sugar salt butter patient hospital disease treatment symptom heart blood medicine=doctor=drug
leave=vacation=holiday days=day employee=employees=staff new week weeks months year years notice pay=salary
manager office remote work working hours training budget travel expenses sick parental probation start`

// normals returns n draws of a standard normal, seeded by name.
func normals(name string, n int) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1)) //nolint:gosec // seeded on purpose
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// ones returns n ones, the identity of a norm layer.
func ones(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// directions lists every content word with the name of its direction.
func directions() (words []string, direction map[string]string) {
	direction = map[string]string{}
	for group := range strings.FieldsSeq(contentWords) {
		names := strings.Split(group, "=")
		for _, w := range names {
			if _, known := direction[w]; !known {
				words = append(words, w)
			}
			direction[w] = names[0]
		}
	}
	return words, direction
}
