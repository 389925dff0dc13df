// Elements as the older generation had them, written for the tests: everything by GET below /api of the server,
// text from people in innerHTML, display scores as they come.
(function () {
  const api = `${document.currentScript.dataset.base}/api/`;
  const escape = (text) => { const box = document.createElement("i"); box.textContent = text; return box.innerHTML; };
  const ask = async (service, params) => {
    const response = await fetch(`${api}${service}?${new URLSearchParams(params)}`);
    const answer = await response.json();
    if (!answer.success) throw new Error(answer.error);
    return answer.data;
  };

  customElements.define("older-counter", class extends HTMLElement {
    async connectedCallback() {
      await ask("visit", { action: "increment", id: this.id });
      const { type = "total", theme = "dark", digits = "" } = this.dataset;
      this.innerHTML = `<img alt="counter" src="${api}visit?action=display&id=${this.id}&type=${type}&theme=${theme}${digits && `&digits=${digits}`}">`;
    }
  });

  customElements.define("older-like", class extends HTMLElement {
    async connectedCallback() {
      this.show(await ask("like", { action: "get", id: this.id }));
      this.addEventListener("click", async () => this.show(await ask("like", { action: "toggle", id: this.id })));
    }
    show({ total, userLiked }) {
      this.innerHTML = `<button>${userLiked ? "♥" : "♡"} ${total}</button>`;
    }
  });

  customElements.define("older-ranking", class extends HTMLElement {
    async connectedCallback() {
      const { entries, settings } = await ask("ranking", { action: "display", id: this.id, limit: "10" });
      const rows = entries.map(({ rank, name, score, displayScore }) => `<li>${rank} ${escape(name)} ${displayScore || score}</li>`);
      this.innerHTML = `<h2>${escape(settings.title)}</h2><ol>${rows.join("")}</ol>`;
    }
    async submit(name, score, displayScore) {
      await ask("ranking", { action: "submit", id: this.id, name, score, displayScore });
      await this.connectedCallback();
    }
  });

  customElements.define("older-bbs", class extends HTMLElement {
    tokens = {};
    async connectedCallback() {
      const { totalPages } = await ask("bbs", { action: "display", id: this.id, page: "1" });
      await this.open(totalPages);
    }
    async open(page) {
      const { messages, pagination } = await ask("bbs", { action: "display", id: this.id, page });
      const items = messages.map(({ id, author, message }) => `<li data-id="${id}">${escape(author)}: ${escape(message)}</li>`);
      this.page = pagination.page;
      this.innerHTML = `<ol>${items.join("")}</ol><p>${pagination.page}/${pagination.totalPages}</p>`;
    }
    async post(author, message) {
      const { messageId, editToken } = await ask("bbs", { action: "post", id: this.id, author, message });
      this.tokens[messageId] = editToken;
      await this.connectedCallback();
      return messageId;
    }
    async edit(messageId, message) {
      await ask("bbs", { action: "editMessageById", id: this.id, messageId, message, editToken: this.tokens[messageId] });
      await this.open(this.page);
    }
    async remove_(messageId) {
      await ask("bbs", { action: "deleteMessageById", id: this.id, messageId, editToken: this.tokens[messageId] });
      await this.connectedCallback();
    }
  });
})();
