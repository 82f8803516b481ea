import type { EvmNetwork } from '../domain/chain.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import { sameBytes } from '../domain/hash.ts';
import { plus, sats, noSats, type Sats } from '../domain/money.ts';
import { day } from '../domain/time.ts';
import { satsOfWeiUp } from '../quote/coin-price.ts';
import { gasOf } from '../quote/gas.ts';
import type { NonceRow } from '../store/nonces.ts';
import type { SwapRow } from '../store/swaps.ts';
import type { ServiceContext } from './context.ts';

/** Relays of one client that may revert in a day. */
const mostReverts = 3;
/** Of what all may cost together, one client's part. */
const clients = 4;

export interface RelayOf {
  readonly network: EvmNetwork;
  /** Whose tokens, or whose signature. */
  readonly depositor: EvmAddress;
  /** Whom a swap of the direction relays for, null while nobody is known. */
  depositorOf(row: SwapRow): EvmAddress | null;
  /** Whether a relay of the swap on this chain was asked for and is not signed yet. */
  isAsked(row: SwapRow): boolean;
}

/**
 * Whether a client's funding or refund may still be relayed today: what was paid for gas of swaps that brought no fee has a ceiling, for one
 * client and for all (facts/faults.md 57). Of a claim it is asked once one has failed. What is on its way, or only asked for, counts as much as it may
 * cost: else any number that comes at once would find the same room. Nothing is relayed
 * blindly: while a cost cannot be told in sats, the request may come again.
 */
export function relayTurn(
  { runtime, markets, config }: Pick<ServiceContext, 'runtime' | 'markets' | 'config'>,
  { network, depositor, depositorOf, isAsked }: RelayOf,
): Refusal | null {
  const { store, clock, workingSet } = runtime;
  const most = sats(config.ceilings.unpaidGasPerDaySats);
  let [all, own, reverts, blind] = [noSats, noSats, 0, false];
  for (const relay of store.nonces.relaysSince(network, clock.now().wall - day)) {
    const row = store.swaps.byId(relay.subject);
    if (row === null || row.status === 'serverredeemed') continue;
    const isTheirs = count(row, costOf(relay));
    if (isTheirs && relay.mined?.ok === false) reverts += 1;
  }
  for (const { row } of workingSet.all()) if (isAsked(row)) count(row, costOf({ mined: null }));
  if (reverts >= mostReverts)
    return refuse(
      'flood',
      `${reverts} transactions sent for this address failed today: send your own, or wait until tomorrow.`,
      day,
    );
  if (own * BigInt(clients) >= most || all >= most)
    return refuse('flood', 'Gas is not paid for clients now: send your own transaction, or try again tomorrow.', day);
  if (!blind) return null;
  markets.readSoon();
  return refuse('unavailable', 'What gas costs is not known yet: send your own transaction, or ask again in a moment.');

  /** Whether it is of the client that asks now. */
  function count(row: SwapRow, cost: Sats | null): boolean {
    blind ||= cost === null;
    all = plus(all, cost ?? noSats);
    const theirs = depositorOf(row);
    if (theirs === null || !sameBytes(theirs, depositor)) return false;
    own = plus(own, cost ?? noSats);
    return true;
  }

  function costOf({ mined }: Pick<NonceRow, 'mined'>): Sats | null {
    const price = markets.coinPrice(network);
    if (price === null) return null;
    if (mined !== null) return satsOfWeiUp(mined.cost, price);
    return markets.gas(network)?.(gasOf.relayFund) ?? null;
  }
}
