import type { Sats } from '../../../engine/domain/money.ts';
import { type Outpoint, outpointKey, type Txid } from '../../../engine/domain/outpoint.ts';
import { type Unix, unix } from '../../../engine/domain/time.ts';
import type { BitcoinPort, BroadcastAnswer, ChainTip, ChainTx } from '../../../engine/legs/onchain/port.ts';
import type { Coin } from '../../../engine/sandbox/world/bitcoin/ledger.ts';
import { createMempool, type MempoolEntry } from '../../../engine/sandbox/world/bitcoin/mempool.ts';
import { checkDust, checkFee, feeFloor } from '../../../engine/sandbox/world/bitcoin/policy.ts';
import { TxRejected } from '../../../engine/sandbox/world/bitcoin/rejection.ts';
import { checkReplacement } from '../../../engine/sandbox/world/bitcoin/replacement.ts';
import { parseTx, totalOut, type Tx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import type { FeeTrace } from './trace.ts';

/** Unix seconds at which traces begin. */
export const begins = 1_800_000_000;

interface Mined {
  readonly tx: Tx;
  readonly block: number;
}

/**
 * A chain whose blocks ask what a trace says, before a mempool with the sandbox's own rules: BIP-125, dust, the relay
 * floor, a minimum that drives out what pays less. Scripts and signatures are not looked at, and all other traffic is
 * what the trace stands for. `timesMean` is how many times what a block asked it is said to have asked: 1 for a source
 * that tells just that.
 */
export function simulatedChain(
  trace: FeeTrace,
  estimate: (target: number) => number,
  random: () => number,
  timesMean = (_height: number) => 1,
) {
  const mempool = createMempool();
  const coins = new Map<string, Coin>();
  const origins = new Map<Txid, { bytes: Uint8Array; height: number }>();
  const mined = new Map<Txid, Mined>();
  const spends = new Map<string, Txid>();
  let tip = 0;

  const minimum = (): number => trace.blocks[tip]?.minimum ?? 1;
  /** Heights are places in the trace, after a chain that was there before. */
  const heightOf = (block: number): number => 1_000 + block;

  const ratesOfBlocks = trace.blocks.map(({ rate }, at) => ({ height: heightOf(at), rate: rate * timesMean(at) }));

  function entryOf(tx: Tx): MempoolEntry {
    const spent = tx.inputs.map(({ spends: point }) => {
      const coin = coins.get(outpointKey(point)) ?? mempool.coin(outpointKey(point));
      if (coin === undefined) throw new TxRejected(-25, 'bad-txns-inputs-missingorspent');
      return coin;
    });
    const fee = (spent.reduce((sum, { amount }) => sum + amount, 0n) - totalOut(tx)) as Sats;
    return { tx, fee, time: 0, spent };
  }

  function enter(tx: Tx, floor: 'by itself' | 'with its child'): void {
    if (mempool.get(tx.txid) !== undefined) return;
    const entry = entryOf(tx);
    checkDust(tx, entry.fee);
    const conflicts = new Set(tx.inputs.flatMap((input) => mempool.spend(outpointKey(input.spends))?.txid ?? []));
    const evicted = checkReplacement(mempool, tx, entry.fee, conflicts);
    if (floor === 'by itself') checkFee(entry.fee, tx.vsize, minimum());
    for (const one of evicted) mempool.remove(one.tx.txid);
    mempool.add(entry);
  }

  function packageRate(family: readonly MempoolEntry[]): number {
    return family.reduce((sum, { fee }) => sum + Number(fee), 0) / family.reduce((sum, { tx }) => sum + tx.vsize, 0);
  }

  function broadcast(bytes: Uint8Array): BroadcastAnswer {
    const tx = parseTx(bytes);
    if (mined.has(tx.txid)) return { is: 'accepted' };
    if (tx.inputs.some((input) => spends.has(outpointKey(input.spends)))) return { is: 'spent', reason: 'mined' };
    try {
      enter(tx, 'by itself');
      return { is: 'accepted' };
    } catch (cause) {
      if (!(cause instanceof TxRejected)) throw cause;
      if (cause.reason === 'insufficient fee') return { is: 'spent', reason: cause.message };
      if (/fee not met/.test(cause.reason)) return { is: 'later', reason: cause.message, cheap: true };
      if (cause.reason === 'bad-txns-inputs-missingorspent') return { is: 'later', reason: cause.message };
      return { is: 'refused', reason: cause.message };
    }
  }

  function submitPackage(parent: Tx, child: Tx): void {
    if (mined.has(parent.txid) || mempool.get(parent.txid) !== undefined) return;
    try {
      enter(parent, 'with its child');
      enter(child, 'with its child');
      const [first, second] = [mempool.get(parent.txid), mempool.get(child.txid)];
      const paid = (first?.fee ?? 0n) + (second?.fee ?? 0n);
      const size = parent.vsize + child.vsize;
      if (paid < feeFloor(size) || Number(paid) / size < minimum()) {
        mempool.remove(child.txid);
        mempool.remove(parent.txid);
      }
    } catch (cause) {
      if (!(cause instanceof TxRejected)) throw cause;
      mempool.remove(parent.txid);
    }
  }

  const tipNow = (): ChainTip => {
    const times = trace.blocks
      .slice(Math.max(0, tip - 10), tip + 1)
      .map(({ time }) => time)
      .sort((a, b) => a - b);
    return {
      hash: String(tip),
      height: heightOf(tip),
      mtp: unix(begins + (times[Math.floor(times.length / 2)] ?? 0)),
      time: unix(begins + (trace.blocks[tip]?.time ?? 0)),
    };
  };

  function transaction(txid: Txid): ChainTx | null {
    const own = mined.get(txid);
    const waiting = mempool.get(txid);
    if (own !== undefined) return { bytes: own.tx.bytes, height: heightOf(own.block) };
    return waiting === undefined ? (origins.get(txid) ?? null) : { bytes: waiting.tx.bytes, height: null };
  }

  const port: BitcoinPort = {
    genesis: async () => '',
    tip: async () => tipNow(),
    disagreement: () => null,
    coins: async () => [],
    transaction: async (txid) => transaction(txid),
    glance: async (txid) => transaction(txid),
    async spend(outpoint) {
      const key = outpointKey(outpoint);
      const txid = spends.get(key);
      if (txid !== undefined) return { txid, height: heightOf(mined.get(txid)?.block ?? 0) };
      const waiting = mempool.spend(key);
      return waiting === undefined ? null : { txid: waiting.txid, height: null };
    },
    broadcast: async (bytes) => broadcast(bytes),
    passOn: async (bytes) => broadcast(bytes),
    async broadcastPackage(parent, child) {
      submitPackage(parseTx(parent), parseTx(child));
      return { parent: broadcast(parent), child: broadcast(child) };
    },
    blockRates: async (count) => ratesOfBlocks.slice(Math.max(0, tip + 1 - count), tip + 1),
    feeRate: async (target) => trace.first(estimate(target), random),
    secondFeeRate: async (target) => (trace.second === null ? null : trace.second(estimate(target), random)),
  };

  return {
    port,
    tip: tipNow,
    /** Median time past of the chain that a block is mined on judges its locktimes. */
    mtp: (): Unix => tipNow().mtp,
    /** A coin of the chain, made by the transaction of these bytes. */
    give(bytes: Uint8Array, vout: number): Outpoint {
      const tx = parseTx(bytes);
      const { amount, script } = tx.outputs[vout] ?? { amount: 0n as Sats, script: new Uint8Array() };
      const outpoint = { txid: tx.txid, vout };
      coins.set(outpointKey(outpoint), { outpoint, amount, script, height: heightOf(tip), coinbase: false });
      origins.set(tx.txid, { bytes, height: heightOf(tip) });
      return outpoint;
    },
    /** Mines the next block, and drives out what pays less than the mempool asks for after it. */
    mine(): void {
      tip += 1;
      const { rate } = trace.blocks[tip] ?? { rate: Number.POSITIVE_INFINITY };
      for (const entry of mempool.all()) {
        const family = [...mempool.ancestors(entry.tx), entry];
        if (mempool.get(entry.tx.txid) === undefined || packageRate(family) < rate) continue;
        for (const { tx } of family) {
          mempool.remove(tx.txid);
          mined.set(tx.txid, { tx, block: tip });
          for (const input of tx.inputs) spends.set(outpointKey(input.spends), tx.txid);
          for (const [vout, { amount, script }] of tx.outputs.entries()) {
            const outpoint = { txid: tx.txid, vout };
            coins.set(outpointKey(outpoint), { outpoint, amount, script, height: heightOf(tip), coinbase: false });
          }
        }
      }
      for (const entry of mempool.all())
        if (mempool.get(entry.tx.txid) !== undefined && packageRate(mempool.descendants(entry.tx.txid)) < minimum())
          for (const { tx } of mempool.descendants(entry.tx.txid)) mempool.remove(tx.txid);
    },
    minedSpend(outpoint: Outpoint): Mined | null {
      return mined.get(spends.get(outpointKey(outpoint)) ?? '') ?? null;
    },
  };
}

export type SimulatedChain = ReturnType<typeof simulatedChain>;
