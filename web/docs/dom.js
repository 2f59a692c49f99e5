// Elements, and descriptions in the little of CommonMark that they use.

/** An element with attributes (listeners as `onclick`), and children: nodes, texts, or nothing. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

/** Paragraphs and lists, with `code` in them. */
export function prose(text) {
  return (text ?? "").trim().split(/\n\n+/).filter(Boolean).flatMap(block);
}

function block(text) {
  const nodes = [];
  let items = [];
  let lines = [];
  const flush = () => {
    if (lines.length) nodes.push(h("p", {}, inline(lines.join(" "))));
    if (items.length) nodes.push(h("ul", {}, items.map((item) => h("li", {}, inline(item)))));
    [lines, items] = [[], []];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("* ")) {
      if (lines.length) flush();
      items.push(line.slice(2));
    } else if (items.length && line.startsWith("  ")) {
      items.push(`${items.pop()} ${line.trim()}`);
    } else {
      if (items.length) flush();
      lines.push(line);
    }
  }
  flush();
  return nodes;
}

function inline(text) {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.length > 2 && part.startsWith("`") && part.endsWith("`") ? h("code", {}, part.slice(1, -1)) : part);
}

/** A text with a button that copies it; `text` is asked for when it is pressed. */
export function copyable(text) {
  const shown = h("pre", { tabindex: "0" }, text());
  const told = h("span", { role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      told.textContent = "copied";
    } catch {
      told.textContent = "can't be copied: select it";
    }
  };
  const node = h("div", {}, shown, h("button", { type: "button", onclick: copy }, "Copy"), " ", told);
  return { node, refresh: () => { shown.textContent = text(); } };
}
