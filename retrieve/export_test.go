package retrieve

// NewExact gives tests the index of a Retriever that is given none.
func NewExact() Index { return &exactIndex{} }
