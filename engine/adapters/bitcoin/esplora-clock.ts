import { PortFailure } from '../../domain/errors.ts';
import { type Unix, unix } from '../../domain/time.ts';
import type { BitcoinClockPort, ChainTip } from '../../legs/onchain/port.ts';

export interface EsploraOptions {
  /** Base addresses in the order of preference, without a trailing slash. */
  readonly urls: readonly string[];
  /** Milliseconds for one request to one address; 5 s when left out. */
  readonly limit?: number;
}

const defaultLimit = 5_000;
/** A page of blocks is small; whatever is larger is no answer to our question. */
const mostBytes = 1_000_000;
/** BIP-113: the median is taken over this many block times. */
const medianOf = 11;
const txidText = /^[0-9a-f]{64}$/;

interface Block {
  readonly id: string;
  readonly height: number;
  readonly time: number;
  readonly mediantime: number | null;
  readonly previous: string | null;
}

/**
 * The chain's clock from Esplora servers: the first that answers sensibly is believed. A server that falls behind the
 * highest tip seen is asked last and never moves the clock back; only a chain that all servers agree on does (a reorg).
 */
export function esploraClock(options: EsploraOptions): BitcoinClockPort {
  const limit = options.limit ?? defaultLimit;
  let best: ChainTip | null = null;

  async function firstAnswer<T>(ask: (url: string) => Promise<T>, good: (answer: T) => boolean): Promise<T> {
    const failures: string[] = [];
    let spare: T | null = null;
    for (const url of options.urls) {
      try {
        const answer = await ask(url);
        if (good(answer)) return answer;
        spare ??= answer;
      } catch (error) {
        failures.push(`${new URL(url).host}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (spare !== null) return spare;
    throw new PortFailure('bitcoin-away', 'safe', `No Bitcoin server answered (${failures.join('; ')}).`);
  }

  return {
    genesis: () => firstAnswer((url) => genesisOf(url, limit), () => true),
    async tip() {
      const height = best?.height ?? 0;
      best = await firstAnswer((url) => tipOf(url, limit), (tip) => tip.height >= height);
      return best;
    },
  };
}

async function genesisOf(url: string, limit: number): Promise<string> {
  const text = (await get(`${url}/block-height/0`, limit)).trim();
  if (!txidText.test(text)) throw new Error('it answered no block hash');
  return text;
}

async function tipOf(url: string, limit: number): Promise<ChainTip> {
  const page = blocksOf(await get(`${url}/blocks`, limit));
  const tip = page[0];
  if (tip === undefined) throw new Error('it answered no blocks');
  const mtp = tip.mediantime ?? (await medianTime(url, page, limit));
  return { hash: tip.id, height: tip.height, time: unix(tip.time), mtp: unix(mtp) };
}

/** Servers without `mediantime` give ten blocks a page: one more page holds the eleventh. */
async function medianTime(url: string, page: readonly Block[], limit: number): Promise<number> {
  const blocks = [...page];
  for (let last = blocks.at(-1); blocks.length < medianOf && last !== undefined && last.height > 0; last = blocks.at(-1)) {
    const more = blocksOf(await get(`${url}/blocks/${last.height - 1}`, limit));
    if (more[0]?.id !== last.previous) throw new Error('its chain changed between two pages');
    blocks.push(...more);
  }
  return medianOfTimes(blocks.slice(0, medianOf).map((block) => block.time));
}

/** BIP-113's median: the middle one of the sorted times, the later of the two middle ones when they are even. */
export function medianOfTimes(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('it answered no blocks');
  return middle;
}

function blocksOf(text: string): Block[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error('it answered no list of blocks');
  return rows.map((row: Record<string, unknown>) => {
    const { id, height, timestamp, mediantime, previousblockhash } = row;
    if (typeof id !== 'string' || !txidText.test(id) || !isCount(height) || !isCount(timestamp)) throw new Error('it answered a malformed block');
    return {
      id,
      height,
      time: timestamp,
      mediantime: isCount(mediantime) ? mediantime : null,
      previous: typeof previousblockhash === 'string' ? previousblockhash : null,
    };
  });
}

function isCount(value: unknown): value is Unix {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

async function get(url: string, limit: number): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(limit), redirect: 'error', headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
  const text = await answer.text();
  if (text.length > mostBytes) throw new Error(`it answered ${text.length} characters`);
  return text;
}
