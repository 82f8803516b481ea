import { buried } from '../../../legs/onchain/depth.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { claimCeiling } from '../../../quote/ceilings.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf, MemoryClaim } from '../act.ts';
import { ifKnown } from '../if-known.ts';
import { brought, showing } from './transactions.ts';
import { wantedRate } from './wanted-rate.ts';

/**
 * Claims a client's coin without a disk: signed once, at what the next blocks ask, for nobody can raise it later, and
 * the very same bytes sent until the chain shows them. Nobody saves it: a claim that the chain shows is ours, whoever
 * remembers it. One that shows a secret of our own waits for a disk.
 */
export async function claimFromMemory(effect: EffectOf<'htlc.spend'>, claim: MemoryClaim): Promise<boolean> {
  const { purpose, terms, key, coin, script, funding } = effect;
  if (purpose !== 'claim' || key.branch === 'taker') return false;
  const bitcoin = bitcoinOf(claim.ports);
  const spend = await bitcoin.spend(coin, showing(terms.hash, coin));
  if (spend !== null && claim.half !== null && spend.txid === readRawTx(claim.half)?.txid) {
    const tip = await ifKnown(() => bitcoin.tip());
    return buried(spend.height, tip?.height ?? null);
  }
  if (claim.half === null) {
    const { amount } = await brought(bitcoin, script, coin, funding);
    const { rate: feeRate } = await wantedRate(bitcoin, { deadline: undefined, now: 0, doubtAbove: 0 });
    const made = await bitcoinWalletOf(claim.ports).prepareHtlcSpend({
      terms,
      key,
      coin: { ...coin, amount },
      preimage: claim.preimage,
      feeRate,
      mostFee: claimCeiling(amount, claim.ceilings(), false),
    });
    claim.half = made?.bytes ?? null;
  }
  // Refused or not: the next look tells whether it is there.
  if (claim.half !== null) await bitcoin.broadcast(claim.half);
  return false;
}
