#!/bin/sh
# Screenshots of a page of `brawn compare --html`, to be looked at: as on a phone and on a desk, light and dark.
#
#     tools/look.sh report.html pictures/
#
# README's picture is WIDTHS=860 HEIGHT=1020, of the part that a reader sees first.  It needs chromium. A page that is wider than a phone is an error.
set -eu
page=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "look.sh: there is no chromium" >&2
	exit 1
}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
browse() {
	"$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$home" "$@" 2>"$home/log"
}
# A window of headless chromium has at least 500 pixels: a frame is as narrow as a phone.
frame() {
	printf '<!DOCTYPE html><html style="color-scheme:light dark"><body style="margin:0">'
	printf '<iframe src="file://%s" style="border:0;width:%spx;height:%spx"></iframe>' "$page" "$1" "$2"
}
height=${HEIGHT:-3600}
for width in ${WIDTHS:-360 1200}; do
	frame "$width" "$height" >"$home/frame.html"
	for scheme in light dark; do
		dark=
		[ $scheme = light ] || dark=--blink-settings=preferredColorScheme=0
		window=$width
		[ "$width" -ge 500 ] || window=500
		# shellcheck disable=SC2086 # no option is no word
		browse $dark --window-size="$window,$height" --screenshot="$folder/$width-$scheme.png" "file://$home/frame.html"
	done
done
# What the page says is wider than the window would make the window scroll.
sed 's|</body>|<script>document.title = "wide " + (document.documentElement.scrollWidth - innerWidth)</script></body>|
s|default-src .none.;|default-src '\''none'\''; script-src '\''unsafe-inline'\'';|' "$page" >"$home/wide.html"
cat >"$home/outer.html" <<END
<!DOCTYPE html><body><iframe id="f" src="wide.html" style="width:360px;height:800px"></iframe>
<script>f.onload = () => { document.body.dataset.wide = f.contentDocument.title }</script>
END
browse --allow-file-access-from-files --dump-dom "file://$home/outer.html" >"$home/dom"
grep -q 'data-wide="wide 0"' "$home/dom" || {
	echo "look.sh: the page is wider than a phone: $(grep -o 'data-wide="[^"]*"' "$home/dom")" >&2
	exit 1
}
