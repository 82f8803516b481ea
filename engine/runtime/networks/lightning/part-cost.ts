import type { Sha256 } from '../../../domain/hash.ts';
import type { Sats } from '../../../domain/money.ts';
import { leastPart } from '../../../legs/lightning/part-cost.ts';
import { highestRate } from '../../../quote/ceilings.ts';
import { bitcoinOf, lightningOf, type Ports } from '../../ports.ts';
import { believedRate } from '../onchain/fee-rate.ts';
import { tooPoorToClose } from './closing.ts';

/** Blocks: lnd goes to the chain with the secret ten of them before an HTLC times out. */
const within = 3;

/**
 * Why nothing is given yet for a payment that is held; null where each of its parts is worth claiming on the chain by
 * what blocks ask for now, and the node has the coins to pay for that. Where they ask for more, or it has none, a
 * client could close its channel and have the parts back (facts/faults.md 274, 336).
 */
export async function partTooDear(
  { hash }: { readonly hash: Sha256 },
  { ports }: { readonly ports: Pick<Ports, 'bitcoin' | 'lightning'> },
): Promise<string | null> {
  const state = await lightningOf(ports).hold(hash);
  // Whoever judges it says what it is.
  if (state.is !== 'held') return null;
  return (await smallestTooDear(state.smallest, ports)) ?? tooPoorToClose(hash, ports);
}

async function smallestTooDear(smallest: Sats, ports: Pick<Ports, 'bitcoin'>): Promise<string | null> {
  if (smallest >= leastPart(highestRate)) return null;
  const least = leastPart(await believedRate(bitcoinOf(ports), { within, doubtAbove: 0, late: false }));
  return smallest >= least
    ? null
    : `A part of the held payment is ${smallest} sats; below ${least} it is not worth claiming from a channel now.`;
}
