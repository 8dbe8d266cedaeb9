// Look-ups with arrays for keys, each of which is a block of its own: first on one thread, then on every processor at
// once.  Prints whether the sums are right, and the time of both.
import Dispatch
import Foundation
import Synchronization

let count = Int(CommandLine.arguments.dropFirst().first ?? "1000000")!
var filled: [[Int]: Int] = [:]
for i in 0..<count { filled[[Int](repeating: i, count: 32)] = i }
let table = filled

func lookUp(_ keys: Range<Int>) -> Int {
  var sum = 0
  for i in keys { sum += table[[Int](repeating: i, count: 32)] ?? 0 }
  return sum
}

var sum = 0
let one = ContinuousClock().measure { sum = lookUp(0..<count) }
let threads = ProcessInfo.processInfo.activeProcessorCount
let sums = Atomic<Int>(0)
let all = ContinuousClock().measure {
  DispatchQueue.concurrentPerform(iterations: threads) { _ in
    let part = lookUp(0..<count / threads)
    sums.add(part, ordering: .relaxed)
  }
}

// Who asked whether this crosses from one heap into another?
for _ in 0..<1000 { free(strdup("test")) }

func triangle(_ n: Int) -> Int { n * (n - 1) / 2 }
let isRight = sum == triangle(count) && sums.load(ordering: .relaxed) == threads * triangle(count / threads)
print("\(isRight ? "right" : "WRONG"); on one thread \(one), on \(threads) at once \(all)")
