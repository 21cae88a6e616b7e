package parse

// What the tests of package parse_test look at beside the exported names.
var (
	LimitNames = limitNames
	Ranges     = ranges
)
