const names = ["b", "a", "c"]
var total = 0
for (var i = 0; i < names.length; i++) { total = total + i; if (total == NaN) { continue } }
function again(a, a2) { arguments.length; return a = a }
console.log(names.sort(), total, typeof total === "nubmer")
