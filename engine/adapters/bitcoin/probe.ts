import { isSignet } from '../../domain/chain.ts';
import { NoAnswer, probed, type Answer } from '../probe/answer.ts';
import { ask, jsonOf, type HttpAnswer } from '../probe/http.ts';
import { coreMethods } from './core-methods.ts';

/** What one endpoint of the Bitcoin chain says of itself; null is what this kind of endpoint does not tell. */
export interface BitcoinFacts {
  readonly kind: 'core' | 'esplora';
  readonly genesis: string;
  /** Its block at height 1, where only that tells which chain it is; null where it has none. */
  readonly second: string | null;
  /** As it introduces itself to its peers: `/Satoshi:29.0.0/`, `btcd 0.24.2`. */
  readonly version: string | null;
  readonly height: number;
  readonly tip: string;
  /** Unix seconds of the tip's header. */
  readonly tipTime: number;
  /** Median time past of the tip, unix seconds. */
  readonly mtp: number | null;
  /** Highest header seen, with its block or without. */
  readonly headers: number | null;
  /** Still in the download of the chain's history. */
  readonly syncing: boolean | null;
  /** Lowest block that it still has whole; null where it has them all or does not say. */
  readonly prunedBelow: number | null;
  /** Methods that it lets nobody of our name call. */
  readonly forbidden: readonly string[];
  readonly peers: number | null;
  readonly latencyMs: number;
  readonly clock: number | null;
}

export interface CoreAddress {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly ca: Uint8Array | null;
}

const hash = /^[0-9a-f]{64}$/;

/** A node that speaks the JSON-RPC of Bitcoin Core. */
export function probeCore(address: CoreAddress, limitMs: number): Promise<Answer<BitcoinFacts>> {
  return probed(limitMs, async (signal) => {
    const call = (method: string, ...params: unknown[]) => rpc(address, method, params, signal);
    const first = await call('getblockchaininfo');
    const chain = resultOf(first, 'getblockchaininfo') as Record<string, unknown>;
    const [genesis, header, network, info, peers] = await Promise.all([
      call('getblockhash', 0),
      call('getblockheader', String(chain['bestblockhash']), true),
      call('getnetworkinfo'),
      call('getinfo'),
      call('getconnectioncount'),
    ]);
    const forbidden = await forbiddenOf(call);
    const genesisHash = hashOf(resultOf(genesis, 'getblockhash'));
    const second = isSignet(genesisHash) ? (await call('getblockhash', 1)).result : null;
    const tip = resultOf(header, 'getblockheader') as Record<string, unknown>;
    return {
      kind: 'core',
      genesis: genesisHash,
      second: typeof second === 'string' ? second : null,
      version: versionOf(network.result, info.result),
      height: whole(chain['blocks']),
      tip: hashOf(chain['bestblockhash']),
      tipTime: whole(tip['time']),
      mtp: wholeOrNull(chain['mediantime']),
      headers: whole(chain['headers']),
      syncing: typeof chain['initialblockdownload'] === 'boolean' ? chain['initialblockdownload'] : null,
      prunedBelow: chain['pruned'] === true ? whole(chain['pruneheight'] ?? chain['blocks']) : null,
      forbidden,
      peers: typeof peers.result === 'number' ? peers.result : null,
      latencyMs: Math.min(first.answer.latencyMs, header.answer.latencyMs),
      clock: first.answer.clock,
    };
  });
}

/** Asked at once, so that its work queue holds them beside what others ask. */
const atOnce = 4;

/** A whitelist is looked at before the parameters: with one that no method takes, none of them does anything. */
async function forbiddenOf(call: (method: string, ...params: unknown[]) => Promise<Rpc>): Promise<string[]> {
  const forbidden: string[] = [];
  for (let i = 0; i < coreMethods.length; i += atOnce) {
    const methods = coreMethods.slice(i, i + atOnce);
    const answers = await Promise.all(methods.map((method) => call(method, {})));
    forbidden.push(...methods.filter((_, at) => answers[at]?.answer.status === 403));
  }
  return forbidden;
}

interface Rpc {
  readonly result: unknown;
  readonly error: { readonly code?: unknown; readonly message?: unknown } | null;
  readonly answer: HttpAnswer;
}

async function rpc(
  address: CoreAddress,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Rpc> {
  const answer = await ask({
    url: address.url,
    signal,
    ca: address.ca,
    authorization: `Basic ${Buffer.from(`${address.user}:${address.password}`).toString('base64')}`,
    post: { jsonrpc: '1.0', id: 1, method, params },
  });
  if (answer.status === 401) throw new NoAnswer('credentials', 'it answered 401');
  // Whether that matters is known where the answer is needed.
  if (answer.status === 403) return { result: null, error: null, answer };
  if (answer.status === 503 && /work queue/i.test(answer.text)) throw new NoAnswer('busy', answer.text.trim());
  const { result, error } = jsonOf(answer) as { result?: unknown; error?: Rpc['error'] };
  if (error?.code === -28) throw new NoAnswer('starting', String(error.message));
  return { result: result ?? null, error: error ?? null, answer };
}

function resultOf(rpc: Rpc, method: string): unknown {
  if (rpc.answer.status === 403) throw new NoAnswer('forbidden', `it answered 403 to ${method}`);
  if (rpc.error !== null || rpc.result === null)
    throw new NoAnswer('not-it', `it refused ${method}: ${String(rpc.error?.message ?? 'no result').slice(0, 120)}`);
  return rpc.result;
}

/** btcd has no network info and tells its number in the older `getinfo`: 240200 is 0.24.2. */
function versionOf(network: unknown, info: unknown): string | null {
  const subversion = (network as { subversion?: unknown } | null)?.subversion;
  if (typeof subversion === 'string') return subversion;
  const number = (info as { version?: unknown } | null)?.version;
  return typeof number === 'number'
    ? `btcd ${Math.floor(number / 1_000_000)}.${Math.floor(number / 10_000) % 100}.${Math.floor(number / 100) % 100}`
    : null;
}

/** A server that speaks Blockstream's Esplora. */
export function probeEsplora(url: string, limitMs: number): Promise<Answer<BitcoinFacts>> {
  return probed(limitMs, async (signal) => {
    const base = url.replace(/\/+$/, '');
    const get = (path: string) => ask({ url: `${base}${path}`, signal });
    const [genesis, blocks] = await Promise.all([get('/block-height/0'), get('/blocks')]);
    if (!hash.test(genesis.text.trim()))
      throw new NoAnswer('not-it', `it answered ${genesis.status} to /block-height/0, and no block hash`);
    const tip = firstBlock(blocks);
    const second = isSignet(genesis.text.trim()) ? (await get('/block-height/1')).text.trim() : '';
    return {
      kind: 'esplora',
      genesis: genesis.text.trim(),
      second: hash.test(second) ? second : null,
      version: null,
      height: whole(tip['height']),
      tip: hashOf(tip['id']),
      tipTime: whole(tip['timestamp']),
      mtp: wholeOrNull(tip['mediantime']),
      headers: null,
      syncing: null,
      prunedBelow: null,
      forbidden: [],
      peers: null,
      latencyMs: Math.min(genesis.latencyMs, blocks.latencyMs),
      clock: genesis.clock,
    };
  });
}

function firstBlock(answer: HttpAnswer): Record<string, unknown> {
  try {
    const [first] = JSON.parse(answer.text) as Record<string, unknown>[];
    if (typeof first === 'object') return first;
  } catch {
    // Said below: what came is no list of blocks.
  }
  throw new NoAnswer('not-it', `it answered ${answer.status} to /blocks, and no list of blocks`);
}

function hashOf(value: unknown): string {
  if (typeof value !== 'string' || !hash.test(value))
    throw new NoAnswer('not-it', 'it gave no block hash where one belongs');
  return value;
}

function wholeOrNull(value: unknown): number | null {
  return value === undefined || value === null ? null : whole(value);
}

function whole(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new NoAnswer('not-it', 'it gave no whole number where one belongs');
  return value;
}
