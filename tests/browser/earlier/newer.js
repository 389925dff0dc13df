// Elements as the newer generation had them, written for the tests: below a base URL, counters as text, the author of a
// message known by the hash, no token kept.
(function () {
  const base = document.currentScript.dataset.base;
  const escape = (text) => { const box = document.createElement("i"); box.textContent = text; return box.innerHTML; };
  const ask = async (service, params) => {
    const response = await fetch(`${base}/${service}?${new URLSearchParams(params)}`);
    const answer = await response.json();
    if (!response.ok || answer.error) throw new Error(answer.error);
    return answer.data;
  };

  customElements.define("newer-counter", class extends HTMLElement {
    async connectedCallback() {
      await fetch(`${base}/visit?action=increment&id=${this.id}`);
      const asked = new URLSearchParams({ action: "get", id: this.id, type: this.getAttribute("type"), format: "text" });
      this.innerHTML = await (await fetch(`${base}/visit?${asked}`)).text();
    }
  });

  customElements.define("newer-like", class extends HTMLElement {
    async connectedCallback() {
      this.show(await ask("like", { action: "get", id: this.id }));
      this.addEventListener("click", async () => this.show(await ask("like", { action: "toggle", id: this.id })));
    }
    show({ total, liked }) {
      this.innerHTML = `<button>${liked ? "♥" : "♡"} ${total}</button>`;
    }
  });

  customElements.define("newer-ranking", class extends HTMLElement {
    async connectedCallback() {
      const { entries, title } = await ask("ranking", { action: "get", id: this.id, limit: "10" });
      const rows = entries.map(({ rank, name, score, displayScore }) => `<li>${rank} ${escape(name)} ${displayScore || score}</li>`);
      this.innerHTML = `<h2>${escape(title)}</h2><ol>${rows.join("")}</ol>`;
    }
    async submit(name, score, displayScore) {
      await ask("ranking", { action: "submit", id: this.id, name, score, displayScore });
      await this.connectedCallback();
    }
  });

  customElements.define("newer-bbs", class extends HTMLElement {
    page = 1;
    connectedCallback() { return this.open(1); }
    async open(page) {
      const { messages, totalMessages, messagesPerPage, currentUserHash } = await ask("bbs", { action: "get", id: this.id, page, limit: this.per || 100 });
      this.per = messagesPerPage;
      const pages = Math.max(1, Math.ceil(totalMessages / messagesPerPage));
      if (messages.length > messagesPerPage) return this.open(page);
      this.page = page;
      const items = messages.map(({ id, author, message, userHash }) =>
        `<li data-id="${id}">${escape(author)}: ${escape(message)}${userHash === currentUserHash ? " <button>edit</button>" : ""}</li>`);
      this.innerHTML = `<ol>${items.join("")}</ol><p>${page}/${pages}</p>`;
    }
    async post(author, message) {
      await ask("bbs", { action: "post", id: this.id, author, message });
      await this.open(1);
      return this.querySelector("li").dataset.id;
    }
    async edit(messageId, message) {
      const { updated } = await ask("bbs", { action: "update", id: this.id, messageId, message });
      await this.open(this.page);
      return updated;
    }
    async remove_(messageId) {
      const { removed } = await ask("bbs", { action: "remove", id: this.id, messageId });
      await this.open(1);
      return removed;
    }
  });
})();
