import { render } from "preact";
import { type AccessJson } from "../cli/access/model";
import { type Packed, unpacked } from "../cli/html/packed";
import { type ReviewJson } from "../provider/review/model";
import { accessView } from "./access-view";
import { App } from "./app";
import { reviewView } from "./review-view";

/* The entry: reads the command's JSON from the page, and draws it. */

const data = document.querySelector("script[type='application/json']");
const place = document.querySelector("main");
if (data !== null && place !== null) {
  const json = unpacked(JSON.parse(data.textContent ?? "") as Packed);
  const view = data.id === "access" ? accessView(json as AccessJson) : reviewView(json as ReviewJson);
  place.replaceChildren();
  render(<App view={view} />, place);
}
