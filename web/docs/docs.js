// The API's documentation, drawn from the OpenAPI document.

import { h, prose } from "./dom.js";
import { Schemas } from "./schema.js";
import { token, Trial } from "./trial.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const TOKEN = "remik.docs.token";

const content = document.querySelector("#content");

function parameters(operation, schemas) {
  if (!operation.parameters.length) return [];
  const fields = operation.parameters.flatMap((parameter) => schemas.field(
    `${parameter.name}`, { ...parameter.schema, description: parameter.description }, parameter.required));
  return [h("h4", {}, "Parameters"), h("dl", { class: "fields" }, fields)];
}

function body(operation, schemas) {
  const schema = operation.requestBody?.content["application/json"].schema;
  return schema ? [h("h4", {}, "Body"), ...schemas.fields(schema)] : [];
}

function answer(operation, schemas) {
  const { description, content: kinds } = operation.responses["200"];
  const [kind, { schema, "x-item-schema": item }] = Object.entries(kinds).at(-1);
  const details = h("details", {}, h("summary", {}, item ? `Each message (${kind})` : schemas.type(schema)));
  details.addEventListener("toggle", () => details.append(...schemas.fields(item ?? schema)), { once: true });
  return [h("h4", {}, "Answer"), item && prose(description), details];
}

function errors(operation) {
  const refused = Object.entries(operation.responses).filter(([status]) => status !== "200");
  const line = ([status, { description }]) => [h("dt", { class: "name" }, status), h("dd", {}, prose(description))];
  return [h("details", {}, h("summary", {}, "Errors"), h("dl", { class: "fields" }, refused.flatMap(line)))];
}

function trial(method, path, operation, schemas) {
  const details = h("details", {}, h("summary", {}, "Try it"));
  const draw = () => details.append(new Trial(method, path, operation, schemas).render());
  details.addEventListener("toggle", draw, { once: true });
  return details;
}

function article(call, schemas) {
  const { method, path, operation } = call;
  return h("article", { id: operation.operationId },
    h("h3", {}, operation.operationId),
    h("p", { class: "call" }, h("span", { class: "verb" }, method.toUpperCase()), path),
    operation.security?.length === 0 && h("p", { class: "open" }, "Needs no token."),
    prose(operation.description),
    parameters(operation, schemas), body(operation, schemas), answer(operation, schemas), errors(operation),
    trial(method, path, operation, schemas));
}

function calls(openapi) {
  return Object.entries(openapi.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ method, path, operation: item[method] })));
}

/** Shows in the list what has all words of the filter. */
function filter(entries) {
  const words = document.querySelector("#filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { item, text } of entries) item.hidden = !words.every((word) => text.includes(word));
}

function draw(openapi) {
  const schemas = new Schemas(openapi);
  const entries = [];
  document.title = `${openapi.info.title} ${openapi.info.version} – API`;
  document.querySelector("#title").textContent = `${openapi.info.title} ${openapi.info.version}`;
  content.append(...prose(openapi.info.description),
    h("p", {}, h("a", { href: "openapi.json" }, "The OpenAPI document")));
  const all = calls(openapi);
  for (const tag of openapi.tags) {
    const own = all.filter(({ operation }) => operation.tags.includes(tag.name));
    const links = own.map(({ method, path, operation }) => {
      const item = h("li", {}, h("a", { href: `#${operation.operationId}`, title: `${method.toUpperCase()} ${path}` }, operation.operationId));
      entries.push({ item, text: `${operation.operationId} ${method} ${path} ${operation.summary ?? ""}`.toLowerCase() });
      return item;
    });
    document.querySelector("#index").append(h("h2", {}, tag.name), h("ul", {}, links));
    content.append(h("section", { class: "service", "aria-label": tag.name },
      h("h2", {}, tag.name), prose(tag.description), own.map((call) => article(call, schemas))));
  }
  document.querySelector("#filter").addEventListener("input", () => filter(entries));
  // What the address names was not there yet when the page came.
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

async function becomeGuest() {
  const told = document.querySelector("#told");
  const response = await fetch("v1/guests", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ displayName: "A reader" }),
  });
  const made = await response.json();
  if (response.ok) {
    token.value = made.token;
    token.dispatchEvent(new Event("input"));
  }
  told.textContent = response.ok ? `guest ${made.player.playerId}` : made.error.message;
}

token.value = sessionStorage.getItem(TOKEN) ?? "";
token.addEventListener("input", () => sessionStorage.setItem(TOKEN, token.value));
document.querySelector("#credentials").addEventListener("submit", (event) => event.preventDefault());
document.querySelector("#guest").addEventListener("click", becomeGuest);
try {
  draw(await (await fetch("openapi.json")).json());
} catch (error) {
  content.append(h("p", { class: "bad" }, `The OpenAPI document can't be shown: ${error.message}`));
}
