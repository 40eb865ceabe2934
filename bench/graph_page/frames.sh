#!/usr/bin/env bash
# frames.sh PAGE: how long a page of `orrery show --graph` takes for a frame in Chromium without a
# graphics card, while it zooms and pans.  Wall time: on a machine that has nothing else to do.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# == 1)) || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
command -v chromium >/dev/null || { echo "frames.sh: there is no chromium" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  sed '/^<\/body>/,$d' "$1"
  printf '<script>\n'
  cat "$here/frames.js"
  printf '</script>\n</body>\n</html>\n'
} >"$work/page.html"
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --window-size=1400,900 \
  --dump-dom "file://$work/page.html" 2>/dev/null |
  sed -n 's/.*data-frames="\([^"]*\)".*/\1/p' | tr '|' '\n'
