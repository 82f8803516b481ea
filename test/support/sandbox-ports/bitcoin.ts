import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Txid } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { BitcoinPort, BroadcastAnswer, ChainTx } from '../../../engine/legs/onchain/port.ts';
import { genesis } from '../../../engine/sandbox/world/bitcoin/block.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { TxRejected, missingInputs } from '../../../engine/sandbox/world/bitcoin/rejection.ts';
import { type Tx, parseTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import { type Chaos, withChaos } from './chaos.ts';

/** Reasons that time can heal. */
const passing = [
  'non-final',
  'non-BIP68-final',
  'bad-txns-premature-spend-of-coinbase',
  'too-long-mempool-chain',
  missingInputs,
];
const tooCheap = ['min relay fee not met', 'mempool min fee not met'];
const lostToAnother = ['insufficient fee'];

/** Fee rates that sources say instead of the world's own, in sats per virtual byte: a liar, and a second opinion. */
export interface Estimates {
  first?: number;
  second?: number;
  /** By the blocks within which something is to be mined. */
  within?: Readonly<Record<number, number>>;
}

/** The Bitcoin chain in process, straight over the world. */
export function createBitcoinPort(world: BitcoinWorld, chaos?: Chaos, estimates: Estimates = {}): BitcoinPort {
  const port = withChaos<Omit<BitcoinPort, 'disagreement'>>(chaos, {
    genesis: async () => genesis.hash,
    async tip() {
      const { hash, height, mtp, time } = world.tip();
      return { hash, height, mtp: unix(mtp), time: unix(time) };
    },
    transaction: async (txid) => shown(world, txid),
    glance: async (txid) => shown(world, txid),
    async coins(scripts) {
      return scripts.flatMap((script) =>
        world.coinsOf(script).map(({ outpoint, amount, height }) => ({ outpoint, script, amount, height })),
      );
    },
    async payments(script) {
      const { confirmed, waiting } = world.history(script);
      const payments = [...confirmed, ...waiting].flatMap((txid) =>
        (world.transaction(txid)?.tx.outputs ?? []).flatMap((output, vout) =>
          toHex(output.script) === toHex(script)
            ? [{ txid, amount: sats(output.amount), spent: world.spend({ txid, vout }) !== undefined }]
            : [],
        ),
      );
      return { payments, over: true };
    },
    async spend(outpoint) {
      const spend = world.spend(outpoint);
      return spend === undefined ? null : { txid: spend.txid, height: spend.height };
    },
    broadcast: async (transaction) => broadcast(world, transaction),
    passOn: async (transaction) => broadcast(world, transaction),
    async broadcastPackage(parent, child) {
      try {
        world.submitPackage([parent, child]);
      } catch (error) {
        if (!(error instanceof TxRejected)) throw error;
      }
      return { parent: broadcast(world, parent), child: broadcast(world, child) };
    },
    feeRate: async (blocks) => estimates.within?.[blocks] ?? estimates.first ?? Math.max(1, world.feeRate()),
    secondFeeRate: async () => estimates.second ?? null,
  });
  return { ...port, disagreement: () => null };
}

function shown(world: BitcoinWorld, txid: Txid): ChainTx | null {
  const entry = world.transaction(txid);
  return entry === undefined ? null : { bytes: entry.tx.bytes, height: entry.height };
}

function broadcast(world: BitcoinWorld, bytes: Uint8Array): BroadcastAnswer {
  let tx: Tx;
  try {
    tx = parseTx(bytes);
  } catch (error) {
    return { is: 'refused', reason: `no transaction: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (world.transaction(tx.txid) !== undefined) return { is: 'accepted' };
  try {
    world.submit(bytes);
    return { is: 'accepted' };
  } catch (error) {
    if (!(error instanceof TxRejected)) throw error;
    const { reason, message } = error;
    const spent = tx.inputs.some(
      ({ spends }) => world.spend(spends)?.height !== null && world.spend(spends) !== undefined,
    );
    if (lostToAnother.includes(reason) || (reason === missingInputs && spent)) return { is: 'spent', reason: message };
    if (tooCheap.includes(reason)) return { is: 'later', reason: message, cheap: true };
    return { is: passing.includes(reason) ? 'later' : 'refused', reason: message };
  }
}
