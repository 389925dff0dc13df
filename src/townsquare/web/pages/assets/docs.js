// The API docs page: reads /openapi.json and builds everything from it. No libraries.

import { ROOT } from "../shared/root.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
};

// Text with `code` in it.
const prose = (text = "") => text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));

const chip = (method) => make("span", { class: `method ${method}` }, method.toUpperCase());

class Api {
  constructor(document) {
    this.schemas = document.components?.schemas ?? {};
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method]).map((method) => ({ path, method, ...methods[method] })),
    );
  }

  resolve(schema = {}) {
    const name = schema.$ref?.split("/").pop();
    return name ? this.resolve(this.schemas[name]) : schema;
  }

  typeName(schema = {}) {
    if (schema.$ref) return schema.$ref.split("/").pop();
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if ("const" in schema) return JSON.stringify(schema.const);
    const union = schema.anyOf ?? schema.oneOf;
    if (union) return [...new Set(union.map((part) => this.typeName(part)))].join(" | ");
    if (schema.allOf) return schema.allOf.map((part) => this.typeName(part)).join(" & ");
    if (schema.type === "array") return `${this.typeName(schema.items)}[]`;
    return schema.format ? `${schema.type} (${schema.format})` : (schema.type ?? "any");
  }

  rules(schema = {}) {
    const bounds = [
      ["minimum", "at least"], ["exclusiveMinimum", "more than"], ["maximum", "at most"], ["exclusiveMaximum", "less than"],
      ["minLength", "min length"], ["maxLength", "max length"], ["pattern", "matches"], ["default", "default"],
    ];
    return bounds
      .filter(([key]) => schema[key] !== undefined && schema[key] !== null && schema[key] !== "")
      .map(([key, words]) => `${words} ${typeof schema[key] === "object" ? JSON.stringify(schema[key]) : schema[key]}`)
      .join(", ");
  }

  // All properties of an object schema, through references and allOf.
  properties(schema) {
    const found = this.resolve(schema);
    const inherited = (found.allOf ?? []).map((part) => this.properties(part));
    return {
      fields: Object.assign({}, ...inherited.map((part) => part.fields), found.properties),
      required: new Set([...inherited.flatMap((part) => [...part.required]), ...(found.required ?? [])]),
    };
  }

  example(schema, depth = 0) {
    const found = this.resolve(schema);
    if ("const" in found) return found.const;
    if (found.examples?.length) return found.examples[0];
    if (found.enum) return found.enum[0];
    if (found.default !== undefined && found.default !== null) return found.default;
    const union = found.anyOf ?? found.oneOf;
    if (union) return this.example(union.find((part) => part.type !== "null") ?? union[0], depth);
    if (found.properties || found.allOf) {
      if (depth > 4) return {};
      const { fields, required } = this.properties(found);
      const wanted = Object.entries(fields).filter(([name, field]) => required.has(name) || "const" in field);
      return Object.fromEntries(wanted.map(([name, field]) => [name, this.example(field, depth + 1)]));
    }
    if (found.type === "integer" || found.type === "number") return found.minimum ?? 1;
    if (found.type === "boolean") return false;
    if (found.type === "array") return [];
    if (found.type === "object") return {};
    return "text";
  }
}

const table = (headings, rows) =>
  make("table", {},
    make("thead", {}, make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows));

const fieldRow = (api, name, place, schema, required, description) =>
  make("tr", {},
    make("td", { class: required ? "name required" : "name" }, name),
    make("td", {}, place),
    make("td", {}, make("code", {}, api.typeName(schema))),
    make("td", {}, ...prose([description, api.rules(schema)].filter(Boolean).join(" · "))));

const bodyVariants = (api, operation) => {
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (!schema) return [];
  const found = api.resolve(schema);
  return found.anyOf?.every((part) => part.title) ? found.anyOf : [schema];
};

const parametersOf = (api, operation) => {
  const rows = (operation.parameters ?? []).map((parameter) =>
    fieldRow(api, parameter.name, parameter.in, parameter.schema, parameter.required, parameter.description));
  for (const variant of bodyVariants(api, operation)) {
    const { fields, required } = api.properties(variant);
    const place = variant.title && variant.allOf ? `body (${variant.title})` : "body";
    for (const [name, schema] of Object.entries(fields))
      rows.push(fieldRow(api, name, place, schema, required.has(name), schema.description));
  }
  return rows.length ? [make("h3", {}, "Takes"), table(["Name", "In", "Type", ""], rows)] : [];
};

const responsesOf = (api, operation) => {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const [media, content] = Object.entries(response.content ?? {})[0] ?? ["", {}];
    return make("tr", {},
      make("td", { class: "name" }, status),
      make("td", {}, ...prose(response.description)),
      make("td", {}, make("code", {}, content.schema ? api.typeName(content.schema) : media)));
  });
  return [make("h3", {}, "Answers"), table(["Status", "Meaning", "Body"], rows)];
};

const control = (parameter) => {
  const attributes = { name: parameter.name, "data-in": parameter.in, required: parameter.required };
  if (!parameter.schema?.enum) return make("input", { ...attributes, autocomplete: "off" });
  const options = parameter.schema.enum.map((value) => make("option", {}, String(value)));
  return make("select", attributes, ...(parameter.required ? [] : [make("option", { value: "" })]), ...options);
};

const requestFrom = (operation, form) => {
  let path = operation.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll("[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value && input.dataset.in === "query") query.append(input.name, input.value);
    else if (input.value && input.dataset.in === "header") headers[input.name] = input.value;
  }
  const token = document.getElementById("token").value.trim();
  if (token) headers.Authorization = `Bearer ${token}`;
  const body = form.querySelector("textarea")?.value.trim() || undefined;
  if (body) headers["Content-Type"] = "application/json";
  const search = query.toString();
  return { url: `${ROOT}${search ? `${path}?${search}` : path}`, options: { method: operation.method.toUpperCase(), headers, body } };
};

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const asCurl = ({ url, options }) => {
  const hidden = (name, value) => (name === "Authorization" ? "Bearer $TOKEN" : value);
  const headers = Object.entries(options.headers).map(([name, value]) =>
    name === "Authorization" ? `-H "${name}: ${hidden(name, value)}"` : `-H ${quote(`${name}: ${value}`)}`);
  return ["curl", ...(options.method === "GET" ? [] : ["-X", options.method]), quote(location.origin + url), ...headers,
    ...(options.body ? ["-d", quote(options.body)] : [])].join(" ");
};

const showAnswer = async (response, started, place) => {
  const took = Math.round(performance.now() - started);
  const media = response.headers.get("content-type") ?? "";
  const head = make("p", {},
    make("strong", { class: response.ok ? "" : "bad" }, `${response.status} ${response.statusText}`), ` · ${took} ms · ${media}`);
  if (media.startsWith("image/")) {
    const picture = make("img", { alt: "The picture that was answered" });
    const reader = new FileReader();
    reader.onload = () => { picture.src = reader.result; };
    reader.readAsDataURL(await response.blob());
    place.replaceChildren(head, picture);
    return;
  }
  let text = await response.text();
  if (media.includes("json")) {
    try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it came */ }
  }
  place.replaceChildren(head, ...(text ? [make("pre", { tabindex: "0" }, text)] : []));
};

const tryForm = (api, operation) => {
  const answer = make("div", { class: "answer", "aria-live": "polite" });
  const curl = make("pre", { class: "curl", tabindex: "0" });
  const fields = (operation.parameters ?? []).map((parameter) =>
    make("label", { class: "field" }, make("span", {}, `${parameter.name}${parameter.required ? " *" : ""}`), control(parameter)));
  const variants = bodyVariants(api, operation);
  const pretty = (schema) => JSON.stringify(api.example(schema), null, 2);
  if (variants.length) {
    const text = make("textarea", { rows: "6", spellcheck: "false" });
    text.value = pretty(variants[0]);
    if (variants.length > 1) {
      const choice = make("select", { onchange: () => { text.value = pretty(variants[choice.selectedIndex]); update(); } },
        ...variants.map((variant) => make("option", {}, variant.title)));
      fields.push(make("label", { class: "field" }, make("span", {}, "Body for"), choice));
    }
    fields.push(make("label", { class: "field wide" }, make("span", {}, "JSON body"), text));
  }
  const form = make("form", { class: "try", oninput: () => update() }, ...fields,
    make("div", { class: "wide" }, make("button", { type: "submit" }, "Send")));
  const update = () => { curl.textContent = asCurl(requestFrom(operation, form)); };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { url, options } = requestFrom(operation, form);
    const started = performance.now();
    try {
      await showAnswer(await fetch(url, options), started, answer);
    } catch (error) {
      answer.replaceChildren(make("p", {}, make("strong", { class: "bad" }, `No answer: ${error.message}`)));
    }
  });
  update();
  return [make("h3", {}, "Try it"), form, curl, answer];
};

const operationCard = (api, operation) => {
  const card = make("details", { class: "operation", id: operation.operationId },
    make("summary", {}, chip(operation.method), make("span", { class: "path" }, operation.path),
      make("span", { class: "what" }, operation.summary ?? ""),
      operation.security ? make("span", { class: "lock" }, "token") : null));
  card.addEventListener("toggle", () => {
    if (!card.open || card.children.length > 1) return;
    card.append(make("div", { class: "inside" },
      operation.description ? make("p", {}, ...prose(operation.description)) : null,
      ...parametersOf(api, operation), ...responsesOf(api, operation), ...tryForm(api, operation)));
  });
  return card;
};

const searchable = (operation) =>
  [operation.method, operation.path, operation.summary, operation.description, ...(operation.tags ?? [])].join(" ").toLowerCase();

const build = (api) => {
  const main = document.getElementById("operations");
  const index = document.getElementById("index");
  const entries = [];
  const sections = [];
  for (const tag of [...new Set(api.operations.map((operation) => operation.tags[0]))]) {
    const list = make("ul");
    const section = make("section", { id: `tag-${tag}`, "aria-label": tag }, make("h2", {}, tag));
    const block = make("div", {}, make("h2", {}, tag), list);
    for (const operation of api.operations.filter((each) => each.tags[0] === tag)) {
      const card = operationCard(api, operation);
      const item = make("li", {}, make("a", { href: `#${operation.operationId}` }, chip(operation.method), operation.path));
      section.append(card);
      list.append(item);
      entries.push({ text: searchable(operation), card, item });
    }
    sections.push({ section, block });
    index.append(block);
    main.append(section);
  }
  return (words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { text, card, item } of entries) {
      const hidden = !wanted.every((word) => text.includes(word));
      card.hidden = item.hidden = hidden;
      shown += hidden ? 0 : 1;
    }
    for (const { section, block } of sections) section.hidden = block.hidden = !section.querySelector("details:not([hidden])");
    return shown;
  };
};

const openFromAddress = () => {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (target?.tagName === "DETAILS") target.open = true;
  target?.scrollIntoView();
};

const start = async () => {
  const status = document.getElementById("status");
  const search = document.getElementById("search");
  try {
    const response = await fetch(`${ROOT}/openapi.json`);
    if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`);
    const filter = build(new Api(await response.json()));
    status.hidden = true;
    search.addEventListener("input", () => {
      const shown = filter(search.value);
      status.hidden = shown > 0;
      status.textContent = shown ? "" : "No operation has these words.";
    });
  } catch (error) {
    status.textContent = `The API description cannot be read: ${error.message}`;
    return;
  }
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && event.target === search) { search.value = ""; search.dispatchEvent(new Event("input")); }
  });
  addEventListener("hashchange", openFromAddress);
  openFromAddress();
};

start();
