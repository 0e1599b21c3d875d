#!/usr/bin/env bash
# Guess: Preact gives a number in `style` the unit px, unless the property has none, and a page rendered on the server is what the browser
#   renders.
# Seen: Preact 11, of this year, gives no unit, so a browser drops `width: 10`. The server's renderer still writes 10px: the width is there
#   until the first render in the browser. And it gives px to `columns`, `aspectRatio` and `scale`, where a number is a count or a factor.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts preact@11.2.0 preact-render-to-string@6.8.2 jsdom@26.1.0
cat >show.cjs <<'JS'
const { JSDOM } = require("jsdom");
const { h, render } = require("preact");
const { renderToString } = require("preact-render-to-string");
globalThis.document = new JSDOM().window.document;
for (const [name, value] of Object.entries({ width: 10, columns: 2, aspectRatio: 2, scale: 2, lineHeight: 2 })) {
  const element = () => h("p", { style: { [name]: value } });
  const browser = document.createElement("div");
  render(element(), browser);
  console.log(`${name} ${value}: server ${renderToString(element())}, browser ${browser.innerHTML}`);
}
JS
node show.cjs | tee seen
diff seen - <<'SEEN'
width 10: server <p style="width:10px;"></p>, browser <p></p>
columns 2: server <p style="columns:2px;"></p>, browser <p style="columns: 2;"></p>
aspectRatio 2: server <p style="aspect-ratio:2px;"></p>, browser <p style="aspect-ratio: 2;"></p>
scale 2: server <p style="scale:2px;"></p>, browser <p style="scale: 2;"></p>
lineHeight 2: server <p style="line-height:2;"></p>, browser <p style="line-height: 2;"></p>
SEEN
