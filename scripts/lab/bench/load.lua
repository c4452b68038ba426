-- What wrk sends: signed requests that `ipnd-bench load` wrote. One thread only.
-- wrk … URL -- FILE [LIMIT [PAUSE [SKIP [CLOSE]]]]
--   LIMIT   send only the first LIMIT requests of the file, repeatedly (0: all)
--   PAUSE   mean milliseconds that a connection pauses before each request: a paced load
--   SKIP    begin after the first SKIP requests of the file
--   CLOSE   1: each request asks the server to close, so each uses a new connection
local requests, place = {}, 0

function setup(thread) worker = thread end

function init(args)
  passes, bad = 0, 0 -- global: `done` reads them from outside the thread
  local limit, pause = tonumber(args[2] or 0), tonumber(args[3] or 0)
  local file = assert(io.open(args[1], "rb"))
  for _ = 1, tonumber(args[4] or 0) do file:seek("cur", tonumber(file:read(8))) end
  while limit == 0 or #requests < limit do
    local length = file:read(8)
    if not length then break end
    local text = file:read(tonumber(length))
    if args[5] == "1" then text = text:gsub("\r\n", "\r\nConnection: close\r\n", 1) end
    requests[#requests + 1] = text
  end
  file:close()
  if pause > 0 then
    -- Evenly distributed from zero to twice the mean, so that connections do not run in step; wrk
    -- supports whole milliseconds only, so the fraction decides how often one more is added.
    function delay() return math.floor(2 * pause * math.random() + math.random()) end
  end
end

function request()
  place = place % #requests + 1
  if place == 1 then passes = passes + 1 end
  return requests[place]
end

function response(status) if status ~= 200 and status ~= 204 then bad = bad + 1 end end

function done(summary, latency)
  local errors, at = summary.errors, {}
  for _, share in ipairs({ 50, 75, 90, 95, 99, 99.9, 99.99 }) do
    at[#at + 1] = string.format('"%g":%.3f', share, latency:percentile(share) / 1000)
  end
  io.write(string.format(
    '{"requests":%d,"persecond":%.1f,"bad":%d,"passes":%d,"errors":%d,"worst":%.3f,"milliseconds":{%s}}\n',
    summary.requests, summary.requests / (summary.duration / 1e6), worker:get("bad"),
    worker:get("passes"), errors.connect + errors.read + errors.write + errors.timeout,
    latency.max / 1000, table.concat(at, ",")))
end
