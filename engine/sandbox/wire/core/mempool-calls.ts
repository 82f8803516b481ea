import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import { readTx } from '../../world/bitcoin/acceptance.ts';
import type { MempoolEntry } from '../../world/bitcoin/mempool.ts';
import { relayFloor } from '../../world/bitcoin/policy.ts';
import { TxRejected, missingInputs } from '../../world/bitcoin/rejection.ts';
import type { Tx } from '../../world/bitcoin/tx.ts';
import type { CoreCalls } from './calls.ts';
import { exceeds, guardFee, mostFeeRate } from './fee-guard.ts';
import { bitcoins } from './json.ts';
import { packageJson } from './package-json.ts';
import { txBytes } from './params.ts';
import { RpcError } from './rpc-error.ts';

const wrongAmount = -25;
const notFound = -5;
const badValue = -8;
const farthestTarget = 1_008;

/** The mempool, what enters it and what it costs. */
export const mempoolCalls: CoreCalls = {
  getrawmempool({ world }, params) {
    const entries = world.mempool();
    return params.flag(0, false)
      ? Object.fromEntries(entries.map((entry) => [entry.tx.txid, entryJson(world, entry)]))
      : entries.map(({ tx }) => tx.txid);
  },
  getmempoolentry({ world }, params) {
    const entry = world.waiting(params.hash(0, 'txid'));
    if (entry === undefined) throw new RpcError(notFound, 'Transaction not in mempool');
    return entryJson(world, entry);
  },
  getmempoolinfo({ world }) {
    const entries = world.mempool();
    return {
      loaded: true,
      size: entries.length,
      bytes: entries.reduce((sum, { tx }) => sum + tx.vsize, 0),
      total_fee: bitcoins(entries.reduce((sum, { fee }) => sum + fee, 0n)),
      mempoolminfee: perKilobyte(world.mempoolMinimum()),
      minrelaytxfee: perKilobyte(relayFloor),
      incrementalrelayfee: perKilobyte(relayFloor),
      fullrbf: false,
    };
  },
  gettxspendingprevout({ world, spenderIndex }, params) {
    const rows = params.list(0).map((item) => {
      const { txid, vout } = item as { txid: string; vout: number };
      if (typeof txid !== 'string' || typeof vout !== 'number') throw new RpcError(-3, 'Missing txid or vout');
      const spend = world.spend({ txid, vout });
      if (spend === undefined) return { txid, vout };
      const spendingtxid = spend.txid;
      if (spend.height === null) return { txid, vout, spendingtxid };
      return spenderIndex ? { txid, vout, spendingtxid, blockhash: world.at(spend.height)?.hash } : { txid, vout };
    });
    // Core with the index answers from the mempool first, and from the index after that.
    return spenderIndex
      ? [...rows.filter((row) => !('blockhash' in row)).reverse(), ...rows.filter((row) => 'blockhash' in row)]
      : rows;
  },
  sendrawtransaction({ world }, params) {
    const tx = readTx(txBytes(params.text(0)));
    if (tx.outputs.some(({ amount, script }) => script[0] === 0x6a && bitcoins(amount) > params.number(2, 0))) {
      throw new RpcError(wrongAmount, 'Unspendable output exceeds maximum configured by user (maxburnamount)');
    }
    guardFee(world, tx, params.number(1, mostFeeRate));
    return world.submit(tx.bytes).txid;
  },
  testmempoolaccept({ world }, params) {
    const limit = params.number(1, mostFeeRate);
    return params.list(0).map((item) => trial(world, readTx(txBytes(item)), limit));
  },
  submitpackage: ({ world }, params) => packageJson(world.submitPackage(params.list(0).map(txBytes))),
  estimatesmartfee({ world }, params) {
    const blocks = params.number(0);
    if (blocks < 1 || blocks > farthestTarget)
      throw new RpcError(badValue, `Invalid conf_target, must be between 1 and ${farthestTarget}`);
    return { feerate: perKilobyte(world.feeRate()), blocks };
  },
};

function trial(world: BitcoinWorld, tx: Tx, limit: number): unknown {
  const names = { txid: tx.txid, wtxid: tx.wtxid };
  try {
    const { entry } = world.judge(tx);
    if (exceeds(entry, limit)) return { ...names, allowed: false, 'reject-reason': 'max-fee-exceeded' };
    return {
      ...names,
      allowed: true,
      vsize: tx.vsize,
      fees: {
        base: bitcoins(entry.fee),
        'effective-feerate': bitcoins((entry.fee * 1_000n) / BigInt(tx.vsize)),
        'effective-includes': [tx.wtxid],
      },
    };
  } catch (error) {
    if (!(error instanceof TxRejected)) throw error;
    const reason =
      error.reason === missingInputs ? 'missing-inputs' : error.code === -27 ? 'txn-already-known' : error.reason;
    return { ...names, allowed: false, 'reject-reason': reason, 'reject-details': error.message };
  }
}

function entryJson(world: BitcoinWorld, { tx, fee, time }: MempoolEntry): unknown {
  const waiting = (txid: string): boolean => world.waiting(txid) !== undefined;
  return {
    vsize: tx.vsize,
    weight: tx.weight,
    time,
    height: world.tip().height,
    wtxid: tx.wtxid,
    fees: { base: bitcoins(fee), modified: bitcoins(fee) },
    depends: tx.inputs.map(({ spends }) => spends.txid).filter(waiting),
    spentby: tx.outputs.flatMap((_, vout) => world.spend({ txid: tx.txid, vout })?.txid ?? []),
  };
}

function perKilobyte(satPerVb: number): number {
  return (satPerVb * 1_000) / 1e8;
}
