import type { Config } from '../../config.ts';
import type { SwapPairs } from '../../contract/records/market.ts';
import { sats, type Sats } from '../../domain/money.ts';
import type { DepthOfMuch } from '../../runtime/networks/shallow.ts';

/**
 * Of a client's coin on the Bitcoin chain before anything is given for it: a large one pays for mining against the
 * chain.
 */
export function fundingConfirmations({ bitcoin }: Config, amount: Sats): number {
  return bitcoin.confirmations[amount > bitcoin.confirmationsAboveSats ? 1 : 0];
}

/** The same of all that is given for at once. */
export function depthOfMuch({ bitcoin }: Config): DepthOfMuch {
  return { much: sats(bitcoin.confirmationsAboveSats), confirmations: bitcoin.confirmations[1] };
}

/** The same as clients read it before a create. */
export function shownConfirmations({
  bitcoin,
}: Config): NonNullable<SwapPairs['pairs'][number]['btc_funding_confirmations']> {
  const [confirmations, above] = bitcoin.confirmations;
  return { up_to_sats: bitcoin.confirmationsAboveSats, confirmations, confirmations_above: above };
}
