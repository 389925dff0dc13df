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
    this.schemes = document.components?.securitySchemes ?? {};
    this.tags = Object.fromEntries((document.tags ?? []).map((tag) => [tag.name, tag.description]));
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

  // What a request must show: nothing, something that it may leave out, or something that it needs.
  security(operation) {
    const names = (operation.security ?? []).flatMap(Object.keys);
    return { names, optional: names.length > 0 && operation.security.some((each) => !Object.keys(each).length) };
  }

  // How a scheme is shown: the header (or other place) that carries it.
  carrier(name) {
    const scheme = this.schemes[name] ?? {};
    return scheme.type === "http" ? `Authorization: ${scheme.scheme}` : `${scheme.in} ${scheme.name}`;
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
  return found.anyOf ?? [schema];
};

const parametersOf = (api, operation) => {
  const rows = (operation.parameters ?? []).map((parameter) =>
    fieldRow(api, parameter.name, parameter.in, parameter.schema, parameter.required, parameter.description));
  for (const variant of bodyVariants(api, operation)) {
    const { fields, required } = api.properties(variant);
    const place = fields.action?.const ? `body (${fields.action.const})` : "body";
    for (const [name, schema] of Object.entries(fields))
      rows.push(fieldRow(api, name, place, schema, required.has(name), schema.description));
  }
  return rows.length ? [make("h3", {}, "Takes"), table(["Name", "In", "Type", ""], rows)] : [];
};

const exampleOf = (content = {}) => content.example ?? Object.values(content.examples ?? {})[0]?.value;

const responsesOf = (api, operation) => {
  const answers = Object.entries(operation.responses);
  const rows = answers.map(([status, response]) => {
    const [media, content] = Object.entries(response.content ?? {})[0] ?? ["", {}];
    return make("tr", {},
      make("td", { class: "name" }, status),
      make("td", {}, ...prose(response.description)),
      make("td", {}, make("code", {}, content.schema ? api.typeName(content.schema) : media)));
  });
  const shown = answers.filter(([status]) => status < "300").flatMap(([status, response]) => {
    const content = response.content?.["application/json"];
    return content ? answerFields(api, status, content) : [];
  });
  return [make("h3", {}, "Answers"), table(["Status", "Meaning", "Body"], rows), ...shown];
};

const answerFields = (api, status, content) => {
  const { fields, required } = api.properties(content.schema);
  const rows = Object.entries(fields).map(([name, schema]) =>
    fieldRow(api, name, status, schema, required.has(name), api.resolve(schema).description));
  return [
    ...(rows.length ? [make("h3", {}, "Fields of the answer"), table(["Name", "In", "Type", ""], rows)] : []),
    make("pre", { class: "sample", tabindex: "0" }, JSON.stringify(exampleOf(content), null, 2)),
  ];
};

const accessOf = (api, operation) => {
  const { names, optional } = api.security(operation);
  if (!names.length) return [];
  const rows = names.map((name) => make("tr", {},
    make("td", { class: "name" }, name),
    make("td", {}, make("code", {}, api.carrier(name))),
    make("td", {}, optional ? "optional" : "required"),
    make("td", {}, ...prose(api.schemes[name]?.description))));
  return [make("h3", {}, "Access"), table(["Scheme", "In", "", ""], rows)];
};

const control = (parameter) => {
  const attributes = { name: parameter.name, "data-in": parameter.in, required: parameter.required,
    value: parameter.example };
  if (!parameter.schema?.enum) return make("input", { ...attributes, autocomplete: "off" });
  const options = parameter.schema.enum.map((value) =>
    make("option", { selected: value === parameter.example }, String(value)));
  return make("select", attributes, ...(parameter.required ? [] : [make("option", { value: "" })]), ...options);
};

const requestFrom = (api, operation, form) => {
  let path = operation.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll("[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value && input.dataset.in === "query") query.append(input.name, input.value);
    else if (input.value && input.dataset.in === "header") headers[input.name] = input.value;
  }
  for (const name of api.security(operation).names) {
    const shown = document.getElementById(`credential-${name}`)?.value.trim();
    const scheme = api.schemes[name];
    if (!shown) continue;
    if (scheme.type === "http") headers.Authorization = `Bearer ${shown}`;
    else if (scheme.in === "header") headers[scheme.name] = shown;
    else if (scheme.in === "query") query.append(scheme.name, shown);
  }
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
  if (variants.length) {
    const content = operation.requestBody.content["application/json"];
    const samples = content.examples ? Object.values(content.examples).map((each) => each.value) : [content.example];
    const text = make("textarea", { rows: "6", spellcheck: "false" });
    const show = (place) => { text.value = JSON.stringify(samples[place], null, 2); };
    show(0);
    if (variants.length > 1) {
      const choice = make("select", { onchange: () => { show(choice.selectedIndex); update(); } },
        ...samples.map((sample) => make("option", {}, sample.action)));
      fields.push(make("label", { class: "field" }, make("span", {}, "Body for"), choice));
    }
    fields.push(make("label", { class: "field wide" }, make("span", {}, "JSON body"), text));
  }
  const form = make("form", { class: "try", oninput: () => update() }, ...fields,
    make("div", { class: "wide" }, make("button", { type: "submit" }, "Send")));
  const update = () => { curl.textContent = asCurl(requestFrom(api, operation, form)); };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { url, options } = requestFrom(api, operation, form);
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

const lockOf = (api, operation) => {
  const { names, optional } = api.security(operation);
  const words = names.map((name) => (api.schemes[name]?.scheme === "bearer" ? "token" : name)).join(" or ");
  return optional ? `${words} optional` : words;
};

const operationCard = (api, operation) => {
  const card = make("details", { class: "operation", id: operation.operationId },
    make("summary", {}, chip(operation.method), make("span", { class: "path" }, operation.path),
      make("span", { class: "what" }, operation.summary ?? ""),
      make("span", { class: "lock" }, lockOf(api, operation))));
  card.addEventListener("toggle", () => {
    if (!card.open || card.children.length > 1) return;
    card.append(make("div", { class: "inside" },
      operation.description ? make("p", {}, ...prose(operation.description)) : null,
      ...accessOf(api, operation), ...parametersOf(api, operation), ...responsesOf(api, operation), ...tryForm(api, operation)));
  });
  return card;
};

// A path that is too long for its line is broken after a slash.
const breakable = (path) => path.split(/(?<=\/)/).flatMap((part) => [part, make("wbr")]);

const searchable = (operation) =>
  [operation.method, operation.path, operation.summary, operation.description, ...(operation.tags ?? [])].join(" ").toLowerCase();

const build = (api) => {
  const main = document.getElementById("operations");
  const index = document.getElementById("index");
  const entries = [];
  const sections = [];
  document.getElementById("credentials").replaceChildren(...Object.entries(api.schemes).map(([name, scheme]) =>
    make("label", { class: "field" }, make("span", {}, scheme.scheme === "bearer" ? "Access token" : name),
      make("input", { id: `credential-${name}`, type: "password", autocomplete: "off", placeholder: api.carrier(name) }))));
  for (const tag of [...new Set(api.operations.map((operation) => operation.tags[0]))]) {
    const list = make("ul");
    const section = make("section", { id: `tag-${tag}`, "aria-label": tag }, make("h2", {}, tag),
      make("p", {}, ...prose(api.tags[tag])));
    const block = make("div", {}, make("h2", {}, tag), list);
    for (const operation of api.operations.filter((each) => each.tags[0] === tag)) {
      const card = operationCard(api, operation);
      const item = make("li", {}, make("a", { href: `#${operation.operationId}` }, chip(operation.method), make("span", {}, ...breakable(operation.path))));
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
