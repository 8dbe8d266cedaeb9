#!/usr/bin/env python3
"""A preprocessor of mdbook, for the guide: links that lead out of docs/ lead to the repository, as they do on a forge;
blocks that are written to a file have its name above them; blocks that no test runs are marked; and what outputs
leave open, in the form that the test reads, is an ellipsis."""

import json
import re
import sys
from pathlib import Path

# [text](../path) and ![text](../path); pages have no other kind.
OUTSIDE = re.compile(r"\]\(\.\./([^)\s]+)\)")
FILE = re.compile(r"^( *)(```+)(\w+) file=(\S+)$", re.MULTILINE)
BY_HAND = re.compile(r"^( *)(```+)console,by-hand$", re.MULTILINE)

CONSOLE = re.compile(r"^( *)(```+)console\b.*?^\1\2$", re.MULTILINE | re.DOTALL)


def shown(block):
    """A block of commands for people: crates/brawn/tests/it/guide/page.rs has the marks' meanings."""
    text = block[0].replace("[..]", "…")
    text = re.sub(r"^( *)\.\.\.$", r"\1…", text, flags=re.MULTILINE)
    return re.sub(r"^( *)\? (\d+)$", r"\1(exit code \2)", text, flags=re.MULTILINE)


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0)
    context, book = json.load(sys.stdin)
    manifest = Path(context["root"], "../Cargo.toml").read_text()
    repository = re.search(r'(?m)^repository = "(.*)"$', manifest)[1].rstrip("/")

    def changed(text):
        text = CONSOLE.sub(shown, text)
        text = OUTSIDE.sub(rf"]({repository}/blob/main/\1)", text)
        text = FILE.sub(r'\1<div class="above">\4</div>\n\n\1\2\3', text)
        return BY_HAND.sub(r'\1<div class="above">by hand</div>\n\n\1\2console', text)

    def walk(items):
        for item in items:
            chapter = item.get("Chapter") if isinstance(item, dict) else None
            if chapter:
                chapter["content"] = changed(chapter["content"])
                walk(chapter["sub_items"])

    walk(book["items"])
    json.dump(book, sys.stdout)


main()
