import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { asPreimage, type Preimage } from '../domain/hash.ts';
import { outpointKey, sameOutpoint } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import { vhtlcOutput } from '../legs/arkade/script.ts';
import type { PreparedArkTx } from '../legs/arkade/transaction.ts';
import type { Vtxo } from '../legs/arkade/vtxo.ts';
import { isByWord, isEarlyRefund, isHalfRefunded, isUnsignedClaim, preimageIn } from '../legs/arkade/spend.ts';
import { dustOf } from '../legs/onchain/size.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { coinsOrNamed } from '../runtime/networks/arkade/lists.ts';
import { unreadSpenders, withSpend, type Reading } from '../runtime/networks/arkade/spends.ts';
import { bitcoinOf, isAbsent, type Ports } from '../runtime/ports.ts';
import { coinByChain, savedCoin } from './arkade-chain.ts';
import { operatorTrouble, type Troubles } from './troubles.ts';
import type { ExitPathCoin, ExitPaths } from './exit-paths.ts';

export type Leg = Extract<RescueLeg, { on: 'arkade' }>;

export interface ArkadeHand {
  readonly ports: Ports;
  readonly network: BitcoinNetwork;
  readonly exitPaths: ExitPaths;
  readonly troubles: Troubles;
  readonly signal: AbortSignal;
}

/** A coin, and by whose word: `saved` is what was verified once, which the operator does not serve now. */
export interface Sight {
  readonly coin: SeenCoin | null;
  readonly saved: ExitPathCoin | null;
  readonly by: 'operator' | 'chain';
  /** The operator denies it, and does not show why. */
  readonly distrusted: boolean;
  /** Another coin of ours, where this one was claimed. */
  readonly beside: SeenCoin | null;
}

/** So long may an operator leave a coin out of its lists, or call it spent without showing by what, in seconds. */
const deniedFor = 600;

/** What coins are brought home with. */
export interface Hand {
  readonly ports: ArkadeHand['ports'];
  readonly exitPaths: ArkadeHand['exitPaths'];
  readonly troubles: ArkadeHand['troubles'];
  readonly signal: ArkadeHand['signal'];
  readonly arkade: () => ArkadePort;
}

/** A coin at the operator, and another one of ours beside it where it was claimed. */
type Listed = Pick<Sight, 'coin' | 'beside'>;

/**
 * Whatever was paid to the address of a swap of our own and not taken is ours: too little, or twice. The largest comes
 * first, and what nobody could give back is none (facts/faults.md 87).
 */
async function coinOf(
  { ports, arkade }: Hand,
  { terms, key, coin, amount }: Leg,
  side: 'claim' | 'refund',
): Promise<Listed> {
  const reading: Reading = {
    terms,
    key: side === 'refund' ? key : null,
    spends: new Map(),
    final: new Set(),
    unread: new Map(),
  };
  const { pkScript } = vhtlcOutput(terms);
  const coins = await coinsOrNamed(arkade(), pkScript, coin === null ? [] : [coin]);
  const named = coins.find((one) => (coin === null ? one.amount === amount : sameOutpoint(one.outpoint, coin)));
  const isFree = side === 'refund' && key.branch === 'taker';
  const others = coins
    .filter((one) => one !== named && !one.spent && one.amount >= dustOf(pkScript))
    .sort((a, b) => Number(b.amount - a.amount));
  const other = (isFree ? others[0] : undefined) ?? null;
  if (named === undefined && other === null) return { coin: null, beside: null };
  const own = await withItsSpend(named ?? null);
  if (own?.spent === false || other === null) return { coin: own, beside: null };
  const beside = await withItsSpend(other);
  return own !== null && showsClaim(own) ? { coin: own, beside } : { coin: beside, beside: null };

  async function withItsSpend(one: Vtxo | null): Promise<SeenCoin | null> {
    if (one === null) return null;
    const spenders = await arkade().virtualTxs(unreadSpenders([{ one: reading, coins: [one] }]));
    return withSpend(reading, one, { spenders, arkade: arkade(), bitcoin: ports.bitcoin });
  }
}

/** An operator that does not answer, or denies the coin, is not the end of one whose way to the chain was saved. */
export async function sight(own: Hand, leg: Leg, side: 'claim' | 'refund'): Promise<Sight> {
  const { ports, exitPaths, troubles } = own;
  const saved = savedCoin(leg, exitPaths);
  const { mtp } = await bitcoinOf(ports).tip();
  let listed: Listed;
  try {
    listed = await coinOf(own, leg, side);
    if (listed.coin !== null && side === 'claim' && (await isMadeUp(own, leg, listed.coin, mtp)))
      listed = { ...listed, coin: { ...listed.coin, spend: 'unknown' } };
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    troubles.note(operatorTrouble, mtp);
    if (saved === null || isAbsent(cause)) throw cause;
    return { coin: await coinByChain(leg, saved, ports), saved, by: 'chain', distrusted: false, beside: null };
  }
  troubles.over(operatorTrouble);
  const { coin } = listed;
  if (saved === null) return { ...listed, saved, by: 'operator', distrusted: false };
  const key = `denied ${outpointKey(saved.outpoint)}`;
  const denied = isDenied(coin);
  if (denied) troubles.note(key, mtp);
  else troubles.over(key);
  // To who gave the coin a claim is its secret, whoever signed it.
  const isDoubtful = coin !== null && isByWord(coin) && (side === 'claim' || !showsClaim(coin));
  // One that was not let go before may have been brought there since.
  const isUnserved = coin?.spent === false && troubles.lasts(outpointKey(saved.outpoint), mtp) !== null;
  const byChain = denied || isDoubtful || isUnserved ? await coinByChain(leg, saved, ports) : null;
  const distrusted = denied && (coin?.spend === 'unknown' || (troubles.lasts(key, mtp) ?? 0) >= deniedFor);
  return byChain !== null && (byChain.unrolled || distrusted)
    ? { coin: byChain, saved, by: 'chain', distrusted, beside: null }
    : { ...listed, saved, by: 'operator', distrusted: false };
}

/** What the operator shows of a coin that we claim is no spend of it, as for a swap with states. */
async function isMadeUp(own: Hand, leg: Leg, coin: SeenCoin, mtp: Unix): Promise<boolean> {
  if (isEarlyRefund(coin, leg.terms, mtp)) return true;
  if (!isUnsignedClaim(coin, null) || typeof coin.spend !== 'object' || coin.spend?.leaf !== 'claim') return false;
  const { txid } = await prepare(own, leg, coin, asPreimage(coin.spend.preimage));
  return isUnsignedClaim(coin, txid);
}

/** Made again it is the same transaction. */
export function prepare(
  { arkade }: Pick<Hand, 'arkade'>,
  { terms, key }: Leg,
  coin: SeenCoin,
  secret: Preimage | null,
): Promise<PreparedArkTx> {
  return secret === null
    ? arkade().prepareRefund({ terms, key, coins: [coin] })
    : arkade().prepareClaim({ terms, key, coins: [coin], preimage: secret });
}

/**
 * A claim of the client's that waits for a round shows its secret, and nothing else does once the coin has expired.
 */
export async function queued({ arkade }: Hand, { terms, key }: Leg, coin: SeenCoin): Promise<Preimage | null> {
  const waiting = await arkade().waiting({ terms, key, coins: [coin], where: 'queue' });
  return waiting.map((bytes) => preimageIn(terms.hash, bytes, coin.outpoint)).find((one) => one !== null) ?? null;
}

/**
 * Of a coin that lies on the chain the operator's word is none: it may hold a transaction for accepted that will never
 * be final.
 */
export function isOnlyCalledSpent({ unrolled, spent, onChain }: SeenCoin): boolean {
  return unrolled && spent && onChain === undefined;
}

export function showsClaim({ spend }: SeenCoin): boolean {
  return typeof spend === 'object' && spend?.leaf === 'claim';
}

/** Not listed any more, or spent by nothing that is shown, or by what may never be final. */
function isDenied(coin: SeenCoin | null): boolean {
  if (coin === null) return true;
  const { spent, onChain, spend } = coin;
  return spent && onChain === undefined && (spend === null || spend === 'unknown' || isHalfRefunded(coin));
}
