import { setTimeout as sleep } from 'node:timers/promises';
import { providerUrlOf } from '../../contract/taker.ts';
import type { TakerRestore, TakerRestored } from '../../contract/taker-restore.ts';
import { PortFailure } from '../../domain/errors.ts';
import type { RestoreOutcome, RestoreProviderState } from '../../domain/taker.ts';
import { takerAccountsOf } from '../../runtime/ports.ts';
import { slices } from '../../runtime/slices.ts';
import type { Providers } from '../../taker/port.ts';
import { knownSwaps } from './known-swaps.ts';
import { createOwnKeys, type OwnKeys } from './own-keys.ts';
import { restoreRecord, type RestoreContext, type Search } from './restore-record.ts';
import { highestSeen } from './used.ts';

/** Records of one provider that are judged. */
const mostRecords = 2_000;
/** Records that are listed; the others are counted. */
const mostListed = 200;
const betweenQuestionsMs = 250;
/** Of a search that nobody asked for. */
const mostTries = 10;
const betweenTriesMs = 60_000;

type Context = RestoreContext & { readonly providers: Providers };

interface Run {
  readonly started: number;
  ended: number | null;
  readonly providers: { readonly url: string; state: RestoreProviderState }[];
  readonly counts: Record<RestoreOutcome, number>;
  readonly swaps: TakerRestored[];
}

/**
 * Finds the swaps of this seed again that the database does not have: providers say which there are, and nothing else
 * that they say is believed. It may be run as often as one likes: what is here already stays as it is.
 */
export function createRestore(context: Context) {
  const stopping = new AbortController();
  let run: Run | null = null;
  let running: Promise<void> | null = null;
  let alone: Promise<void> | null = null;

  async function all(now: Run): Promise<void> {
    const { runtime, keys } = context;
    const own = createOwnKeys({ keys, accounts: takerAccountsOf(runtime.ports) });
    for (const provider of now.providers) {
      if (stopping.signal.aborted) return;
      provider.state = 'asking';
      try {
        provider.state = await ask(now, own, provider.url);
      } catch (cause) {
        if (!(cause instanceof PortFailure)) throw cause;
        provider.state = 'silent';
      }
    }
  }

  async function ask(now: Run, own: OwnKeys, url: string): Promise<RestoreProviderState> {
    const { runtime } = context;
    const judged = new Set<string>();
    const opened: Search['opened'] = new Map();
    const pause = slices();
    const pages = knownSwaps(context.providers(url), {
      from: 0,
      proven: () => highestSeen(runtime),
      // This node itself is asked at once.
      pause: () =>
        url === ''
          ? Promise.resolve()
          : sleep(betweenQuestionsMs, undefined, { signal: stopping.signal }).catch(() => undefined),
    });
    for (;;) {
      const page = await pages.next();
      if (page.done === true) return page.value;
      for (const given of page.value) {
        if (stopping.signal.aborted || judged.size >= mostRecords) return 'cut';
        const name = nameOf(given, judged.size);
        if (judged.has(name)) continue;
        judged.add(name);
        await pause();
        note(now, await restoreRecord(context, { own, opened }, url, given));
      }
      if (stopping.signal.aborted) return 'cut';
    }
  }

  function start(provider: string | null): TakerRestore {
    if (running === null && !stopping.signal.aborted) begin(provider);
    return shown(run);
  }

  function begin(provider: string | null): void {
    const urls = new Set([
      '',
      ...context.config.taker.providers.map(providerUrlOf),
      ...(provider === null ? [] : [provider]),
    ]);
    const { runtime } = context;
    const now: Run = {
      started: runtime.clock.now().wall,
      ended: null,
      providers: [...urls].map((url) => ({ url, state: 'waiting' })),
      counts: { reopened: 0, held: 0, over: 0, refused: 0, later: 0 },
      swaps: [],
    };
    run = now;
    running = all(now)
      .catch((cause: unknown) => runtime.log.warn({ cause: String(cause) }, 'finding swaps again was broken off'))
      .finally(() => {
        for (const one of now.providers) if (one.state === 'asking' || one.state === 'waiting') one.state = 'cut';
        now.ended = runtime.clock.now().wall;
        running = null;
      });
  }

  /** What could not be judged, or nobody answered, is asked for again: networks may take their time to be there. */
  async function untilAnswered(): Promise<void> {
    for (let tries = 0; tries < mostTries && !stopping.signal.aborted; tries++) {
      start(null);
      await running;
      if (run !== null && run.counts.later === 0 && run.providers.every(({ state }) => state !== 'silent')) return;
      await sleep(betweenTriesMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    start,
    /** A folder that never swapped may be that of a seed which did elsewhere, or has lost its database. */
    startIfNew(): void {
      const { runtime, config } = context;
      if (alone !== null || config.taker.providers.length === 0 || runtime.store.counters.peek('taker') > 0) return;
      alone = untilAnswered().finally(() => {
        alone = null;
      });
    },
    state: (): TakerRestore => shown(run),
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      await alone;
    },
  };
}

/** A record that comes twice is judged once; one without an id by its place. */
function nameOf(given: unknown, place: number): string {
  const id: unknown = typeof given === 'object' && given !== null && 'id' in given ? given.id : null;
  return typeof id === 'string' ? `id ${id.slice(0, 200)}` : `place ${place}`;
}

function note(run: Run, row: TakerRestored): void {
  run.counts[row.outcome] += 1;
  if (run.swaps.length < mostListed) run.swaps.push(row);
}

function shown(run: Run | null): TakerRestore {
  const none = { reopened: 0, held: 0, over: 0, refused: 0, later: 0 };
  if (run === null)
    return {
      state: 'never',
      started: null,
      ended: null,
      providers: [],
      counts: none,
      swaps: [],
      left_out: 0,
      all_found: false,
    };
  const counted = Object.values(run.counts).reduce((sum, count) => sum + count, 0);
  return {
    state: run.ended === null ? 'running' : 'done',
    started: run.started,
    ended: run.ended,
    providers: run.providers.map(({ url, state }) => ({ provider_url: url, state })),
    counts: { ...run.counts },
    swaps: [...run.swaps],
    left_out: counted - run.swaps.length,
    all_found: false,
  };
}
