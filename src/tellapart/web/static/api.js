// @ts-check
// Shows the OpenAPI description and lets each path be tried.

import { $, make } from "./dom.js";

const TABLE = { rate: 0.6, tpr: 0.7, tnr: 0.7, rows: { name: "n_human", values: [100, 1000] }, columns: { name: "n_metric", values: [1000, 10000] } };
/** @type {Record<string, object>} */
const EXAMPLES = {
  "/api/plan": { rate: 0.6, tpr: 0.9, tnr: 0.9, n_metric: 10000, difference: 0.05 },
  "/api/estimate": { human: [60, 100], metric: [540, 1000], calibration: { tp: 42, fn: 18, tn: 28, fp: 12 } },
  "/api/simulation": { rate: 0.6, tpr: 0.9, tnr: 0.9, n_human: 50, n_metric: 0, difference: 0.2, runs: 100 },
  "/api/table": TABLE,
  "/api/table/charts": TABLE,
};

const description = await (await fetch("/openapi.json")).json();
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const box = make("details", null, { className: "box" }), summary = make("summary");
    summary.append(make("b", `${method.toUpperCase()} ${path} `), `– ${operation.description ?? operation.summary}`);
    box.append(summary);
    const upload = operation.requestBody?.content?.["application/octet-stream"];
    const parameters = (operation.parameters ?? []).map((/** @type {{ name: string }} */ p) => p.name).join(", ");
    if (parameters) box.append(make("p", `Parameters: ${parameters}`));
    const target = make("input", null, { value: path.replace("{name}", "introduction"), ariaLabel: "path and query" });
    box.append(target);
    let body = null;
    if (upload) body = make("input", null, { type: "file", ariaLabel: "file to send" });
    else if (operation.requestBody) body = make("textarea", null, { value: JSON.stringify(EXAMPLES[path] ?? {}, null, 2), rows: 8, cols: 60, ariaLabel: "body" });
    if (body) box.append(make("br"), body);
    const button = make("button", "Send"), output = make("pre");
    button.onclick = async () => {
      const options = { method: method.toUpperCase() };
      if (body) Object.assign(options, { body: upload ? body.files[0] ?? "" : body.value, headers: { "Content-Type": upload ? "application/octet-stream" : "application/json" } });
      const response = await fetch(target.value, options);
      output.textContent = `${response.status}\n${(await response.text()).slice(0, 20000)}`;
    };
    box.append(make("br"), button, output);
    $("paths").append(box);
  }
}
