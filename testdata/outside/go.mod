module example.org/outside

go 1.26.0

require inlay v0.0.0

replace inlay => ../..
