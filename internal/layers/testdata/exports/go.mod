module exports

go 1.26.0
