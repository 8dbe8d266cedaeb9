#!/usr/bin/env python3
"""Makes the picture of README.md, docs/figures/run.svg: a real run of brawn on a program of a public package.

    tools/recording.py BRAWN        the brawn to show, as target/release/brawn

Every command is run in a terminal of 88 columns, in a new folder, and the picture shows what it printed.  Nothing in it is
typed by hand but the commands.  The program is typos 1.38.0 (a static musl executable, from the wheel that tools/corpus.sh gets); what
it reads is copied from Cargo's own downloads, which every build of brawn has.
"""
import html
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEEL = ROOT / "target/tools/corpus/typos-1.38.0-py3-none-musllinux_1_2_x86_64.whl"
PROGRAM = "typos-1.38.0.data/scripts/typos"
READ = ["regex-automata", "clap_builder", "object", "rustix", "syn", "libc", "zip", "iced-x86", "bstr", "proptest"]
COLUMNS = 88
COMMANDS = [
    "time ./typos sources | sort >was.txt",
    "brawn inspect typos",
    "brawn rewrite typos -o faster",
    "time ./faster sources | sort >is.txt",
    "cmp was.txt is.txt && brawn inspect faster",
]
# Character cell, margin and line height in the picture, in its units.
CELL, MARGIN, LINE = 8.43, 16, 19
STYLES = {"1": "b", "31": "red", "32": "green", "33": "yellow", "36": "cyan", "2": "dim"}


def prepared(folder: Path, brawn: Path) -> None:
    with zipfile.ZipFile(WHEEL) as wheel:
        (folder / "typos").write_bytes(wheel.read(PROGRAM))
    (folder / "typos").chmod(0o755)
    (folder / "bin").mkdir()
    shutil.copy(brawn, folder / "bin/brawn")
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    crates = sorted((home / "registry/src").glob("*/*"))
    for name in READ:
        crate = next((c for c in crates if re.fullmatch(re.escape(name) + r"-[0-9].*", c.name)), None)
        if crate is None:
            sys.exit(f"{home}: found no crate {name}*; expected what `cargo build` downloads")
        shutil.copytree(crate, folder / "sources" / crate.name)


def run(folder: Path, command: str) -> str:
    """What the command prints on a terminal."""
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "TERM": "xterm", "COLUMNS": str(COLUMNS)}
    for name in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        env.pop(name, None)
    # typos exits with 2 where it found a mistake: what counts is that both outputs are the same.
    script = f"TIMEFORMAT='%2R seconds'; stty cols {COLUMNS}; {command}"
    main, other = pty.openpty()
    child = subprocess.Popen(["bash", "-c", script], cwd=folder, env=env, stdin=other, stdout=other, stderr=other)
    os.close(other)
    parts = []
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    if child.wait() not in (0, 2):
        sys.exit(f"{command}: exit code {child.returncode}\n{b''.join(parts).decode()}")
    return b"".join(parts).decode().replace("\r\n", "\n").rstrip("\n")


def spans(line: str):
    """The line's pieces, each with the classes of its style."""
    classes: list[str] = []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code:
            for number in (code[1] or "0").split(";"):
                classes = [] if number in ("", "0") else [*classes, STYLES.get(number, "")]
        elif part:
            yield re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", part), " ".join(c for c in classes if c)


def wrapped(line: str) -> list[str]:
    """Lines of at most COLUMNS characters, broken at spaces.  Only what brawn prints in one colour is so long."""
    if len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= COLUMNS:
        return [line]
    return textwrap.wrap(line, COLUMNS, subsequent_indent=" " * 6, drop_whitespace=True)


def picture(lines: list[str]) -> str:
    width = round(2 * MARGIN + COLUMNS * CELL)
    height = 2 * MARGIN + LINE * len(lines)
    text = []
    for number, line in enumerate(lines):
        column, pieces = 0, []
        for piece, classes in spans(line):
            # Each word at its column, so that another font of the reader's does not shift the table.
            for word in re.finditer(r"\S+(?: \S+)*", piece):
                x = MARGIN + (column + word.start()) * CELL
                end = f' textLength="{len(word[0]) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                pieces.append(f'<tspan x="{x:.1f}" class="{classes}"{end}>{html.escape(word[0])}</tspan>')
            column += len(piece)
        if pieces:
            text.append(f'<text y="{MARGIN + LINE * (number + 1) - 5}">{"".join(pieces)}</text>')
    said = html.escape(" / ".join(re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>A program before and after brawn rewrite</title>
<desc>{said}</desc>
<style>
rect {{ fill: #f6f8fa; stroke: #d0d7de }}
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre }}
.b {{ font-weight: 600 }} .dim {{ fill: #59636e }} .prompt {{ fill: #0550ae }}
.red {{ fill: #b3261e }} .green {{ fill: #116329 }} .yellow {{ fill: #7d4e00 }} .cyan {{ fill: #1b6c7a }}
@media (prefers-color-scheme: dark) {{
rect {{ fill: #151b23; stroke: #3d444d }} text {{ fill: #e6edf3 }} .dim {{ fill: #9198a1 }} .prompt {{ fill: #79c0ff }}
.red {{ fill: #ff8a80 }} .green {{ fill: #56d364 }} .yellow {{ fill: #e3b341 }} .cyan {{ fill: #76d9e6 }}
}}
</style>
<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>
{chr(10).join(text)}
</svg>
"""


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(folder, Path(sys.argv[1]).resolve())
        # Once before, so that the files are in memory for both.
        run(folder, "./typos sources >was.txt")
        lines = []
        for command in COMMANDS:
            lines.append(f"\x1b[1m$ {command}\x1b[0m")
            for line in run(folder, command).splitlines():
                lines += wrapped(line)
    (ROOT / "docs/figures/run.svg").write_text(picture(lines))


main()
