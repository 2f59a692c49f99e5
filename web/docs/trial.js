// A call with its inputs: as a curl command to copy, and sent from the page.

import { copyable, h } from "./dom.js";

/** The token field of the page. */
export const token = document.querySelector("#token");

/** One operation with values for what it takes. */
export class Trial {
  #method;
  #path;
  #inputs;
  #body;
  #streams;
  #open;
  #out = h("div", { "aria-live": "polite" });
  #stop;

  constructor(method, path, operation, schemas) {
    [this.#method, this.#path] = [method.toUpperCase(), path];
    this.#streams = "text/event-stream" in (operation.responses["200"]?.content ?? {});
    this.#open = operation.security?.length === 0;
    this.#inputs = operation.parameters.map((parameter) => {
      const value = parameter.required ? String(schemas.example(parameter.schema)) : "";
      return { parameter, input: h("input", { value, spellcheck: "false", autocomplete: "off" }) };
    });
    const schema = operation.requestBody?.content["application/json"].schema;
    if (schema) {
      this.#body = h("textarea", { spellcheck: "false", "aria-label": "Body" });
      this.#body.value = JSON.stringify(schemas.example(schema), null, 2);
    }
  }

  render() {
    const curl = copyable(() => this.#curl());
    const rows = this.#inputs.map(({ parameter, input }) => h("label", { class: "row" },
      h("span", { class: "name" }, parameter.name), input));
    const send = h("button", { type: "button", onclick: () => this.#send() }, "Send");
    this.#stop = h("button", { type: "button", hidden: true }, "Stop");
    const node = h("div", { class: "trial" }, rows, this.#body, curl.node,
      h("div", { class: "buttons" }, send, this.#stop), this.#out);
    node.addEventListener("input", curl.refresh);
    token.addEventListener("input", curl.refresh);
    return node;
  }

  #url() {
    let path = this.#path;
    const query = new URLSearchParams();
    for (const { parameter: { name, in: place, schema }, input } of this.#inputs) {
      if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(input.value));
      if (place !== "query" || input.value === "") continue;
      const values = schema.type === "array" ? input.value.split(",").map((value) => value.trim()) : [input.value];
      for (const value of values) query.append(name, value);
    }
    const asked = query.toString();
    return new URL(path + (asked && `?${asked}`), location.origin).href;
  }

  #headers() {
    const headers = {};
    if (token.value) headers.Authorization = `Bearer ${token.value}`;
    if (this.#body) headers["Content-Type"] = "application/json";
    if (this.#streams) headers.Accept = "text/event-stream";
    for (const { parameter, input } of this.#inputs) {
      if (parameter.in === "header" && input.value) headers[parameter.name] = input.value;
    }
    return headers;
  }

  #curl() {
    const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
    const headers = this.#headers();
    if (!this.#open) headers.Authorization = "Bearer $TOKEN";
    const parts = [`curl${this.#streams ? " -N" : ""} -X ${this.#method} ${quote(this.#url())}`];
    for (const [name, value] of Object.entries(headers)) {
      const text = `${name}: ${value}`;
      // The shell puts the token in.
      parts.push(`-H ${name === "Authorization" ? `"${text}"` : quote(text)}`);
    }
    if (this.#body) parts.push(`-d ${quote(this.#body.value)}`);
    return parts.join(" \\\n  ");
  }

  async #send() {
    const began = performance.now();
    const abort = new AbortController();
    const shown = h("pre", { tabindex: "0" });
    const head = h("p", {}, "…");
    this.#out.replaceChildren(head, shown);
    this.#stop.hidden = false;
    this.#stop.onclick = () => abort.abort();
    try {
      const response = await fetch(this.#url(), {
        method: this.#method,
        headers: this.#headers(),
        body: this.#body?.value,
        signal: abort.signal,
      });
      head.textContent = `${response.status} in ${Math.round(performance.now() - began)} ms`;
      head.classList.toggle("bad", !response.ok);
      if (response.headers.get("content-type")?.startsWith("application/json")) {
        shown.textContent = JSON.stringify(await response.json(), null, 2);
      } else {
        for await (const text of response.body.pipeThrough(new TextDecoderStream())) shown.append(text);
      }
    } catch (error) {
      if (!abort.signal.aborted) {
        head.textContent = `There is no answer: ${error.message}`;
        head.classList.add("bad");
      }
    } finally {
      this.#stop.hidden = true;
    }
  }
}
