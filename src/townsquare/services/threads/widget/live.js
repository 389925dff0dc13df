// Live messages of the page: over a WebSocket while the page is visible, by polling where no WebSocket can be opened.

const POLL_MS = 20_000;
const LONGEST_WAIT_MS = 60_000;
const PING_MS = 25_000;
const TYPING_MS = 2_500;
const TRIES = 2; // sockets that never opened, before the client polls

export class Live {
  #socket = null;
  #timer = null;
  #failures = 0;
  #last = null; // the newest received event
  #stopped = false;
  #typedAt = 0;

  constructor(client, page, hear) {
    Object.assign(this, { client, page, hear });
    document.addEventListener("visibilitychange", this.#look);
    this.#look();
  }

  stop() {
    this.#stopped = true;
    document.removeEventListener("visibilitychange", this.#look);
    this.#pause();
  }

  // A page in the background holds no socket.
  #look = () => {
    if (document.hidden) this.#pause();
    else if (!this.#socket && !this.#timer) {
      this.#failures = 0;
      this.#connect();
    }
  };

  #pause() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #later(work, after) {
    clearTimeout(this.#timer);
    this.#timer = this.#stopped || document.hidden ? null : setTimeout(() => { this.#timer = null; work.call(this); }, after);
  }

  async #connect() {
    if (this.#failures >= TRIES) return this.#poll();
    const { client } = this;
    let socket;
    try {
      const bearer = client.sso || (await client.bearer());
      if (this.#stopped || document.hidden || this.#socket) return;
      const address = `${client.base.replace(/^http/, "ws")}/threads/v1/live?site=${encodeURIComponent(client.site)}`;
      socket = new WebSocket(address, bearer ? ["townsquare", `bearer.${bearer}`] : []);
    } catch {
      this.#failures += 1;
      return this.#later(this.#connect, 1000);
    }
    let opened = false;
    let ping;
    this.#socket = socket;
    socket.onopen = () => {
      opened = true;
      this.#failures = 0;
      this.#send({ type: "subscribe", ...this.page, ...(this.#last ? { last_event: this.#last } : {}) });
      ping = setInterval(() => this.#send({ type: "ping" }), PING_MS);
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.event) this.#last = message.event;
      this.hear(message);
    };
    socket.onclose = () => {
      clearInterval(ping);
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (!opened) this.#failures += 1;
      this.#later(this.#connect, Math.random() * Math.min(LONGEST_WAIT_MS, 1000 * 2 ** this.#failures));
    };
  }

  async #poll() {
    try {
      const { events, last, reload } = await this.client.ask("GET", "/pages/events", { ...this.page, after: this.#last });
      for (const event of reload ? [{ type: "reload" }] : events) this.hear(event);
      if (!this.#last) this.hear({ type: "subscribed", event: last });
      this.#last = last;
    } catch { /* polled again */ }
    this.#later(this.#poll, POLL_MS);
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  typing() {
    if (Date.now() - this.#typedAt < TYPING_MS) return;
    this.#typedAt = Date.now();
    this.#send({ type: "typing", ...this.page });
  }
}
