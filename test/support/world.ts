import { setImmediate as nextTurn } from 'node:timers/promises';
import { asSha256, type Sha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Unix } from '../../engine/domain/time.ts';
import { createOperator, type Operator } from '../../engine/sandbox/world/arkade/operator.ts';
import type { Estimates } from './sandbox-ports/bitcoin.ts';
import { createBitcoin, type BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import type { Journal } from '../../engine/sandbox/world/journal.ts';
import { memoryJournal } from './memory-journal.ts';
import { createLightning, type LightningWorld } from '../../engine/sandbox/world/lightning/lightning.ts';
import { countingBytes, startOfTests } from '../sandbox/worlds.ts';

/** The networks, in process. They outlive every node that is started on them. */
export interface World {
  readonly bitcoin: BitcoinWorld;
  /** What the node's sources say of fees; at first the truth, and no second source. */
  readonly estimates: Estimates;
  readonly lightning: LightningWorld;
  readonly operator: Operator;
  /** The one clock of everybody: it stands still until it is advanced. */
  now(): Unix;
  /** Moves the clock and the chain's median time past, then wakes the nodes that live. */
  advance(seconds: number): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** Time alone: no block comes. */
  pass(seconds: number): Promise<void>;
  /** Both Lightning nodes hear of blocks this much late. */
  lagLightning(blocks: number): void;
  /** Pays an Arkade address out of thin air, into one settled coin. */
  faucet(address: string, amount: bigint): Outpoint;
  /** Makes a coin recoverable at once. */
  expire(coin: Outpoint): void;
  /** An invoice of the outside wallet; held ones settle or fail by `lightning.release`. */
  invoice(
    amount: bigint,
    options?: { hold?: boolean; expirySeconds?: number; cltvDelta?: number },
  ): { bolt11: string; hash: Sha256 };
  /** The outside wallet starts to pay an invoice of the node. */
  pay(bolt11: string): void;
  /** What became of a payment that the outside wallet made, or null. */
  paid(hash: Uint8Array): 'in-flight' | 'settled' | 'failed' | null;
  /** Every satoshi that the outside wallet and the node have in their channels, in msat, for accounts. */
  balances(): ReturnType<LightningWorld['balances']>;
  /** Called whenever the clock moved. */
  onMoved(listener: () => Promise<void>): () => void;
  stop(): void;
}

const feeLimitMsat = 10_000_000n;

/** `journal`: a world that was kept, for which `random` must give what it never gave before. */
export function startWorld({
  journal = memoryJournal(),
  random = countingBytes(),
}: { journal?: Journal; random?: (length: number) => Uint8Array } = {}): World {
  const time = createTime(journal, () => startOfTests);
  const bitcoin = createBitcoin({ journal, time });
  let behind = 0;
  const lightning = createLightning({
    journal,
    clock: {
      ...bitcoin.clock,
      height: () => bitcoin.clock.height() - behind,
      tipTime: () => bitcoin.at(bitcoin.clock.height() - behind)?.time ?? bitcoin.clock.tipTime(),
    },
    random,
    // A payment arrives in a later turn, as it does over a network.
    schedule: (arrive) => void nextTurn().then(arrive),
  });
  const stages = { registration: 40, confirmation: 2_000, finalization: 2_000 };
  const operator = createOperator({ clock: bitcoin.clock, journal, chain: bitcoin, settings: { stages } });
  const listeners = new Set<() => Promise<void>>();

  async function moved(): Promise<void> {
    lightning.tick();
    await Promise.all([...listeners].map((listener) => listener()));
  }

  return {
    bitcoin,
    estimates: {},
    lightning,
    operator,
    now: () => unix(bitcoin.clock.now()),
    async advance(seconds) {
      bitcoin.advance(seconds);
      await moved();
    },
    async mine(blocks) {
      bitcoin.mine(blocks);
      await moved();
    },
    async pass(seconds) {
      time.advance(seconds);
      await moved();
    },
    lagLightning(blocks) {
      behind = blocks;
    },
    faucet: (address, amount) => operator.faucet(address, sats(amount)),
    expire: (coin) => operator.faults.expire(outpointKey(coin)),
    invoice(amount, options = {}) {
      const { bolt11, hash } = lightning.addInvoice('outside', {
        hold: false,
        amountMsat: amount * 1_000n,
        ...options,
      });
      return { bolt11, hash: asSha256(fromHex(hash)) };
    },
    pay: (bolt11) => void lightning.send('outside', { bolt11, feeLimitMsat }),
    paid: (hash) => lightning.payment('outside', toHex(hash))?.outcome ?? null,
    balances: () => lightning.balances(),
    onMoved(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      lightning.stop();
      operator.stop();
    },
  };
}
