import { createHash } from 'node:crypto';
import { PortFailure } from '../../domain/errors.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { unix } from '../../domain/time.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import type { ChainCoin, ChainTip, ChainTx } from '../../legs/onchain/port.ts';
import { blockRates } from './block-rates.ts';
import type { ChainSource } from './chain-source.ts';
import { esploraBlockRate } from './esplora-blocks.ts';
import { esploraHistory } from './esplora-history.ts';
import { medianOf, medianOfTimes, readHeader } from './headers.ts';
import { missingOrSpent } from './inputs.ts';
import { packageThenEach } from './package.ts';
import { type Judged, judgeRejection, unsureIsSpent } from './rejection.ts';
import {
  type Block,
  textOf,
  rejectionIn,
  blocksOf,
  headersOf,
  proofIn,
  coinOf,
  heightIn,
  hashIn,
  listOf,
} from './esplora-answers.ts';

export interface EsploraEndpoint {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Milliseconds for one request, beside what a large answer takes on its way; 5 s when left out. */
  readonly limit?: number;
}

const defaultLimit = 5_000;
/**
 * Bytes a millisecond that an answer comes with at least. One limit for all would hide a claim of megabytes on a slow
 * line, and none would let a server that drips keep everybody waiting.
 */
const slowest = 250;
/** Scripts asked for at the same time. */
const atOnce = 8;
/** Blocks whose fees are read at a time, with three requests each. */
const ratesAtOnce = 4;
/** Milliseconds for which a tip says which blocks are the last ones, whose fees are read: nothing is judged by it. */
const tipForRatesMs = 1_000;
/** Relay floor, sats per virtual byte. */
const floor = 1;

/**
 * The hexadecimal text of the largest transaction is 8 MB; lists are far smaller, but for a page of a script's history,
 * which holds all that whoever paid it put beside the payment.
 */
const mostBytes = 10_000_000;
const mostHistoryBytes = 100_000_000;

interface Got {
  readonly status: number;
  readonly text: string;
}

/** How the server is asked. */
interface Server {
  readonly url: EsploraEndpoint['url'];
  readonly limit: number;
  readonly host: URL['host'];
  /** Bytes of one answer. */
  readonly most: number;
}

/** The chain as one Esplora server tells it (Blockstream's API.md). */
export function esplora({ url, limit = defaultLimit }: EsploraEndpoint): ChainSource {
  const { host } = new URL(url);
  const own: Server = { url, limit, host, most: mostBytes };
  const history = esploraHistory();
  let last: { readonly tip: ChainTip; readonly at: number } | null = null;

  async function tipNow(): Promise<ChainTip> {
    const now = await tip(own);
    last = { tip: now, at: performance.now() };
    return now;
  }

  const port: ChainSource = {
    genesis: () => get(own, '/block-height/0', (text) => hashIn(text.trim())),
    tip: tipNow,
    /** A page of its best chain where the block is on it; one header alone where a reorganisation took it away. */
    async headers(hash, height) {
      const page = (await find(own, `/blocks/${height}`, headersOf)) ?? [];
      if (page[0]?.hash === hash) return page;
      return [await get(own, `/block/${hash}/header`, (text) => readHeader(fromHex(text.trim()), hash))];
    },
    hashAt: (height) => find(own, `/block-height/${height}`, (text) => hashIn(text.trim())),
    proof: (txid) => find(own, `/tx/${txid}/merkle-proof`, (text) => proofIn(JSON.parse(text))),
    transaction: (txid) => transaction(own, txid),
    glance: (txid) => transaction(own, txid),
    async coins(scripts) {
      const coins: ChainCoin[] = [];
      for (let i = 0; i < scripts.length; i += atOnce)
        coins.push(...(await Promise.all(scripts.slice(i, i + atOnce).map((script) => coinsOf(own, script)))).flat());
      return coins;
    },
    payments: (script, since, search) =>
      history(script, {
        since,
        search,
        ask: (path, read) => get({ ...own, most: mostHistoryBytes }, `/scripthash/${scriptHash(script)}${path}`, read),
      }),
    spend: ({ txid, vout }: Outpoint) =>
      find(own, `/tx/${txid}/outspend/${vout}`, (text) => {
        const answer = JSON.parse(text) as { spent?: unknown; txid?: unknown; status?: unknown };
        if (typeof answer.spent !== 'boolean') throw new Error('it does not say whether an output is spent');
        return answer.spent ? { txid: hashIn(answer.txid), height: heightIn(answer.status).height } : null;
      }),
    async broadcast(bytes) {
      const judged = await send(own, bytes);
      return judged.is === 'unsure' ? missingOrSpent(port, bytes, judged.reason) : judged;
    },
    passOn: async (bytes) => unsureIsSpent(await send(own, bytes)),
    broadcastPackage: (...pair) =>
      // A server without packages answers 404, and what is wrong with one of the two is told of each.
      packageThenEach(port, () => handOver(own, '/txs/package', JSON.stringify(pair.map(toHex))), pair),
    feeRate: (blocks) =>
      get(own, '/fee-estimates', (text) => {
        const rates = Object.entries(JSON.parse(text) as Record<string, unknown>).filter(
          (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
        );
        // The slowest target that is not slower than asked for; the fastest there is for one that is faster than all.
        const sorted = rates
          .map(([target, rate]) => ({ target: Number(target), rate }))
          .sort((a, b) => a.target - b.target);
        return Math.max(floor, (sorted.findLast(({ target }) => target <= blocks) ?? sorted[0])?.rate ?? floor);
      }),
    blockRates: blockRates(
      async () => (last !== null && performance.now() - last.at < tipForRatesMs ? last.tip : tipNow()),
      (heights) =>
        Promise.all(heights.map((height) => esploraBlockRate((path, read) => find(own, path, read), height))),
      ratesAtOnce,
    ),
  };
  return port;
}

async function transaction(own: Server, txid: Txid): Promise<ChainTx | null> {
  const status = await find(own, `/tx/${txid}/status`, (text) => heightIn(JSON.parse(text)));
  if (status === null) return null;
  const bytes = await find(own, `/tx/${txid}/hex`, (text) => fromHex(text.trim()));
  return bytes === null ? null : { bytes, height: status.height };
}

async function send(own: Server, bytes: Uint8Array): Promise<Judged> {
  const { status, text } = await handOver(own, '/tx', toHex(bytes));
  if (status === 200) return { is: 'accepted' };
  if (status !== 400)
    throw onchainFailure(
      'bitcoin-away',
      'ask-first',
      `The Esplora server ${own.host} answered ${status} to a transaction.`,
    );
  const { code, message } = rejectionIn(text);
  return judgeRejection(code, message);
}

function away({ host }: Server, sentence: string, cause?: unknown): PortFailure {
  return onchainFailure('bitcoin-away', 'safe', `The Esplora server ${host} ${sentence}`, cause);
}

/** It answers, and not as the chain would. */
function unbelieved({ host }: Server, sentence: string, cause?: unknown): PortFailure {
  return onchainFailure('bitcoin-unbelieved', 'safe', `The Esplora server ${host} ${sentence}`, cause);
}

async function request(own: Server, path: string, body?: string): Promise<Got> {
  const { url, limit, most } = own;
  const patience = new AbortController();
  const began = performance.now();
  let timer = setTimeout(() => patience.abort(new Error(`no answer within ${limit} ms`)), limit);
  const onBytes = (size: number): void => {
    clearTimeout(timer);
    const left = began + limit + size / slowest - performance.now();
    timer = setTimeout(() => patience.abort(new Error('its answer comes too slowly')), left);
  };
  try {
    const answer = await fetch(`${url}${path}`, {
      signal: patience.signal,
      redirect: 'error',
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    return { status: answer.status, text: await textOf(answer, most, onBytes) };
  } catch (cause) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : String(cause);
    throw away(own, `cannot be reached: ${reason}.`, cause);
  } finally {
    clearTimeout(timer);
  }
}

/** What is handed over may have arrived, whatever comes back. */
function handOver(own: Server, path: string, body: string): Promise<Got> {
  return request(own, path, body).catch((cause: unknown) => {
    throw cause instanceof PortFailure ? cause.retold('ask-first') : cause;
  });
}

/** Null for what the server does not have; every other refusal is a failure. */
async function find<T>(own: Server, path: string, read: (text: string) => T): Promise<T | null> {
  const { status, text } = await request(own, path);
  if (status === 404) return null;
  if (status !== 200) throw away(own, `answered ${status}.`);
  try {
    return read(text);
  } catch (cause) {
    throw unbelieved(own, `is not believed: ${cause instanceof Error ? cause.message : String(cause)}.`, cause);
  }
}

async function get<T>(own: Server, path: string, read: (text: string) => T): Promise<T> {
  const value = await find(own, path, read);
  if (value === null) throw unbelieved(own, `has nothing at ${path}, where every such server has something.`);
  return value;
}

/** Servers without `mediantime` give ten blocks a page: one more page holds the eleventh. */
async function medianTime(own: Server, page: readonly Block[]): Promise<number> {
  const blocks = [...page];
  for (
    let last = blocks.at(-1);
    blocks.length < medianOf && last !== undefined && last.height > 0;
    last = blocks.at(-1)
  ) {
    const more = await get(own, `/blocks/${last.height - 1}`, blocksOf);
    if (more[0]?.id !== last.previous) throw away(own, 'changed its chain between two pages.');
    blocks.push(...more);
  }
  return medianOfTimes(blocks.slice(0, medianOf).map((block) => block.time));
}

async function tip(own: Server): Promise<ChainTip> {
  const page = await get(own, '/blocks', blocksOf);
  const [first] = page;
  if (first === undefined) throw away(own, 'answered no blocks.');
  return {
    hash: first.id,
    height: first.height,
    time: unix(first.time),
    mtp: unix(first.mediantime ?? (await medianTime(own, page))),
  };
}

function scriptHash(script: Uint8Array): string {
  return createHash('sha256').update(script).digest('hex');
}

async function coinsOf(own: Server, script: Uint8Array): Promise<ChainCoin[]> {
  return get(own, `/scripthash/${scriptHash(script)}/utxo`, (text) => listOf(text).map((row) => coinOf(row, script)));
}
