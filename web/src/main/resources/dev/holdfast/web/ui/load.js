// Loads the data of a page: the newest request wins, an old response never overwrites a newer one.

/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} fetchIt
 * @param {(state: {data?: T, error?: Error, busy: boolean}) => void} show called at every change
 */
export function loader(fetchIt, show) {
  /** @type {{data?: T, error?: Error, busy: boolean}} */
  let state = { busy: false };
  let running = new AbortController();
  let closed = false;

  function become(next) {
    if (closed) return;
    state = next;
    show(state);
  }

  return {
    get data() {
      return state.data;
    },
    /** Renders the last state again. */
    again() {
      become(state);
    },
    /** Loads again; the old data stays until the response arrives, unless `fresh`. */
    async load({ fresh = false } = {}) {
      running.abort();
      const mine = (running = new AbortController());
      become({ data: fresh ? undefined : state.data, busy: true });
      try {
        const data = await fetchIt(mine.signal);
        if (!mine.signal.aborted) become({ data, busy: false });
      } catch (error) {
        if (!mine.signal.aborted) become({ data: state.data, error, busy: false });
      }
    },
    /** Takes the response of a change instead of loading again. */
    take(data) {
      running.abort();
      become({ data, busy: false });
    },
    close() {
      closed = true;
      running.abort();
    },
  };
}
