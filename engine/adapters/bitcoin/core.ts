import type { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { onchainFailure, failedOnchain } from '../../legs/onchain/failures.ts';
import type { ChainCoin, ChainSpend, ChainTx, PaidScript } from '../../legs/onchain/port.ts';
import { blockRates } from './block-rates.ts';
import type { ChainSource } from './chain-source.ts';
import { coreChain } from './core-chain.ts';
import { coreBlockRates } from './core-blocks.ts';
import { coreFees } from './core-fees.ts';
import {
  type Findings,
  isFollowed,
  paidTo,
  paymentsTo,
  minedSpend,
  spentPoints,
  type Tracked,
} from './core-findings.ts';
import { furthestBack, lookBacks, type Sought } from './core-look-back.ts';
import { scanned } from './core-scan.ts';
import { send, sendOurs, submit } from './core-send.ts';
import { spendBy, spendersOf } from './core-spends.ts';
import { followChain } from './follow.ts';
import { missingOrSpent } from './inputs.ts';
import { type CoreEndpoint, coreRpc, RpcRefusal } from './json-rpc.ts';
import { packageThenEach } from './package.ts';
import { unsureIsSpent } from './rejection.ts';
import { indexedTransaction, inMempool, isUnspent, unspentTransaction } from './core-transactions.ts';

/** Blocks whose fees are read in one call: each may take a small machine half a second. */
const ratesAtOnce = 6;
/** A chain up to this long is read as a whole by a node that cannot scan its coins: a test network's. */
const longestReadable = 20_000;
/** Outputs of which one call asks whether they are spent. */
const outputsPerCall = 500;

/** What the looks at a node go by, and what they remember. */
interface Looking extends Findings {
  readonly rpc: ReturnType<typeof coreRpc>;
  readonly chain: ReturnType<typeof coreChain>;
  readonly back: ReturnType<typeof lookBacks>;
  readonly follower: ReturnType<typeof followChain>;
  last: Promise<unknown>;
}

/**
 * The chain from a node that speaks Core's JSON-RPC, be it Bitcoin Core (25 or newer) or btcd, with or without indexes.
 */
export function core(endpoint: CoreEndpoint): ChainSource {
  const rpc = coreRpc(endpoint);
  const chain = coreChain(rpc);
  const tracked = new Map<string, Tracked>();
  const back = lookBacks();
  const follower = followChain(rpc, chain, (fork) => {
    for (const [script, { from }] of tracked) if (from > fork) tracked.delete(script);
    back.forget();
  });
  const own: Looking = { rpc, chain, tracked, back, follower, last: Promise.resolve() };

  const mined = (txid: Txid): ChainTx | null => {
    const { bytes, height = null } = follower.transactions.get(txid) ?? {};
    return bytes === undefined || height === null ? null : { bytes, height };
  };

  const port: ChainSource = {
    genesis: () => chain.genesis(),
    tip: () => chain.tip(),
    headers: async (hash) => [await chain.header(hash)],
    hashAt: (height) => chain.hashAt(height),
    // Its word counts by itself: it is the owner's own node.
    proof: async () => null,
    async transaction(txid) {
      const indexed = await indexedTransaction(rpc, chain, txid);
      const shown = indexed ?? (await unspentTransaction(rpc, chain, txid));
      if (shown !== null) return shown;
      const sought = { txid, since: 0 };
      const look = async (): Promise<ChainTx | null> => {
        // The node looked into its mempool just now.
        await follower.readBlocks();
        if (mined(txid) === null) await back.goOn(follower, sought);
        return mined(txid);
      };
      return back.during(follower, sought, () => inTurn(own, look));
    },
    glance: async (txid) =>
      (await indexedTransaction(rpc, chain, txid)) ??
      follower.transactions.get(txid) ??
      (await unspentTransaction(rpc, chain, txid)),
    coins(scripts, since) {
      const byKey = new Map(scripts.map((script) => [toHex(script), script]));
      return inTurn(own, async () => {
        await follower.advance();
        await track(own, byKey, since ?? null);
        return coinsOf(own, byKey);
      });
    },
    payments(script, since) {
      const byKey = new Map([[toHex(script), script]]);
      return inTurn(own, async () => {
        await follower.advance();
        await track(own, byKey, since);
        await readBelowScan(own, toHex(script), since);
        return { payments: paymentsTo(own, byKey), over: true };
      });
    },
    spend(outpoint, _, paid) {
      const sought = { point: outpointKey(outpoint), since: paid?.since ?? 0 };
      const look = () => inTurn(own, () => spendOf(own, outpoint, { sought, paid }));
      // Of a script that is followed each payment is, once a block or the mempool shows it.
      return isKnown(own, paid) ? look() : back.during(follower, sought, look);
    },
    async broadcast(transaction) {
      const judged = await sendOurs(rpc, transaction);
      return judged.is === 'unsure' ? missingOrSpent(port, transaction, judged.reason) : judged;
    },
    passOn: async (transaction) => unsureIsSpent(await send(rpc, transaction)),
    broadcastPackage: (...pair) => packageThenEach(port, () => submit(rpc, pair.map(toHex)), pair),
    feeRate: (blocks) => coreFees(rpc, blocks),
    blockRates: blockRates(
      () => chain.tip(),
      (heights) => coreBlockRates(rpc, heights),
      ratesAtOnce,
    ),
  };
  return port;
}

async function spendOf(
  own: Looking,
  outpoint: Outpoint,
  { sought, paid }: { readonly sought: Sought; readonly paid: PaidScript | undefined },
): Promise<ChainSpend | null> {
  const { rpc, chain, follower, back } = own;
  const key = outpointKey(outpoint);
  const [spender] = await spendersOf(rpc, [outpoint]);
  const named = await spendBy(chain, spender ?? null);
  if (named !== null) return named;
  // Nothing of the mempool spends it, by the node's own word: blocks are what is left.
  await follower.readBlocks();
  const paying = follower.transactions.get(outpoint.txid);
  // Strangers' coins that left the mempool would have the blocks of days read for each (facts/faults.md 264).
  if (isKnown(own, paid) && paying === undefined) return null;
  const spend = minedSpend(own, key);
  if (spend !== null || (await isUnspent(rpc, outpoint)) || (await inMempool(rpc, outpoint.txid))) return spend;
  // One that waited at the last list, and left the mempool since.
  if (isKnown(own, paid) && paying?.height === null) return null;
  await back.goOn(follower, sought);
  return minedSpend(own, key);
}

function isKnown(own: Looking, paid: PaidScript | undefined): boolean {
  return paid !== undefined && isFollowed(own, paid);
}

/** One look at a time: the follower's memory is shared. */
function inTurn<T>(own: Looking, work: () => Promise<T>): Promise<T> {
  const turn = own.last.then(work, work);
  own.last = turn.catch(() => undefined);
  return turn;
}

async function track(own: Looking, scripts: ReadonlyMap<string, Uint8Array>, since: number | null): Promise<void> {
  const { rpc, tracked, follower } = own;
  const fresh = [...scripts.keys()].filter((key) => !tracked.has(key));
  const height = follower.height ?? 0;
  if (fresh.length === 0) return;
  follower.watch({ scripts: fresh });
  const isNear = since !== null && height - since < furthestBack;
  const coins = isNear ? await unlessRead(own, fresh, since) : await scanned(rpc, fresh);
  if (coins === null && !isNear) await readFrom(own, fresh, since ?? 0);
  const from = coins?.height ?? since ?? 0;
  for (const key of fresh) tracked.set(key, { from, scanned: coins !== null, coins: coins?.byScript.get(key) ?? [] });
  const points = coins === null ? [] : [...coins.byScript.values()].flat().map(({ outpoint }) => outpointKey(outpoint));
  // What was paid between the scan of the set and the last look at the blocks is in the blocks.
  follower.watch({ points });
  if (coins !== null && coins.height < height)
    await follower.lookBack(
      { scripts: new Set(fresh), points: new Set(points), txids: new Set() },
      height,
      coins.height + 1,
    );
  await findSpendsOf(own, new Set(fresh), height);
  await follower.advance();
}

/** Null once the blocks since then were read; where the node keeps them no more, its unspent set is. */
async function unlessRead(own: Looking, fresh: readonly string[], since: number) {
  try {
    await readFrom(own, fresh, since);
    return null;
  } catch (cause) {
    const coins = failedOnchain(cause, 'bitcoin-pruned') ? await scanned(own.rpc, fresh) : null;
    if (coins === null) throw cause;
    return coins;
  }
}

async function readFrom({ rpc, follower }: Looking, fresh: readonly string[], since: number): Promise<void> {
  const height = follower.height ?? 0;
  const start = Math.max(0, since);
  if (height - start > longestReadable)
    throw onchainFailure(
      'bitcoin-no-index',
      'safe',
      `The Bitcoin node ${rpc.name} cannot list the coins of a script: connect a Bitcoin Core, or an Esplora ` +
        'server beside it.',
    );
  const scripts = new Set(fresh);
  const lowest = await follower.lookBack({ scripts, points: new Set(), txids: new Set() }, height, start);
  if (lowest > start) throw unreadable(rpc, start, lowest);
}

/**
 * A scan of the unspent set shows nothing that was spent by then: only the blocks below it tell of that
 * (facts/faults.md 232).
 */
async function readBelowScan(own: Looking, key: string, since: number): Promise<void> {
  const { rpc, tracked, follower } = own;
  const one = tracked.get(key);
  if (one === undefined || !one.scanned || one.from < since || (one.readFrom ?? Infinity) <= since) return;
  if (one.from - since > longestReadable) throw unreadable(rpc, since, one.from - longestReadable);
  const scripts = new Set([key]);
  const lowest = await follower.lookBack({ scripts, points: new Set(), txids: new Set() }, one.from, since);
  if (lowest > since) throw unreadable(rpc, since, lowest);
  tracked.set(key, { ...one, readFrom: since });
  await findSpendsOf(own, scripts, follower.height ?? one.from, 'all');
}

function unreadable(rpc: Looking['rpc'], since: number, lowest: number): PortFailure {
  return onchainFailure(
    'bitcoin-pruned',
    'safe',
    `The Bitcoin node ${rpc.name} keeps no blocks below ${lowest}, and coins since ${since} are asked for: use one ` +
      'that is not pruned, or an Esplora server.',
  );
}

/**
 * Blocks were read from the newest down, so what spends a coin of these scripts was passed before anybody knew of the
 * coin. Whoever the node calls spent on its chain is looked for once more: a coin that is gone would be paid with, or
 * waited for, for ever (facts/faults.md 94).
 */
async function findSpendsOf(
  own: Looking,
  scripts: ReadonlySet<string>,
  to: number,
  which: 'all' | 'since' = 'since',
): Promise<void> {
  const { rpc, follower } = own;
  const spent = spentPoints(own);
  const paid = paidTo(own, scripts, which).flatMap(({ outpoint, height }) =>
    height === null || spent.has(outpointKey(outpoint)) ? [] : [{ ...outpoint, height }],
  );
  const missing: typeof paid = [];
  for (let i = 0; i < paid.length; i += outputsPerCall) {
    const part = paid.slice(i, i + outputsPerCall);
    const answers = await rpc.batch(
      'gettxout',
      part.map(({ txid, vout }) => [txid, vout, false]),
    );
    missing.push(...part.filter((_, at) => answers[at] === null || answers[at] instanceof RpcRefusal));
  }
  if (missing.length === 0) return;
  const points = new Set(missing.map(outpointKey));
  await follower.lookBack(
    { scripts: new Set(), points, txids: new Set() },
    to,
    Math.min(...missing.map(({ height }) => height)),
  );
}

async function coinsOf(own: Looking, scripts: ReadonlyMap<string, Uint8Array>): Promise<ChainCoin[]> {
  const { rpc, tracked } = own;
  const spent = spentPoints(own);
  const coins = new Map<string, ChainCoin>();
  for (const key of scripts.keys())
    for (const coin of tracked.get(key)?.coins ?? []) coins.set(outpointKey(coin.outpoint), coin);
  for (const { outpoint, key, amount, height, reward } of paidTo(own, scripts)) {
    const script = scripts.get(key);
    if (script !== undefined) coins.set(outpointKey(outpoint), { outpoint, script, amount, height, reward });
  }
  const unspent = [...coins].filter(([key]) => !spent.has(key)).map(([, coin]) => coin);
  const spenders = await spendersOf(
    rpc,
    unspent.map(({ outpoint }) => outpoint),
  );
  return unspent.filter((_, i) => spenders[i] === null);
}
