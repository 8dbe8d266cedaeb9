-- What scripts do with strings, tables and numbers.
local words, counts, parts = {}, {}, {}
local seed = 12345
local function draw(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed % n
end
for i = 1, 60000 do
  words[i] = string.format("word-%d-%x", draw(5000), draw(65536))
end
for _, word in ipairs(words) do
  local key = word:match("^(%a+%-%d+)") or ""
  counts[key:upper()] = (counts[key:upper()] or 0) + 1
end
table.sort(words)
for i = 1, #words, 7 do
  parts[#parts + 1] = words[i]:gsub("%-", "_"):reverse()
end
local text = table.concat(parts, ",")
local fields = 0
for field in text:gmatch("[^,]+") do
  fields = fields + #field
end
local sum = 0.0
for i = 1, 300000 do
  sum = sum + math.sin(i) * math.floor(i / 3) + tonumber(tostring(i % 1000 + 0.5))
end
local n = 0
for _ in pairs(counts) do n = n + 1 end
print(n, fields, string.format("%.3f", sum))
