import { less, type Sats } from '../../../domain/money.ts';
import { hasPassed } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { BroadcastAnswer, ChainSpend, ChainTip } from '../../../legs/onchain/port.ts';
import { paidOut, readRawTx } from '../../../legs/raw-tx.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf, MemoryClaim } from '../act.ts';
import { betterRate, isDear, worthRaising, type FeeUrgency } from './fee-urgency.ts';
import { budgetNow } from './htlc-plan.ts';
import { brought, rivalRate, showing, tipNow } from './transactions.ts';
import { wantedRate } from './wanted-rate.ts';

/** How the chain looks from a claim. */
interface Look {
  readonly tip: ChainTip | null;
  /** What spends the coin, in no block. */
  readonly spend: ChainSpend | null;
  /** What became of the claim that was made before; null before the first. */
  readonly sent: BroadcastAnswer | null;
}

/**
 * Claims a client's coin without a disk: signed as if it were saved, and the very same bytes sent until the chain has
 * them buried, or they pay too little (facts/faults.md 222, 249). Nobody saves it: a claim that the chain shows is
 * ours, whoever remembers it. One that shows a secret of our own waits for a disk.
 */
export async function claimFromMemory(effect: EffectOf<'htlc.spend'>, claim: MemoryClaim): Promise<boolean> {
  const { purpose, terms, key, coin } = effect;
  if (purpose !== 'claim' || key.branch === 'taker') return false;
  const bitcoin = bitcoinOf(claim.ports);
  const spend = await bitcoin.spend(coin, showing(terms.hash, coin));
  const tip = await tipNow(claim);
  const mined = spend?.height ?? null;
  if (mined !== null && claim.half !== null && spend?.txid === readRawTx(claim.half)?.txid)
    return buried(mined, tip?.height ?? null);
  // Refused or not: the next look tells whether it is there.
  const sent = claim.half === null ? null : await bitcoin.broadcast(claim.half);
  const better = mined === null ? await betterClaim(effect, claim, { tip, spend, sent }) : null;
  if (better === null) return false;
  claim.half = better;
  claim.since = { height: tip?.height ?? null, wall: claim.clock.now().wall };
  await bitcoin.broadcast(better);
  return false;
}

/** The first claim, or one that pays what it has to by now; null where the one that was made is right. */
async function betterClaim(
  effect: EffectOf<'htlc.spend'>,
  claim: MemoryClaim,
  { tip, spend, sent }: Look,
): Promise<Uint8Array | null> {
  const { terms, key, coin, script, funding, leastRate } = effect;
  const { half, ports, preimage } = claim;
  const bitcoin = bitcoinOf(ports);
  const { amount, minedIn } = await brought(bitcoin, script, coin, funding);
  const { mostFee, due, now } = budgetNow(effect, { amount, minedIn }, tip, claim);
  const paid = half === null ? null : paidOf(half, amount);
  const since = claim.since?.height ?? null;
  const { rate, urgency } = await wantedRate(bitcoin, {
    deadline: due,
    now,
    doubtAbove: paid === null ? 0 : paid.rate * worthRaising,
    ...(paid === null || since === null ? {} : { waiting: { rate: paid.rate, since } }),
  });
  let feeRate = Math.max(leastRate, rate);
  if (paid !== null && sent !== null) {
    const isRival = spend !== null && spend.txid !== paid.txid;
    const better = betterRate({ rate: paid.rate, capped: paid.fee >= mostFee }, feeRate, {
      sent,
      waits: sent.is === 'accepted' && waitsLong(claim, tip, urgency),
      ownerAsks: false,
      late: urgency.late,
      mayRaise: false,
      rival: isRival ? { rate: sent.is === 'spent' ? await rivalRate(bitcoin, spend, amount) : null } : null,
    });
    if (better === null || (better.rate <= paid.rate && !isDear(sent, paid.rate))) return null;
    feeRate = better.rate;
  }
  const made = await bitcoinWalletOf(ports).prepareHtlcSpend({
    terms,
    key,
    coin: { ...coin, amount },
    preimage,
    feeRate,
    mostFee,
  });
  return made?.bytes ?? null;
}

/** What a claim of so many sats pays. */
function paidOf(claim: Uint8Array, amount: Sats) {
  const tx = readRawTx(claim);
  if (tx === null) throw new Error('the claim that was made is no transaction');
  const fee = less(amount, paidOut(tx));
  return { txid: tx.txid, fee, rate: Number(fee) / tx.vsize };
}

function waitsLong({ since, clock }: MemoryClaim, tip: ChainTip | null, { patience }: FeeUrgency): boolean {
  if (tip === null || since === null || since.height === null) return false;
  return tip.height - since.height >= patience.blocks && hasPassed(patience.seconds, since.wall, clock.now().wall);
}
