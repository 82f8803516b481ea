import { takerDirections, takerMachine, type EvmNetwork } from '../../../domain/chain.ts';
import type { RescueSwap } from '../../../legs/rescue.ts';
import { gasOf } from '../../../quote/gas.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { Entry, WorkingSet } from '../../working-set.ts';
import { own, priceOf } from './gas.ts';
import { isWaiting, readTransaction, variantsOf } from './variants.ts';

/**
 * What our account of a chain may have to pay yet: claims and refunds of all that is out there, of clients' swaps and
 * of own ones, and what it has signed.
 *
 * Loses money when wrong: what was given is lost where the account cannot pay for its claim, and so is a lock whose
 * refund it cannot pay (facts/faults.md 141, 255).
 */
export interface GasToCome {
  /** Wei, where each unit of gas costs `price` now; but for the claim and the refund of this swap. */
  beside(network: EvmNetwork, swap: string | null, price: bigint): bigint;
  /** Something is given for the swap from this very turn on, before anything of it is saved. */
  add(swap: string): void;
}

/** Gas may cost so many times more by the time that it is needed. */
const spare = 2n;

/** Wei that units of gas may cost by then. */
export function laterCost(units: bigint, price: bigint): bigint {
  return spare * price * units;
}

/** What a transaction takes of its account at most. */
export function mostOf(bytes: Uint8Array): bigint {
  const { gas, fees, value } = readTransaction(bytes);
  return gas * priceOf(fees) + value;
}

/** The same of one of the account that is in no block yet. */
export function signedFor(row: NonceRow, store: Pick<Store, 'transactions'>): bigint {
  const { latest } = variantsOf(row, store);
  const bytes = latest === null ? null : store.transactions.bytes(latest.txid);
  return bytes === null ? 0n : mostOf(bytes);
}

const takers: ReadonlySet<string> = new Set(takerDirections.map(takerMachine));

export function createGasToCome(of: {
  readonly workingSet: Pick<WorkingSet, 'all'>;
  readonly store: Pick<Store, 'intents' | 'nonces' | 'transactions'>;
}): GasToCome {
  const { workingSet, store } = of;
  const added = new Set<string>();

  /** Units of gas of the claim and the refund that a swap may need. */
  function unitsOf(entry: Entry, network: EvmNetwork): bigint {
    const { row, machine } = entry;
    const rescue = machine.rescue?.(row.terms, row.progress) ?? null;
    if (rescue === null) return 0n;
    const isTaker = takers.has(row.machine);
    const claims = rescue.claim?.on === 'evm' && rescue.claim.network === network;
    // Once the secret is public what we gave is never taken back any more.
    const refunds = !rescue.shown && rescue.refund?.on === 'evm' && rescue.refund.network === network;
    if (!claims && !refunds) return 0n;
    const claim = claims && (isTaker ? isShown(entry, rescue) : row.progress.at !== 'claimed');
    if (!isTaker && isUndecided(entry, rescue) && !isBegun(row.id, rescue)) return 0n;
    const [ofClaim, ofRefund] = isTaker ? [gasOf.takerClaim, gasOf.takerRefund] : [gasOf.claim, gasOf.refund];
    return (claim ? ofClaim : 0n) + (refunds ? ofRefund : 0n);
  }

  /** Whether our secret left us, or is about to: what its claim has judged is not shown yet by its state. */
  function isShown({ row: { id, progress } }: Entry, { shown, claim }: RescueSwap): boolean {
    if ((!shown && progress.at !== 'claiming') || claim?.on !== 'evm') return false;
    const isSigned = () => store.nonces.openOf(claim.network, id).some(({ purpose }) => purpose === 'taker-claim');
    return added.has(id) || store.intents.has('payment', id) || isSigned();
  }

  /** Whether something is given: a relay of a client's, or an approval of ours, gives nothing. */
  function isBegun(id: string, { refund }: RescueSwap): boolean {
    const given = () => (refund === undefined || refund === null ? [] : store.transactions.of(id, refund.on));
    const isTaken = () =>
      given().some(({ state, purpose }) => purpose !== 'approve' && (state === 'accepted' || state === 'final'));
    return added.has(id) || store.intents.has('payment', id) || isTaken();
  }

  return {
    beside(network, swap, price) {
      let units = 0n;
      const counted = new Set(swap === null ? [] : [swap]);
      const open = new Set<string>();
      for (const entry of workingSet.all()) {
        const { id } = entry.row;
        open.add(id);
        const more = id === swap ? 0n : unitsOf(entry, network);
        if (more > 0n) counted.add(id);
        units += more;
      }
      for (const id of added) if (!open.has(id)) added.delete(id);
      // Claims and refunds that are signed are counted with their swaps.
      const waiting = store.nonces
        .open(network)
        .filter((row) => isWaiting(row) && !(own.has(row.purpose) && counted.has(row.subject)));
      return laterCost(units, price) + waiting.reduce((sum, row) => sum + signedFor(row, store), 0n);
    },
    add(swap) {
      added.add(swap);
    },
  };
}

/**
 * The last look at what is given for comes yet: of several that wait for it each would count the others for ever. A
 * lock on an EVM chain is its account's to send as soon as it is signed.
 */
function isUndecided({ row: { progress } }: Entry, { refund }: RescueSwap): boolean {
  switch (progress.at) {
    case 'funded':
      return true;
    case 'locking':
      return refund?.on === 'arkade';
    case 'funding':
      return refund?.on === 'bitcoin';
    default:
      return false;
  }
}
