import type { Sats } from '../domain/money.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import type { HtlcTerms } from '../legs/onchain/htlc.ts';
import type { RescueLeg, RescueTaker } from '../legs/rescue.ts';

/*
 * The legs of a swap as somebody needs them who has lost the node: what a machine knows of them, without the machine,
 * whichever of the two sides it is: the seed finds none of them without the other side's keys, terms and locktimes, and
 * that may be gone. A leg that is missing here in a state that needs it is money that no bundle brings home.
 */

/** Our key in it: of a swap that we provide, or of one of our own. `amount` in sats. */
interface Keyed {
  readonly keyIndex: number;
  readonly amount: Sats;
}

/** `coin`: null where it is found without its name, or only its amount is known. */
export function vhtlcLeg(
  branch: 'swap' | 'taker',
  { vhtlc: terms, keyIndex: index, amount }: Keyed & { readonly vhtlc: VhtlcTerms },
  coin: Outpoint | null,
): RescueLeg {
  return { on: 'arkade', terms, key: { branch, index }, coin, amount };
}

/**
 * `coin`: null where it is found by its amount; a spent one is found by its name alone. `since`: a height below which
 * nothing paid the script.
 */
export function htlcLeg(
  branch: 'swap' | 'taker',
  { htlc: terms, keyIndex: index, amount, since }: Keyed & { readonly htlc: HtlcTerms; readonly since: number },
  coin: Outpoint | null,
): RescueLeg {
  return { on: 'bitcoin', terms, key: { branch, index }, coin, amount, since };
}

/** `lock`: with the amount that the chain has of it. `taker`: left out where our own account claims or refunds it. */
export function lockLeg(
  { network, contracts, lock, since }: Omit<RescueLeg & { readonly on: 'evm' }, 'on' | 'taker'>,
  taker?: RescueTaker,
): RescueLeg {
  return { on: 'evm', network, contracts, lock, since, ...(taker === undefined ? {} : { taker }) };
}
