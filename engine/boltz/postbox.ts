/** Brings JSON to an address; never rejects. `later` is worth another try. */
export type Post = (url: URL, json: string, signal: AbortSignal) => Promise<'taken' | 'later' | 'never'>;

/** Milliseconds between the tries of one telling; after the last it is given up. */
const usualPauses = [2_000, 10_000, 60_000, 300_000] as const;
/** Milliseconds for one try. */
const patience = 10_000;
/** Tellings that may wait, of all clients and of one: beyond that the oldest is given up of whoever has most. */
const mostWaiting = 1_000;
const mostWaitingOfClient = 50;
/**
 * Tries at once, of all places, and of one place or one client: whose places hang holds few of them, by however many
 * names it calls those (facts/faults.md 268).
 */
const mostAtOnce = 8;
const mostOfOne = 2;

interface Telling {
  /** Whose it is. */
  readonly by: string;
  readonly url: URL;
  /** One after the other. */
  readonly jsons: readonly string[];
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
  /** By the swap of which something is on its way: one after the other, so that none overtakes another. */
  const underWay = new Map<string, Telling>();
  let timer: NodeJS.Timeout | null = null;

  function underWayOf({ by }: Pick<Telling, 'by'>): number {
    return [...underWay.values()].filter((one) => one.by === by).length;
  }

  function mayGo([id, { url, by }]: [string, Telling]): boolean {
    const ofHost = [...underWay.values()].filter((one) => one.url.host === url.host).length;
    return !underWay.has(id) && ofHost < mostOfOne && underWayOf({ by }) < mostOfOne;
  }

  /** The first of those of whose clients least is under way: who waits for the others waits for few of them. */
  function first(now: number): [string, Telling] | undefined {
    return [...waiting]
      .filter((one) => one[1].due <= now && mayGo(one))
      .reduce<[string, Telling] | undefined>(
        (least, one) => (least === undefined || underWayOf(one[1]) < underWayOf(least[1]) ? one : least),
        undefined,
      );
  }

  function look(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (stopped.signal.aborted) return;
    const now = performance.now();
    while (underWay.size < mostAtOnce) {
      const one = first(now);
      if (one === undefined) break;
      void send(...one);
    }
    if (underWay.size >= mostAtOnce) return;
    const next = Math.min(...[...waiting].filter(mayGo).map(([, { due }]) => due));
    if (next < Infinity) timer = setTimeout(look, next - now).unref();
  }

  async function send(id: string, telling: Telling): Promise<void> {
    const { url, jsons, tries } = telling;
    const [json = '', ...rest] = jsons;
    underWay.set(id, telling);
    const outcome = await post(url, json, AbortSignal.any([stopped.signal, AbortSignal.timeout(patience)]));
    underWay.delete(id);
    const wait = pauses[tries];
    // Another may have come meanwhile in its place.
    if (waiting.get(id) === telling) {
      waiting.delete(id);
      // Behind the others.
      if (outcome === 'later' && wait !== undefined)
        waiting.set(id, { ...telling, tries: tries + 1, due: performance.now() + wait });
      else if (rest.length > 0) waiting.set(id, { ...telling, jsons: rest, tries: 0, due: 0 });
    }
    look();
  }

  function giveUpOldest(of: string): void {
    const [oldest] = [...waiting].find(([, { by }]) => by === of) ?? [];
    if (oldest !== undefined) waiting.delete(oldest);
  }

  return {
    /** In place of what waits for the same swap. `by`: whose it is. */
    put(id: string, url: URL, jsons: readonly string[], by: string): void {
      if (jsons.length === 0) return;
      waiting.delete(id);
      waiting.set(id, { url, jsons, by, tries: 0, due: 0 });
      const counts = countsOf([...waiting.values()].map((one) => one.by));
      if ((counts.get(by) ?? 0) > mostWaitingOfClient) giveUpOldest(by);
      else if (waiting.size > most) giveUpOldest(largestOf(counts));
      look();
    },
    stop(): void {
      stopped.abort();
      if (timer !== null) clearTimeout(timer);
      waiting.clear();
    },
  };
}

function countsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The first of those that have most. */
function largestOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])[0];
}

export type Postbox = ReturnType<typeof createPostbox>;
