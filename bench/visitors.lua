-- Every request is somebody else's.
local number = 0

request = function()
  number = number + 1
  wrk.headers["User-Agent"] = "browser " .. number
  return wrk.format()
end
