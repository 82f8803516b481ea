import { toHex } from '../../domain/hex.ts';
import { outpointKey, type Txid } from '../../domain/outpoint.ts';
import { onchainFailure, failedOnchain } from '../../legs/onchain/failures.ts';
import type { ChainCoin } from '../../legs/onchain/port.ts';
import { blockRates } from './block-rates.ts';
import type { ChainSource } from './chain-source.ts';
import { coreChain } from './core-chain.ts';
import { coreBlockRates } from './core-blocks.ts';
import { coreFees } from './core-fees.ts';
import { type Findings, paidTo, paymentsTo, spendFound, spentPoints, type Tracked } from './core-findings.ts';
import { scanned } from './core-scan.ts';
import { spendBy, spendersOf } from './core-spends.ts';
import { followChain } from './follow.ts';
import { missingOrSpent } from './inputs.ts';
import { type CoreEndpoint, coreRpc, RpcRefusal } from './json-rpc.ts';
import { packageThenEach } from './package.ts';
import { type Judged, judgeRejection, unsureIsSpent } from './rejection.ts';
import { indexedTransaction, inMempool, isUnspent } from './core-transactions.ts';

/** So many blocks back a new script, spend or transaction is looked for block by block. */
const furthestBack = 1_008;
/** Of these so many in one call, so that no call takes minutes. */
const blocksPerCall = 36;
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
  /** How far back spends of outpoints and transactions were looked for already. */
  readonly lookedBack: Map<string, number>;
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
  /** How far back spends of outpoints and transactions were looked for already. */
  const lookedBack = new Map<string, number>();
  const follower = followChain(rpc, chain, (fork) => {
    for (const [script, { from }] of tracked) if (from > fork) tracked.delete(script);
    lookedBack.clear();
  });
  const own: Looking = { rpc, chain, tracked, lookedBack, follower, last: Promise.resolve() };

  const port: ChainSource = {
    genesis: () => chain.genesis(),
    tip: () => chain.tip(),
    headers: async (hash) => [await chain.header(hash)],
    hashAt: (height) => chain.hashAt(height),
    // Its word counts by itself: it is the owner's own node.
    proof: async () => null,
    async transaction(txid) {
      const indexed = await indexedTransaction(rpc, chain, txid);
      if (indexed !== null) return indexed;
      return inTurn(own, async () => {
        follower.watch({ txids: [txid] });
        await follower.advance();
        if (!follower.transactions.has(txid)) await lookBackFor(own, txid, { txids: txid });
        const tx = follower.transactions.get(txid);
        return tx === undefined ? null : { bytes: tx.bytes, height: tx.height };
      });
    },
    glance: async (txid) => (await indexedTransaction(rpc, chain, txid)) ?? follower.transactions.get(txid) ?? null,
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
        return { payments: paymentsTo(own, byKey), over: true };
      });
    },
    spend(outpoint) {
      const key = outpointKey(outpoint);
      return inTurn(own, async () => {
        const [spender] = await spendersOf(rpc, [outpoint]);
        const named = await spendBy(chain, spender ?? null);
        if (named !== null) return named;
        follower.watch({ points: [key] });
        await follower.advance();
        const spend = spendFound(own, key);
        if (spend !== null || (await isUnspent(rpc, outpoint)) || (await inMempool(rpc, outpoint.txid))) return spend;
        await lookBackFor(own, key, { points: key });
        return spendFound(own, key);
      });
    },
    async broadcast(transaction) {
      const judged = await send(rpc, transaction);
      return judged.is === 'unsure' ? missingOrSpent(port, transaction, judged.reason) : judged;
    },
    passOn: async (transaction) => unsureIsSpent(await send(rpc, transaction)),
    broadcastPackage: (...pair) =>
      packageThenEach(
        port,
        () =>
          rpc.call('submitpackage', [pair.map(toHex)]).catch((cause: unknown) => {
            // btcd and an older Core know of none; one of which a part is on the chain already is none.
            if (cause instanceof RpcRefusal) return;
            throw failedOnchain(cause, 'bitcoin-away') ? cause.retold('ask-first') : cause;
          }),
        pair,
      ),
    feeRate: (blocks) => coreFees(rpc, blocks),
    blockRates: blockRates(
      () => chain.tip(),
      (heights) => coreBlockRates(rpc, heights),
      ratesAtOnce,
    ),
  };
  return port;
}

async function send(rpc: Looking['rpc'], transaction: Uint8Array): Promise<Judged> {
  try {
    await rpc.call('sendrawtransaction', [toHex(transaction)]);
    return { is: 'accepted' };
  } catch (cause) {
    if (cause instanceof RpcRefusal) return judgeRejection(cause.code, cause.message);
    throw failedOnchain(cause, 'bitcoin-away') ? cause.retold('ask-first') : cause;
  }
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
  const coins = since !== null && height - since < furthestBack ? null : await scanned(rpc, fresh);
  if (coins === null) {
    const start = Math.max(0, since ?? 0);
    if (height - start > longestReadable)
      throw onchainFailure(
        'bitcoin-no-index',
        'safe',
        `The Bitcoin node ${rpc.name} cannot list the coins of a script: connect a Bitcoin Core, or an Esplora ` +
          'server beside it.',
      );
    const lowest = await follower.lookBack(
      { scripts: new Set(fresh), points: new Set(), txids: new Set() },
      height,
      start,
    );
    if (lowest > start)
      throw onchainFailure(
        'bitcoin-pruned',
        'safe',
        `The Bitcoin node ${rpc.name} keeps no blocks below ${lowest}, and coins since ${start} are asked for: ` +
          'use one that is not pruned, or an Esplora server.',
      );
  }
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

/**
 * Blocks were read from the newest down, so what spends a coin of these scripts was passed before anybody knew of the
 * coin. Whoever the node calls spent on its chain is looked for once more: a coin that is gone would be paid with, or
 * waited for, for ever (facts/faults.md 94).
 */
async function findSpendsOf(own: Looking, scripts: ReadonlySet<string>, to: number): Promise<void> {
  const { rpc, follower } = own;
  const spent = spentPoints(own);
  const paid = paidTo(own, scripts).flatMap(({ outpoint, height }) =>
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

/** Goes on looking back for one thing, some blocks a call, until it is found or too far back. */
async function lookBackFor(
  { lookedBack, follower }: Looking,
  key: string,
  what: { points?: string; txids?: Txid },
): Promise<void> {
  const height = follower.height ?? 0;
  const end = Math.max(0, height - furthestBack);
  const next = (lookedBack.get(key) ?? height + 1) - 1;
  if (next < end) return;
  const from = Math.max(end, next - blocksPerCall + 1);
  const lowest = await follower.lookBack(
    {
      scripts: new Set(),
      points: new Set(what.points === undefined ? [] : [what.points]),
      txids: new Set(what.txids === undefined ? [] : [what.txids]),
    },
    next,
    from,
  );
  lookedBack.set(key, lowest > from ? end : lowest);
}
