// JSON Schemas as people read them, and examples made from them.

import { h, prose } from "./dom.js";

const POINTER = "#/components/schemas/";

/** Reads schemas of one document. */
export class Schemas {
  #components;

  constructor(openapi) {
    this.#components = openapi.components?.schemas ?? {};
  }

  /** The schema behind references, and its name if it has one. What may be `null` is what it else is. */
  resolve(schema) {
    const others = (schema.anyOf ?? []).filter((one) => one.type !== "null");
    if (schema.anyOf && others.length === 1 && others.length < schema.anyOf.length) return this.resolve(others[0]);
    if (!schema.$ref) return { schema };
    const name = schema.$ref.slice(POINTER.length);
    return { schema: this.#components[name] ?? {}, name: name.split(".").at(-1) };
  }

  /** The type in a few words. */
  type(given) {
    const { schema, name } = this.resolve(given);
    if (schema.type === "array") return `list of ${this.type(schema.items ?? {})}`;
    if (name) return name;
    const kinds = [schema.type ?? "any"].flat().filter((kind) => kind !== "null");
    return kinds.join(" or ") + (schema.format ? ` (${schema.format})` : "");
  }

  /** What values it takes, as texts. */
  limits(given) {
    const { schema } = this.resolve(given);
    const said = [];
    const number = (key, words) => schema[key] !== undefined && said.push(`${words} ${schema[key]}`);
    number("minimum", "at least");
    number("maximum", "at most");
    number("minLength", "shortest:");
    number("maxLength", "longest:");
    number("minItems", "fewest:");
    number("maxItems", "most:");
    if (schema.pattern) said.push(`pattern ${schema.pattern}`);
    if (schema.const !== undefined) said.push(JSON.stringify(schema.const));
    if (schema.enum && !this.resolve(given).name) said.push(`one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`);
    if (schema.not?.const) said.push(`not ${schema.not.const}`);
    if (schema.anyOf && schema.type !== "array") said.push(...schema.anyOf.flatMap((one) => this.limits(one)));
    if (schema.type === "array") said.push(...this.limits(schema.items ?? {}).map((limit) => `each: ${limit}`));
    return said;
  }

  /** The fields of an object or of a list's objects; what they hold is drawn when it is opened. */
  fields(given) {
    const { schema } = this.resolve(given);
    if (schema.type === "array") return this.fields(schema.items ?? {});
    const properties = Object.entries(schema.properties ?? {});
    if (!properties.length) return [];
    return [h("dl", { class: "fields" }, properties.flatMap(([name, field]) =>
      this.field(name, field, (schema.required ?? []).includes(name))))];
  }

  field(name, field, required) {
    const head = h("dt", {}, h("span", { class: "name" }, name), " ", h("span", { class: "type" }, this.type(field)),
      required && h("span", { class: "required" }, " required"),
      field.deprecated && h("span", { class: "required" }, " deprecated"));
    const limits = this.limits(field);
    const body = h("dd", {}, prose(field.description), limits.length > 0 && h("p", { class: "limits" }, limits.join("; ")));
    const { schema, name: named } = this.resolve(field.items ?? field);
    if (schema.enum && named) body.append(h("details", {}, h("summary", {}, "Its values"), prose(schema.description)));
    if (this.#hasFields(field)) {
      const details = h("details", {}, h("summary", {}, "Its fields"));
      details.addEventListener("toggle", () => details.append(...this.fields(field)), { once: true });
      body.append(details);
    }
    return [head, body];
  }

  #hasFields(given) {
    const { schema } = this.resolve(given);
    return schema.type === "array" ? this.#hasFields(schema.items ?? {}) : Object.keys(schema.properties ?? {}).length > 0;
  }

  /** A value to begin with: what is required, and what the document has examples for. */
  example(given, depth = 0) {
    if (given.examples?.length) return given.examples[0];
    const { schema } = this.resolve(given);
    if (schema.examples?.length) return schema.examples[0];
    if (schema.enum) return schema.enum.find((value) => !String(value).endsWith("_UNSPECIFIED")) ?? schema.enum[0];
    const kind = [schema.type].flat()[0];
    if (kind === "array") return depth < 3 ? [this.example(schema.items ?? {}, depth + 1)] : [];
    if (kind === "object") {
      const wanted = ([name, field]) => (schema.required ?? []).includes(name) || field.examples?.length;
      const fields = depth < 3 ? Object.entries(schema.properties ?? {}).filter(wanted) : [];
      return Object.fromEntries(fields.map(([name, field]) => [name, this.example(field, depth + 1)]));
    }
    if (kind === "integer" || kind === "number") return schema.minimum ?? 0;
    if (kind === "boolean") return true;
    return schema.format === "uuid" ? crypto.randomUUID() : "";
  }
}
