-- The same report for a plain request.
dofile("scripts/load/dry-run.lua")
wrk.method, wrk.body, request = "GET", nil, nil
