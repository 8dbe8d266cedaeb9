import os, sys
from typing import List, Optional


class Node:
    def __init__(self, value: int, children: Optional[List["Node"]] = None):
        self.value = value
        self.children = children or []

    def total(self):
        return self.value + sum([c.total() for c in self.children])


def unused(a, b = 3):
    unused_name = a
    if b == None:
        return "none"
    try:
        return int(a) + "x"
    except:
        pass


print("total", Node(1, [Node(2), Node(3)]).total(), Node(1).missing)
