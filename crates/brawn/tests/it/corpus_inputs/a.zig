const std=@import("std");
pub fn main() void { std.debug.print("{d}\n", .{1+2}); var x:u32=3; }
