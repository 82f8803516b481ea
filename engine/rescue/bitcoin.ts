import type { Preimage } from '../domain/hash.ts';
import { noSats, sats, type Sats } from '../domain/money.ts';
import { sameOutpoint, type Txid } from '../domain/outpoint.ts';
import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { expectedAt, type Unix } from '../domain/time.ts';
import { buried, burialDepth } from '../legs/onchain/depth.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../legs/onchain/events.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../legs/onchain/htlc.ts';
import { locktimeOf } from '../legs/onchain/locktime.ts';
import type { BroadcastAnswer, ChainCoin } from '../legs/onchain/port.ts';
import { leastRefund } from '../legs/onchain/size.ts';
import { paidOut, readRawTx } from '../legs/raw-tx.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { locktimePassed } from '../legs/timelocks.ts';
import { believedRate } from '../runtime/networks/onchain/fee-rate.ts';
import { chosenCoins } from '../runtime/networks/onchain/choose.ts';
import { name as byName, newReading, readHtlc, type HtlcReading } from '../runtime/networks/onchain/read-htlc.ts';
import { bitcoinOf, bitcoinWalletOf, type Ports } from '../runtime/ports.ts';
import { notesName, type PartialNotes } from '../store/partial-notes.ts';
import type { Done, LegHand, LegLook, LegState } from './leg.ts';

interface Unlisted {
  readonly is: 'unlisted';
  readonly cause: PortFailure;
}

type Leg = Extract<RescueLeg, { on: 'bitcoin' }>;

interface Sight {
  readonly coin: SeenHtlcCoin | null;
  readonly beside: SeenHtlcCoin | null;
  readonly height: number;
  readonly mtp: Unix;
}

/** Blocks within which a claim or refund is to be mined. */
const within = 3;
/** Above it another source is asked as well, in sats per virtual byte. */
const doubtAbove = 20;
/** Seconds before the other side's way back in which a claim may cost all of its coin. */
const feeUrgency = 6 * 3_600;

/*
 * A machine keeps each transaction of its own, raises it and knows its end. What is here asks the chain for all of that
 * each time, for who has no machine that goes on (`leg.ts`).
 */

/**
 * HTLCs on the Bitcoin chain. `partials`: what our partial signatures were given for, by which a spend by the key of
 * both is read.
 */
export function bitcoinHand(ports: Ports, network: BitcoinNetwork, partials: Pick<PartialNotes, 'of'>): LegHand<Leg> {
  const chain = () => bitcoinOf(ports);

  /**
   * The swap's own coin: by its name, else by its amount. Whatever was paid to the HTLC of a swap of our own and not
   * taken is ours, as on Arkade: too little, too much, or twice. `beside`: such a one, where the coin was claimed.
   */
  async function coinOf({ terms, key, coin, amount, since }: Leg, side: 'claim' | 'refund'): Promise<Sight> {
    const reading = newReading(terms, (of) => partials.of(of));
    reading.agreed = [{ least: amount, most: amount }];
    reading.since = since;
    if (coin !== null) byName(reading, [{ outpoint: coin, amount }]);
    const tip = await chain().tip();
    const listed = await listedAt(reading, since);
    const coins = await readHtlc(reading, 'is' in listed ? null : listed, { bitcoin: chain(), tip });
    const own = coins.find((one) => (coin === null ? one.amount === amount : sameOutpoint(one.outpoint, coin)));
    const isFree = side === 'refund' && key.branch === 'taker';
    const other = isFree ? largest(coins.filter((one) => one !== own && one.spend === null)) : null;
    if (own === undefined && other === null && 'is' in listed) throw listed.cause;
    const { height, mtp } = tip;
    if (own !== undefined && isClaimed(own)) return { coin: own, beside: other, height, mtp };
    const stands = own !== undefined && own.spend === null;
    return { coin: stands ? own : (other ?? own ?? null), beside: null, height, mtp };
  }

  /** A script that a stranger paid a thousand times is listed by no server: a coin is found by its name, or history. */
  async function listedAt(reading: HtlcReading, since: number): Promise<readonly ChainCoin[] | Unlisted> {
    try {
      return await chain().coins([htlcScript(reading.terms).pkScript], since, (coins) => chosenCoins(coins, reading));
    } catch (cause) {
      if (cause instanceof PortFailure) return { is: 'unlisted', cause };
      throw cause;
    }
  }

  /** The secret that came with our signature for the other side's claim: on the chain nobody ever sees it. */
  function secretOf({ outpoint }: SeenHtlcCoin): Preimage | null {
    return partials.of(outpoint).find(({ preimage }) => preimage !== null)?.preimage ?? null;
  }

  async function send(leg: Leg, coin: SeenHtlcCoin, secret: Preimage | null, least: Sats): Promise<Done> {
    const { terms, key } = leg;
    const purpose = secret === null ? 'refund' : 'claim';
    if (partials.of(coin.outpoint).some((note) => !note.own && note.purpose !== purpose))
      return { is: 'failed', sentence: 'our signature gave it to the other side: it is not taken' };
    const tip = await chain().tip();
    const { mtp } = tip;
    const late = secret !== null && mtp > opensAbout(terms, tip) - feeUrgency;
    const made = await bitcoinWalletOf(ports).prepareHtlcSpend({
      terms,
      key,
      coin: { ...coin.outpoint, amount: coin.amount },
      ...(secret === null ? {} : { preimage: secret }),
      feeRate: await believedRate(chain(), { within, doubtAbove, late }),
      mostFee: late ? coin.amount : sats(coin.amount / 2n),
    });
    if (made === null) return { is: 'failed', sentence: `its ${coin.amount} sats are not worth the smallest fee` };
    if (made.fee <= least) return { is: 'later', sentence: waits };
    return doneBy(await chain().broadcast(made.bytes), made.txid);
  }

  return {
    name: ({ terms, amount }) => `${amount} sats at ${htlcAddress(terms, network)} on the Bitcoin chain`,

    async look(leg, side): Promise<LegLook> {
      const { coin, beside, height, mtp } = await coinOf(leg, side);
      const timelock = {
        at: opensAbout(leg.terms, { mtp, height }),
        over: locktimePassed(locktimeOf(leg.terms), { mtp, height }),
        clock: 'the median time past of the Bitcoin chain',
      };
      const spend = coin?.spend ?? null;
      if (coin === null) return { state: { is: 'nothing' }, timelock };
      if (spend === null) return { state: { is: 'standing' }, timelock, coin: coin.outpoint };
      if (spend.by === 'unknown')
        return { state: { is: 'unclear', reason: `${spend.txid} is said to spend it, and nobody shows it` }, timelock };
      const final = buried(spend.height, height);
      const state = spend.by === 'key' ? ofBoth(spend, { secret: secretOf(coin), final }) : ofScript(spend, { final });
      return { state, timelock, ...(beside === null ? {} : { beside: true }) };
    },

    async take(leg, secret) {
      const seen = await coinOf(leg, secret === null ? 'refund' : 'claim');
      const coin = seen.beside ?? seen.coin;
      if (coin === null || coin.spend !== null) return { is: 'later', sentence: 'it has moved meanwhile' };
      return send(leg, coin, secret, noSats);
    },

    /** In a block it only gets deeper; in no block its fee is raised where the chain asks for more by now. */
    async bringOn(leg, secret) {
      const { coin, height } = await coinOf(leg, secret === null ? 'refund' : 'claim');
      const spend = coin?.spend ?? null;
      if (coin === null || spend === null) return { is: 'later', sentence: 'it has moved meanwhile' };
      if (spend.height !== null)
        return { is: 'later', sentence: `in ${height - spend.height + 1} of ${burialDepth} blocks` };
      const tx = readRawTx((await chain().transaction(spend.txid))?.bytes ?? new Uint8Array());
      if (tx === null || tx.inputs.length !== 1) return { is: 'later', sentence: waits };
      const fee = coin.amount - paidOut(tx);
      return send(leg, coin, secret, sats(fee + fee / 4n + BigInt(tx.vsize)));
    },
  };
}

/** What is worth its own refund. */
function largest(coins: readonly SeenHtlcCoin[]): SeenHtlcCoin | null {
  const worthy = coins.filter(({ amount }) => amount >= leastRefund);
  return worthy.sort((a, b) => Number(b.amount - a.amount))[0] ?? null;
}

function isClaimed({ spend }: SeenHtlcCoin): boolean {
  return spend?.by === 'claim' || (spend?.by === 'key' && spend.purpose === 'claim');
}

function ofScript(
  spend: SeenHtlcSpend & { readonly by: 'claim' | 'refund' },
  { final }: { readonly final: boolean },
): LegState {
  return spend.by === 'claim' ? { is: 'claimed', secret: spend.preimage, final } : { is: 'refunded', final };
}

/** What a spend by the key of both says by itself is nothing: what we signed for was noted before. */
function ofBoth(
  { txid, purpose }: SeenHtlcSpend & { readonly by: 'key' },
  { secret, final }: { readonly secret: Preimage | null; readonly final: boolean },
): LegState {
  if (purpose === 'claim') return { is: 'claimed', secret, final };
  if (purpose === 'refund') return { is: 'refunded', final };
  return {
    is: 'unclear',
    reason:
      `${txid} spends it by the key of both sides, and nothing beside the bundle says that this node signed for that: ` +
      `put the file ${notesName} of its data folder there`,
  };
}

const waits = 'sent, and waits for its first block';

function doneBy(answer: BroadcastAnswer, txid: Txid): Done {
  switch (answer.is) {
    case 'accepted':
      return { is: 'later', sentence: `sent with ${txid}, and waits for its first block` };
    case 'later':
      return { is: 'later', sentence: `the chain does not take it yet: ${answer.reason}` };
    case 'spent':
      return { is: 'later', sentence: `another transaction spends it: ${answer.reason}` };
    case 'refused':
      return { is: 'failed', sentence: `the chain refuses it: ${answer.reason}` };
  }
}

/** About when the refund of a coin opens, by median time past. */
function opensAbout(terms: HtlcTerms, { mtp, height }: { readonly mtp: Unix; readonly height: number }): Unix {
  return expectedAt(locktimeOf(terms), { bitcoin: { mtp, height } }) ?? mtp;
}
