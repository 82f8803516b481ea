/** Brings JSON to an address; never rejects. `later` is worth another try. */
export type Post = (url: URL, json: string, signal: AbortSignal) => Promise<'taken' | 'later' | 'never'>;

/** Milliseconds between the tries of one telling; after the last it is given up. */
const usualPauses = [2_000, 10_000, 60_000, 300_000] as const;
/** Milliseconds for one try. */
const patience = 10_000;
/** Tellings that may wait, whoever caused them: beyond that the oldest is given up. */
const mostWaiting = 1_000;
/** Tries at once, of all places and of one: a place that hangs holds few of them. */
const mostAtOnce = 8;
const mostOfHost = 2;

interface Telling {
  readonly url: URL;
  readonly json: string;
  readonly tries: number;
  /** On the monotonic clock, in milliseconds. */
  readonly due: number;
}

/**
 * What strangers want to be told, at addresses of theirs. Nothing waits for it and nothing depends on it, it is in
 * memory alone, and of one swap only the newest waits. It shares no place with the alerts of the owner.
 */
export function createPostbox(
  post: Post,
  { pauses = usualPauses, most = mostWaiting }: { readonly pauses?: readonly number[]; readonly most?: number } = {},
) {
  const stopped = new AbortController();
  const waiting = new Map<string, Telling>();
  /** The host by the swap of which something is on its way: one after the other, so that none overtakes another. */
  const underWay = new Map<string, string>();
  let timer: NodeJS.Timeout | null = null;

  const ofHost = (host: string): number => [...underWay.values()].filter((one) => one === host).length;

  function look(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (stopped.signal.aborted) return;
    const now = performance.now();
    let next = Infinity;
    for (const [id, telling] of waiting) {
      if (underWay.size >= mostAtOnce) return;
      if (underWay.has(id) || ofHost(telling.url.host) >= mostOfHost) continue;
      if (telling.due > now) next = Math.min(next, telling.due);
      else void send(id, telling);
    }
    if (next < Infinity) timer = setTimeout(look, next - now).unref();
  }

  async function send(id: string, telling: Telling): Promise<void> {
    const { url, json, tries } = telling;
    underWay.set(id, url.host);
    const outcome = await post(url, json, AbortSignal.any([stopped.signal, AbortSignal.timeout(patience)]));
    underWay.delete(id);
    const wait = pauses[tries];
    // Another may have come meanwhile in its place.
    if (waiting.get(id) === telling) {
      if (outcome !== 'later' || wait === undefined) waiting.delete(id);
      else waiting.set(id, { ...telling, tries: tries + 1, due: performance.now() + wait });
    }
    look();
  }

  return {
    /** In place of what waits for the same swap. */
    put(id: string, url: URL, json: string): void {
      waiting.delete(id);
      waiting.set(id, { url, json, tries: 0, due: 0 });
      const oldest = waiting.size > most ? waiting.keys().next().value : undefined;
      if (oldest !== undefined) waiting.delete(oldest);
      look();
    },
    stop(): void {
      stopped.abort();
      if (timer !== null) clearTimeout(timer);
      waiting.clear();
    },
  };
}

export type Postbox = ReturnType<typeof createPostbox>;
