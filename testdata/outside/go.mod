module example.org/outside

go 1.26.0

require inlay v0.0.0

replace inlay => ../..

// Nothing that is built needs it, and the test of this module is without network.
exclude github.com/emirpasic/gods v1.18.1
