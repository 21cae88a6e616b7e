-- What wrk sends: dry-run decisions over one file, with a question of another
-- length each time where VARY is set; whole questions where SEARCH is set.
local id, window, vary, dry = os.getenv("FILE_ID"), os.getenv("WINDOW"), os.getenv("VARY"), not os.getenv("SEARCH")
local n = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

local function body(question)
  return string.format('{"messages":[{"role":"user","text":"%s"}],"files":[{"id":"%s"}],"context_length":%s,"dry_run":%s}', question, id, window, tostring(dry))
end

wrk.body = body("How long is the notice period?")

function request()
  if not vary then return wrk.format() end
  n = n + 1
  return wrk.format(nil, nil, nil, body("How long is the notice period" .. string.rep(" for someone", n % 20) .. ", asks number " .. n .. "?"))
end

function done(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format("%8.0f requests/s   p50 %6.2f ms   p99 %6.2f ms   %d requests, %d errors\n",
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.requests, failed))
end
