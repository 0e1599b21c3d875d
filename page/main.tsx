import { render } from "preact";
import { type AccessJson } from "../cli/access/model";
import { type Packed, unpacked } from "../cli/html/packed";
import { type PageData } from "../cli/output/document";
import { type ReviewJson } from "../provider/review/model";
import { accessView } from "./access-view";
import { App } from "./app";
import { reviewView } from "./review-view";
import { type Words } from "./view";

/* The entry: reads the command's answer from the page, and draws it. */

const data = document.querySelector("script[type='application/json']");
const place = document.querySelector("main");
if (data !== null && place !== null) {
  const shown = unpacked(JSON.parse(data.textContent ?? "") as Packed);
  const view =
    data.id === "access"
      ? accessView(shown as PageData<AccessJson, Words>)
      : reviewView(shown as PageData<ReviewJson[], Words>);
  place.replaceChildren();
  render(<App view={view} />, place);
}
