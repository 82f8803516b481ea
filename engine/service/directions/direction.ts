import type { Config } from '../../config.ts';
import type { Records } from '../../contract/directions/directions.ts';
import type { Chain, DirectionName, EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Purse, Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Seconds, Unix } from '../../domain/time.ts';
import type { Bolt11 } from '../../legs/lightning/invoice.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { MusigHtlcTerms } from '../../legs/onchain/htlc.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { BridgeTerms } from '../../legs/evm/bridge.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import type { LockTerms } from '../../legs/evm/swap-key.ts';
import type { Price } from '../../quote/fees.ts';
import type { NetworkCosts, Prices } from '../../quote/gas.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { AnyMachine } from '../../runtime/working-set.ts';
import type { ViewFacts } from '../../swap/view.ts';
import type { SwapDeposit } from '../deposit/swap-deposit.ts';
import type { Networks } from '../networks/networks.ts';
import type { Needed } from '../networks/reader.ts';

/** Networks of bitcoin by their names on the wire. */
export type BitcoinChain = 'Arkade' | 'Lightning' | 'Bitcoin';

/** A side of a direction: a network of bitcoin, or the EVM chain that a swap names. */
export type Side = BitcoinChain | 'evm';

/** What a direction needs, locks on or lies on: `evm` is the chain of the swap. */
export type Place = Exclude<Needed, EvmNetwork> | 'evm';

/** A VHTLC of a swap, whoever funds it. */
export interface SwapVhtlc {
  readonly terms: VhtlcTerms;
  readonly script: Uint8Array;
  /** Present where the client funds it: we may be asked to sign its refund. */
  readonly byClient?: {
    /** Index of our key in it. */
    readonly keyIndex: number;
    /**
     * A payment of ours that may be on its way although the swap was called off: its end is asked for before we sign.
     */
    readonly latePayment: Sha256 | null;
  };
}

/** An HTLC of a swap on the Bitcoin chain whose coin both sides can spend together, whoever funds it. */
export interface SwapHtlc {
  readonly terms: MusigHtlcTerms;
  /** Index of our key in it. */
  readonly keyIndex: number;
  /** A payment of ours that may be on its way although the swap was called off: its end is asked for before we sign. */
  readonly latePayment: Sha256 | null;
}

/** What the terms of every swap that may be amended say. */
export interface Amendable {
  readonly fundBefore: Unix;
  readonly amended?: true;
}

/** Terms in place of those of the create (`../amend.ts`). */
export interface Amendment<T extends Amendable = Amendable> {
  readonly terms: T & { readonly amended: true };
  readonly price: Price;
  /** What is promised to the swap until it uses it; nothing is promised to one whose terms can be amended. */
  readonly reserve: { readonly network: Purse; readonly amount: Sats };
  /** As of `Opening`: what of ours a client can take for nothing by these terms; none of it when left out. */
  readonly atRisk?: Sats;
}

/** An invoice that is named for a swap which was opened for its hash. */
export interface NamedInvoice {
  readonly invoice: Bolt11;
  readonly price: Price;
}

export interface Named<T extends Amendable = Amendable> extends Amendment<T> {
  /** What is waited for once the client has locked: the invoice has to outlive it. */
  readonly waits: Seconds;
}

/** A lock of ours that the client of a swap claims, by itself or by our relay. */
export interface SwapClaim {
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  readonly lock: LockTerms;
  readonly hash: Sha256;
  /** What the client wants, and the least of it that a claim by signature brings. */
  readonly token: EvmAddress;
  readonly floor: bigint;
  /** Where what it brings goes on to; null where it stays. */
  readonly onward: BridgeTerms | null;
  /** Whether its client pays for a relay of the claim. */
  readonly gasless: boolean;
  /** `sending` until a node took the claim that we relay; `sent` then; `claimed` once anybody's claim was seen. */
  readonly state:
    | { readonly is: 'none' | 'over' }
    /**
     * `reverts`: relays that failed on the chain. `refusal`: what became of the last one. `stays`: it is not taken back
     * after its timelock, for the client claimed it once and a reorganisation took that.
     */
    | { readonly is: 'standing'; readonly reverts: number; readonly refusal: string | null; readonly stays: boolean }
    /** The same of the relays before it. */
    | { readonly is: 'sending'; readonly isSigned: boolean; readonly reverts: number; readonly stays: boolean }
    | { readonly is: 'sent'; readonly txid: Txid }
    /** Null where somebody else's transaction claimed. */
    | { readonly is: 'claimed'; readonly txid: Txid | null };
}

/** By what it is reckoned how much a new swap could pay out. */
interface Liquid {
  readonly networks: Networks;
  readonly policy: TimeoutPolicy;
  readonly config: Config;
}

/** All that the operations of the node know of one direction, but how a swap of it is created (`entry.ts`). */
export interface Direction<D extends DirectionName = DirectionName> {
  readonly name: D;
  readonly machine: AnyMachine;
  readonly source: Side;
  readonly target: Side;
  /** The chain that `evm` stands for (`onChain`); null for a direction without one, and before a swap named it. */
  readonly evm: EvmNetwork | null;
  /** What must answer for a new swap. */
  readonly needs: readonly Place[];
  /** Where we lock, or pay, for the client. */
  readonly locksOn: Place;
  /** The networks on which a swap costs us something before its client has paid anything. */
  readonly unpaidOn: readonly Place[];
  /** The networks on which a swap leaves value of ours, or of our claim, until it is over. */
  readonly exposedOn: readonly Place[];
  /** What a swap costs us on its networks, at the prices of now. */
  costs(now: Prices): NetworkCosts;
  /** The most that one new swap could pay out now, from what is there and not promised yet. */
  liquidity(of: Liquid, evm: EvmNetwork | null): Sats;
  /** Whether the swap's value lies with the Arkade operator, outside of our wallet, and is or may become ours. */
  atOperator(status: SwapStatus): boolean;
  /** Whether a new swap brings more of our value to the operator, and not only moves what lies there. */
  readonly bringsToOperator: boolean;
  /** The wire record; null for a swap that its client was never told of. */
  view(facts: ViewFacts, row: SwapRow): Records[D] | null;
  vhtlc(row: SwapRow): SwapVhtlc | null;
  /** Null where nothing is spent together. */
  htlc(row: SwapRow): SwapHtlc | null;
  /** The same swap at the price of what its client locked; null where nothing is quoted for another amount. */
  readonly requote: ((of: Pick<Liquid, 'config'>, row: SwapRow, price: Price) => Amendment) | null;
  /** The same swap once its invoice is named; null where it pays none. */
  readonly nameInvoice: ((of: Pick<Liquid, 'config'>, row: SwapRow, named: NamedInvoice) => Named) | null;
  /** Null where the client claims nothing on an EVM chain. */
  claim(row: SwapRow): SwapClaim | null;
  /** The EVM chain of a swap, null where it has none. */
  chainOf(row: SwapRow): EvmNetwork | null;
  /** The lock that its client makes on an EVM chain; null where it makes none. */
  deposit(row: SwapRow): SwapDeposit | null;
}

export interface Directions {
  readonly all: readonly Direction[];
  /** Null for one that this build does not have. */
  find<D extends DirectionName>(name: D): Direction<D> | null;
  /** By the name of a machine; null for a wallet's job, and for a swap in which the node is the client. */
  of(machine: string): Direction | null;
}

/** Whether swaps of it name an EVM chain. */
export function namesChain({ source, target }: Pick<Direction, 'source' | 'target'>): boolean {
  return source === 'evm' || target === 'evm';
}

/** Whether a side of it lies on the Bitcoin chain. */
export function isOnBitcoin({ source, target }: Pick<Direction, 'source' | 'target'>): boolean {
  return source === 'Bitcoin' || target === 'Bitcoin';
}

/** The direction of swaps that name this chain. */
export function onChain<D extends DirectionName>(direction: Direction<D>, evm: EvmNetwork): Direction<D> {
  return { ...direction, evm };
}

/** The network that a place is, null for an EVM chain that is not named yet. */
export function networkAt(place: Place, evm: EvmNetwork | null): Needed | null {
  return place === 'evm' ? evm : place;
}

/** Both sides as the wire names them. */
export function chainsOf({ source, target, evm }: Direction): { readonly source: Chain; readonly target: Chain } {
  const chain = (side: Side): Chain => {
    if (side !== 'evm') return side;
    if (evm === null) throw new RangeError('the direction names no chain yet');
    return evm.slice('evm:'.length) as Chain;
  };
  return { source: chain(source), target: chain(target) };
}
