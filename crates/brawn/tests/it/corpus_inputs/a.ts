import { readFileSync } from "node:fs";

export type Row = { name: string, size: number };

var rows: Row[] = []
for (let i = 0; i < 3; i++) {
  rows.push({ name: "row" + i, size: i * 10 })
}

export function largest(list: Array<Row>) {
  debugger
  let unused = 1;
  if (list.length == 0) return undefined
  return list.sort((a, b) => b.size - a.size)[0]!.name
}

console.log(largest(rows), readFileSync)
