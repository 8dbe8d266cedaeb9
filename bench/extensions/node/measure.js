// Arguments: the module, vocabulary, merges, text, number of calls.  Prints what `brawn-bench extensions` reads.
const fs = require("node:fs");
const [module_, vocabulary, merges, path, calls] = process.argv.slice(2);
const { Tokenizer, heap } = require(module_);

const tokenizer = new Tokenizer(vocabulary, merges);
const text = fs.readFileSync(path, "utf8");
const documents = [];
for (let at = 0; at < text.length; at += 6500) documents.push(text.slice(at, at + 6500));
const seconds = [];
let encoded;
for (let call = 0; call < Number(calls); call++) {
  const start = process.hrtime.bigint();
  encoded = tokenizer.encodeBatch(documents);
  seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
}
const tokens = encoded.reduce((sum, one) => sum + one.length, 0);
const resident = /^VmRSS:\s+(\d+)/m.exec(fs.readFileSync("/proc/self/status", "utf8"))[1];
console.log(JSON.stringify({ heap: heap(), tokens, seconds, rss_kib: Number(resident) }));
