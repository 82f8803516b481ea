import { dust } from '../../../engine/legs/leaf-spend.ts';
import type { Claim } from './claims.ts';
import type { SimulatedChain } from './chain.ts';
import { claimOf, claimSize } from './transactions.ts';

/**
 * A claim that is sent at a rate, and again when it is gone; a higher one replaces it where that pays more by what
 * nodes want.
 */
function sender(chain: SimulatedChain, { coin, amount }: Claim) {
  let fee = 0n;
  return async (rate: number): Promise<void> => {
    const room = amount - dust;
    const wish = BigInt(Math.ceil(Math.max(1, rate) * claimSize));
    const paid = wish > room ? room : wish;
    if (fee === 0n || paid >= fee + BigInt(claimSize)) fee = paid;
    if (chain.minedSpend(coin) === null) await chain.port.broadcast(claimOf(coin, amount, fee));
  };
}

/** The first estimate, for six blocks, sent again and again. */
export async function fixedFee(chain: SimulatedChain, claim: Claim): Promise<() => Promise<void>> {
  const send = sender(chain, claim);
  const rate = await chain.port.feeRate(6);
  return () => send(Number.isFinite(rate) ? rate : 1);
}

/** The estimate for nine blocks, and for three once ten are left. */
export async function nineThenThree(chain: SimulatedChain, claim: Claim): Promise<() => Promise<void>> {
  const send = sender(chain, claim);
  return async () => {
    const left = (claim.deadline - chain.mtp()) / 600;
    const rate = await chain.port.feeRate(left <= 10 ? 3 : 9);
    await send(Number.isFinite(rate) ? rate : 1);
  };
}
