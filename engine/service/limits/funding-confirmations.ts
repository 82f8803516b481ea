import type { Config } from '../../config.ts';
import type { SwapPairs } from '../../contract/records/market.ts';
import type { Sats } from '../../domain/money.ts';

/**
 * Of a client's coin on the Bitcoin chain before anything is given for it: a large one pays for mining against the
 * chain.
 */
export function fundingConfirmations({ bitcoin }: Config, amount: Sats): number {
  return bitcoin.confirmations[amount > bitcoin.confirmationsAboveSats ? 1 : 0];
}

/** The same as clients read it before a create. */
export function shownConfirmations({
  bitcoin,
}: Config): NonNullable<SwapPairs['pairs'][number]['btc_funding_confirmations']> {
  const [confirmations, above] = bitcoin.confirmations;
  return { up_to_sats: bitcoin.confirmationsAboveSats, confirmations, confirmations_above: above };
}
