-- Comments and votes, each of another person in turn: BENCH_TOKENS is a file with one token a line.
local tokens, number = {}, 0
for line in io.lines(os.getenv("BENCH_TOKENS")) do tokens[#tokens + 1] = line end
local body, path = os.getenv("BENCH_BODY"), os.getenv("BENCH_PATH")
local start = os.getenv("BENCH_START") or "0"

request = function()
  number = number + 1
  wrk.headers["Authorization"] = "Bearer " .. tokens[number % #tokens + 1]
  return wrk.format("POST", path, nil, (body:gsub("NUMBER", start .. "-" .. number)))
end

init = function()
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-API-Key"] = os.getenv("BENCH_KEY")
  wrk.headers["Origin"] = os.getenv("BENCH_ORIGIN")
end
