import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Sats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { unix, type Unix } from '../../../domain/time.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import { evmFailure } from '../../../legs/evm/failures.ts';
import type { EvmCall, EvmPort, GasFees, Simulation } from '../../../legs/evm/port.ts';
import { satsOfWeiUp } from '../../../quote/coin-price.ts';
import { gasOf, isOverPaid } from '../../../quote/gas.ts';
import type { Nonce, NonceRow, Takes } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { UnpaidCosts } from '../../unpaid.ts';
import type { EvmContext } from './context.ts';
import { countsOf, type Counts } from './counts.ts';
import { budgetOf, cappedAt, ceilingOf, priceOf, stageOf, type Saving } from './gas.ts';
import { isFirstShown } from './variants.ts';

/** What is to be sent by our account. */
export interface Outgoing {
  readonly network: EvmNetwork;
  readonly subject: string;
  readonly purpose: EvmPurpose;
  readonly call: EvmCall;
  readonly deadline: Unix | null;
  readonly value: Sats;
  readonly takes: Takes | null;
  /** It waits for a better price rather than being signed at its ceiling. */
  readonly patient: boolean;
  /** Units that it is signed for, where its owner was shown them; else what is estimated. */
  readonly gas?: bigint;
}

/** Simulated with its exact bytes and priced, to be signed in the commit that saves it. */
export interface Priced {
  readonly outgoing: Outgoing;
  readonly port: EvmPort;
  readonly gas: bigint;
  readonly fees: GasFees;
  /** The lowest nonce that the chain may still take. */
  readonly from: number;
  /** How many of ours are mined; those between that and `from` wait. */
  readonly mined: number;
  /** Nobody backs that: what lies above our own nonces would wait for ever behind a gap (facts/faults.md 86). */
  readonly alone: boolean;
}

/** What the state may change in until a block has it, and a base for what a simulation counts too low. */
const headroom = (gas: bigint): bigint => gas + gas / 4n + 20_000n;
/**
 * What our own acts are known to take: an estimate below it, of an RPC that lies alone, would have them fail for want
 * of gas.
 */
const knownGas: Partial<Record<EvmPurpose, bigint>> = {
  lock: gasOf.lock,
  claim: gasOf.claim,
  refund: gasOf.refund,
  'taker-claim': gasOf.takerClaim,
  'taker-refund': gasOf.takerRefund,
};

/** The gas that a transaction is signed with, of what was estimated for it (facts/faults.md 85). */
export function limitOf(purpose: EvmPurpose, estimate: bigint): bigint {
  const least = knownGas[purpose] ?? 0n;
  const limit = headroom(estimate);
  return limit < least ? least : limit;
}

/**
 * A node that knows of more transactions of ours than this beyond the mined ones is not believed: each would be a gap.
 */
const mostPending = 1_000;

/** What a transaction is judged by, whoever wants it. */
export type AccountContext = Pick<EvmContext, 'ports' | 'store' | 'clock' | 'evm' | 'unpaid'>;

export type Simulated = Extract<Simulation, { is: 'reverts' }> | { readonly is: 'priced'; readonly priced: Priced };

/**
 * Carries it out on the latest state, and judges what it may cost (facts/faults.md 57, 59): a relay that wants more gas
 * than it is paid for counts as one that reverts. Sends and saves nothing.
 */
export async function simulated(outgoing: Outgoing, context: AccountContext): Promise<Simulated> {
  const port = evmOf(context.ports, outgoing.network);
  const { purpose, network } = outgoing;
  const [wanted, nonces] = await Promise.all([port.gasFees(), countsOf(port, network, context.store)]);
  const from = startOf(nonces, outgoing, context);
  // Whoever simulates it reads what it shows: a claim that is too dear now, or has no nonce, keeps its secret, and one
  // that was simulated is sent, at the ceiling where it takes more gas than is known (facts/faults.md 128).
  const shows = isFirstShown(outgoing, context.store);
  if (shows) {
    affordable(outgoing, { wanted, gas: knownGas[purpose] ?? 0n }, context);
    // From here on it is called ours by nobody, whatever comes of the simulation (facts/faults.md 170).
    context.store.intents.note('payment', outgoing.subject, null);
  }
  const simulation = await port.simulate(outgoing.call);
  if (simulation.is === 'reverts') return simulation;
  const gas = outgoing.gas ?? limitOf(purpose, simulation.gas);
  if (simulation.gas > gas)
    return {
      is: 'reverts',
      reason: `it takes ${simulation.gas} units of gas, more than the ${gas} that were shown`,
      data: new Uint8Array(),
    };
  const { price } = context.evm(network);
  const cost = price === null ? null : satsOfWeiUp(gas * priceOf(wanted), price);
  if (isOverPaid(purpose, gas, cost))
    return {
      is: 'reverts',
      reason: `it takes ${simulation.gas} units of gas, more than a relay is paid for`,
      data: new Uint8Array(),
    };
  const fees = affordable(outgoing, { wanted, gas, atOnce: shows }, context);
  return {
    is: 'priced',
    priced: { outgoing, port, gas, fees, from, mined: nonces.mined, alone: nonces.alone === true },
  };
}

/** The lowest nonce that the chain may still take, by what the RPCs say. */
function startOf({ mined, pending, alone }: Counts, { network }: Outgoing, { ports, store }: AccountContext): number {
  if (pending - mined > mostPending)
    throw evmFailure('evm-unclear', 'safe', `the node says that ${pending - mined} of ours wait`);
  const from = Math.max(mined, pending);
  const account = toHex(evmOf(ports, network).account());
  if (alone === true && from > 0 && store.nonces.last({ network, account }) === null)
    throw new NotYet(null, `one RPC of ${network} alone says that ${from} transactions of ours are mined`, true);
  return from;
}

/**
 * Early, or where nothing is lost by it, a price above the ceiling is waited out; what would be lost, or is to leave
 * `atOnce`, is sent at the ceiling. Until our secret has left us nothing is lost (facts/faults.md 169).
 */
function affordable(
  outgoing: Outgoing,
  { wanted, gas, atOnce = false }: { wanted: GasFees; gas: bigint; atOnce?: boolean },
  context: AccountContext,
): GasFees {
  const { store, clock, evm } = context;
  const { network, patient } = outgoing;
  const rules = evm(network);
  const clocks = clock.now();
  const now = clocks[network]?.mtp ?? clocks.wall;
  const saving = savingOf(outgoing, context);
  const ceiling = ceilingOf(budgetOf(saving, now, rules), gas, rules);
  if (ceiling === null || priceOf(wanted) <= ceiling) return wanted;
  const late = stageOf(saving, now) === 'last';
  if (patient || !(atOnce || (late && !isFirstShown(outgoing, store)))) {
    const words = `gas costs ${priceOf(wanted)} wei on ${network}, and at most ${ceiling} are paid for this now`;
    throw new NotYet(null, words, late);
  }
  return cappedAt(wanted, ceiling);
}

/**
 * What a client's swap is given before anything of it is ours, with what that needs before it. The price of gas may
 * have risen since its client was told one, and the client chooses when it funds (facts/faults.md 263).
 */
const given: ReadonlySet<string> = new Set<EvmPurpose>(['lock', 'approve', 'relay-fund', 'permit']);

export interface SavingFrom {
  readonly store: Pick<Store, 'swaps'>;
  readonly unpaid: Pick<UnpaidCosts, 'charged'>;
}

/** What is saved by something that is sent, since the swap or job began that it is for. With its nonce it is signed. */
export function savingOf({ purpose, value, deadline, subject, nonce }: Sent, { store, unpaid }: SavingFrom): Saving {
  const from = store.swaps.createdAt(subject) ?? unix(0);
  const charged = given.has(purpose) ? unpaid.charged(subject) : null;
  return { purpose, value, deadline, from, charged, isSigned: nonce !== undefined };
}

type Sent = Pick<NonceRow, 'purpose' | 'value' | 'deadline' | 'subject'> & Partial<Pick<NonceRow, 'nonce'>>;

/**
 * Signs it with the lowest free nonce. Synchronous, in the commit that saves it: so no two have the same, and none is
 * lost.
 */
export function signed(
  priced: Priced,
  store: Pick<Store, 'nonces'>,
): { txid: Txid; nonce: number; save: (open: Pick<Store, 'nonces' | 'transactions'>, now: number) => void } {
  const { outgoing, port, gas, fees, from, alone } = priced;
  const { network, subject, purpose, deadline, value, takes } = outgoing;
  const account = toHex(port.account());
  const last = alone ? store.nonces.last({ network, account }) : null;
  const lowest = last === null ? from : Math.min(from, last + 1);
  const nonce: Nonce = { network, account, nonce: store.nonces.next({ network, account, from: lowest }) };
  const { txid, bytes } = port.sign({ ...outgoing.call, nonce: nonce.nonce, gas, fees });
  return {
    txid,
    nonce: nonce.nonce,
    save(open, now) {
      open.nonces.insert({ ...nonce, subject, purpose, deadline, value, takes }, now);
      insertVariant(open, { nonce, subject, purpose, txid, bytes, replaces: null }, now);
    },
  };
}

export interface Variant {
  readonly nonce: Nonce;
  readonly subject: string;
  readonly purpose: string;
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly replaces: Txid | null;
}

/** The asset of a transaction's row is the coin that its gas is paid in. */
export function insertVariant(store: Pick<Store, 'transactions'>, variant: Variant, now: number): void {
  const { nonce, ...rest } = variant;
  const asset = `0x${'0'.repeat(40)}` as const;
  store.transactions.insert({ ...rest, leg: 'evm', network: nonce.network, asset, inputs: [], nonce }, now);
}
