import { createHash } from 'node:crypto';
import { PortFailure } from '../../domain/errors.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { unix } from '../../domain/time.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import type { BroadcastAnswer, ChainCoin, ChainTip } from '../../legs/onchain/port.ts';
import { blockRates } from './block-rates.ts';
import type { ChainSource } from './chain-source.ts';
import { isCount, isHash } from './core-chain.ts';
import { esploraBlockRate } from './esplora-blocks.ts';
import { type Header, medianOf, medianOfTimes, readHeader } from './headers.ts';
import { missingOrSpent } from './inputs.ts';
import type { MerkleProof } from './merkle.ts';
import { packageThenEach } from './package.ts';
import { judgeRejection } from './rejection.ts';

export interface EsploraEndpoint {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Milliseconds for one request, beside what a large answer takes on its way; 5 s when left out. */
  readonly limit?: number;
}

const defaultLimit = 5_000;
/** The hexadecimal text of the largest transaction is 8 MB; pages and lists are far smaller. */
const mostBytes = 10_000_000;
/**
 * Bytes a millisecond that an answer comes with at least. One limit for all would hide a claim of megabytes on a slow
 * line, and none would let a server that drips keep everybody waiting.
 */
const slowest = 250;
/** Scripts asked for at the same time. */
const atOnce = 8;
/** Blocks whose fees are read at a time, with three requests each. */
const ratesAtOnce = 4;
/** Relay floor, sats per virtual byte. */
const floor = 1;

interface Block {
  readonly id: string;
  readonly height: number;
  readonly time: number;
  readonly mediantime: number | null;
  readonly previous: string | null;
}

interface Got {
  readonly status: number;
  readonly text: string;
}

/** The chain as one Esplora server tells it (Blockstream's API.md). */
export function esplora({ url, limit = defaultLimit }: EsploraEndpoint): ChainSource {
  const { host } = new URL(url);

  function away(sentence: string, cause?: unknown): PortFailure {
    return onchainFailure('bitcoin-away', 'safe', `The Esplora server ${host} ${sentence}`, cause);
  }

  /** It answers, and not as the chain would. */
  function unbelieved(sentence: string, cause?: unknown): PortFailure {
    return onchainFailure('bitcoin-unbelieved', 'safe', `The Esplora server ${host} ${sentence}`, cause);
  }

  async function request(path: string, body?: string): Promise<Got> {
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
      return { status: answer.status, text: await textOf(answer, onBytes) };
    } catch (cause) {
      const reason =
        cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : String(cause);
      throw away(`cannot be reached: ${reason}.`, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What is handed over may have arrived, whatever comes back. */
  function handOver(path: string, body: string): Promise<Got> {
    return request(path, body).catch((cause: unknown) => {
      throw cause instanceof PortFailure ? cause.retold('ask-first') : cause;
    });
  }

  /** Null for what the server does not have; every other refusal is a failure. */
  async function find<T>(path: string, read: (text: string) => T): Promise<T | null> {
    const { status, text } = await request(path);
    if (status === 404) return null;
    if (status !== 200) throw away(`answered ${status}.`);
    try {
      return read(text);
    } catch (cause) {
      throw unbelieved(`is not believed: ${cause instanceof Error ? cause.message : String(cause)}.`, cause);
    }
  }

  async function get<T>(path: string, read: (text: string) => T): Promise<T> {
    const value = await find(path, read);
    if (value === null) throw unbelieved(`has nothing at ${path}, where every such server has something.`);
    return value;
  }

  /** Servers without `mediantime` give ten blocks a page: one more page holds the eleventh. */
  async function medianTime(page: readonly Block[]): Promise<number> {
    const blocks = [...page];
    for (
      let last = blocks.at(-1);
      blocks.length < medianOf && last !== undefined && last.height > 0;
      last = blocks.at(-1)
    ) {
      const more = await get(`/blocks/${last.height - 1}`, blocksOf);
      if (more[0]?.id !== last.previous) throw away('changed its chain between two pages.');
      blocks.push(...more);
    }
    return medianOfTimes(blocks.slice(0, medianOf).map((block) => block.time));
  }

  async function tip(): Promise<ChainTip> {
    const page = await get('/blocks', blocksOf);
    const [first] = page;
    if (first === undefined) throw away('answered no blocks.');
    return {
      hash: first.id,
      height: first.height,
      time: unix(first.time),
      mtp: unix(first.mediantime ?? (await medianTime(page))),
    };
  }

  async function coinsOf(script: Uint8Array): Promise<ChainCoin[]> {
    const hash = createHash('sha256').update(script).digest('hex');
    return get(`/scripthash/${hash}/utxo`, (text) => listOf(text).map((row) => coinOf(row, script)));
  }

  const port: ChainSource = {
    genesis: () => get('/block-height/0', (text) => hashIn(text.trim())),
    tip,
    /** A page of its best chain where the block is on it; one header alone where a reorganisation took it away. */
    async headers(hash, height) {
      const page = (await find(`/blocks/${height}`, headersOf)) ?? [];
      if (page[0]?.hash === hash) return page;
      return [await get(`/block/${hash}/header`, (text) => readHeader(fromHex(text.trim()), hash))];
    },
    hashAt: (height) => find(`/block-height/${height}`, (text) => hashIn(text.trim())),
    proof: (txid) => find(`/tx/${txid}/merkle-proof`, (text) => proofIn(JSON.parse(text))),
    async transaction(txid) {
      const status = await find(`/tx/${txid}/status`, (text) => heightIn(JSON.parse(text)));
      if (status === null) return null;
      const bytes = await find(`/tx/${txid}/hex`, (text) => fromHex(text.trim()));
      return bytes === null ? null : { bytes, height: status.height };
    },
    async coins(scripts) {
      const coins: ChainCoin[] = [];
      for (let i = 0; i < scripts.length; i += atOnce)
        coins.push(...(await Promise.all(scripts.slice(i, i + atOnce).map(coinsOf))).flat());
      return coins;
    },
    spend: ({ txid, vout }: Outpoint) =>
      find(`/tx/${txid}/outspend/${vout}`, (text) => {
        const answer = JSON.parse(text) as { spent?: unknown; txid?: unknown; status?: unknown };
        if (typeof answer.spent !== 'boolean') throw new Error('it does not say whether an output is spent');
        return answer.spent ? { txid: hashIn(answer.txid), height: heightIn(answer.status).height } : null;
      }),
    async broadcast(transaction) {
      const { status, text } = await handOver('/tx', toHex(transaction));
      if (status === 200) return { is: 'accepted' };
      if (status !== 400)
        throw onchainFailure(
          'bitcoin-away',
          'ask-first',
          `The Esplora server ${host} answered ${status} to a transaction.`,
        );
      const { code, message } = rejectionIn(text);
      const judged = judgeRejection(code, message);
      return judged.is === 'unsure'
        ? missingOrSpent(port, transaction, judged.reason)
        : (judged satisfies BroadcastAnswer);
    },
    broadcastPackage: (...pair) =>
      // A server without packages answers 404, and what is wrong with one of the two is told of each.
      packageThenEach(port, () => handOver('/txs/package', JSON.stringify(pair.map(toHex))), pair),
    feeRate: (blocks) =>
      get('/fee-estimates', (text) => {
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
      tip,
      (heights) => Promise.all(heights.map((height) => esploraBlockRate(find, height))),
      ratesAtOnce,
    ),
  };
  return port;
}

async function textOf(answer: Response, onBytes: (size: number) => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (answer.body === null) return '';
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.length;
    onBytes(size);
    if (size > mostBytes) throw new Error(`it answered more than ${mostBytes} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Esplora hands on what its node said, as `sendrawtransaction RPC error: {"code":-26,"message":"…"}`. */
function rejectionIn(text: string): { code: number; message: string } {
  const json = /\{.*\}/s.exec(text)?.[0];
  try {
    const { code, message } = JSON.parse(json ?? '') as { code?: unknown; message?: unknown };
    if (typeof code === 'number' && typeof message === 'string') return { code, message };
  } catch {
    // No JSON in it: some servers give the text alone.
  }
  return { code: 0, message: text.slice(0, 500) };
}

function blocksOf(text: string): Block[] {
  return listOf(text).map((row) => {
    const { id, height, timestamp, mediantime, previousblockhash } = row;
    if (!isHash(id) || !isCount(height) || !isCount(timestamp)) throw new Error('it answered a malformed block');
    return {
      id,
      height,
      time: timestamp,
      mediantime: isCount(mediantime) ? mediantime : null,
      previous: isHash(previousblockhash) ? previousblockhash : null,
    };
  });
}

/** The headers of a page of blocks, linked: what is shown of a block in JSON makes up its 80 bytes. */
function headersOf(text: string): Header[] {
  const headers: Header[] = [];
  for (const { id, version, timestamp, bits, nonce, merkle_root: root, previousblockhash: previous } of listOf(text)) {
    if (
      !isHash(id) ||
      !isHash(root) ||
      ![version, timestamp, bits, nonce].every((value) => typeof value === 'number' && Number.isSafeInteger(value))
    )
      throw new Error('it answered a malformed block');
    const bytes = new Uint8Array(80);
    const view = new DataView(bytes.buffer);
    view.setInt32(0, Number(version), true);
    bytes.set(isHash(previous) ? fromHex(previous).reverse() : new Uint8Array(32), 4);
    bytes.set(fromHex(root).reverse(), 36);
    for (const [at, value] of [
      [68, timestamp],
      [72, bits],
      [76, nonce],
    ] as const)
      view.setUint32(at, Number(value), true);
    const header = readHeader(bytes, id);
    if (headers.length > 0 && headers.at(-1)?.previous !== id)
      throw new Error('it answered blocks that do not follow each other');
    headers.push(header);
  }
  return headers;
}

function proofIn(answer: unknown): MerkleProof {
  const { block_height: height, merkle, pos } = answer as { block_height?: unknown; merkle?: unknown; pos?: unknown };
  if (!isCount(height) || !isCount(pos) || !Array.isArray(merkle) || !merkle.every(isHash))
    throw new Error('it answered a malformed proof');
  return { height, position: pos, branch: merkle };
}

function coinOf(row: Record<string, unknown>, script: Uint8Array): ChainCoin {
  const { txid, vout, value, status } = row;
  if (!isCount(vout) || !isCount(value)) throw new Error('it answered a malformed coin');
  return { outpoint: { txid: hashIn(txid), vout }, script, amount: sats(value), height: heightIn(status).height };
}

function heightIn(status: unknown): { height: number | null } {
  const { confirmed, block_height: height } = (status ?? {}) as { confirmed?: unknown; block_height?: unknown };
  if (confirmed === false) return { height: null };
  if (confirmed !== true || !isCount(height)) throw new Error('it does not say whether a transaction is confirmed');
  return { height };
}

function hashIn(value: unknown): string {
  if (!isHash(value)) throw new Error('it answered no hash');
  return value;
}

function listOf(text: string): Record<string, unknown>[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error('it answered no list');
  return rows.map((row: unknown) => (typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {}));
}
