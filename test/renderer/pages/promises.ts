import type { TakerDirection } from '../../../engine/domain/chain.ts';
import type { OwnWallet } from '../../../engine/service/taker/view.ts';
import { leastRefund } from '../../../engine/legs/onchain/size.ts';

/* Sentences of the page, each with what a state has to have seen wherever it stands. */

/** What the state itself has seen of a payment, read from it by hand and not by what the page is told. */
export interface Raw {
  readonly at: string;
  readonly said?: string;
  readonly target?: { readonly unsafe?: string | null };
  readonly coins?: readonly {
    readonly amount?: bigint;
    readonly spent?: boolean;
    readonly spend?: { readonly by: string; readonly mined: boolean } | null;
  }[];
  readonly made?: object | null;
  readonly signedUntil?: number | null;
  readonly takenBy?: string | null;
  readonly proof?: object | null;
  readonly claimTxid?: string | null;
}

export function standsOf(name: TakerDirection, p: Raw): boolean {
  if (name.startsWith('arkade-')) return (p.coins ?? []).some(({ spent }) => spent !== true);
  if (name.startsWith('evm-')) return (p.made ?? null) !== null && p.at !== 'done' && (p.takenBy ?? null) === null;
  if (name.startsWith('bitcoin-'))
    return (p.coins ?? []).some(
      ({ amount = 0n, spend }) => amount >= leastRefund && (spend === null || (spend?.by === 'refund' && !spend.mined)),
    );
  return false;
}

/** By the provider, or for Lightning by its word: it is not with us any more. */
function takenOf(name: TakerDirection, p: Raw, own: OwnWallet): boolean {
  return (p.takenBy ?? null) !== null || (name.startsWith('lightning-') && paidOf(name, p, own));
}

/** The provider took what we gave, with the secret: what it locked is claimed. */
function isOut({ proof, takenBy, coins }: Raw): boolean {
  return (proof ?? takenBy ?? null) !== null || (coins ?? []).some(({ spend }) => spend?.by === 'claim');
}

/** What was bought is there; a coin on Arkade that its provider took leaves nothing that is owed. */
function isBought(name: TakerDirection, { at }: Raw): boolean {
  return at === 'claimed' || (at === 'done' && !name.startsWith('evm-'));
}

const unpaidWords = new Set(['pending', 'expired']);

export function paidOf(name: TakerDirection, p: Raw, own: OwnWallet): boolean {
  if (own === 'pays') return true;
  if (name.startsWith('lightning-'))
    return (
      p.at !== 'creating' &&
      p.at !== 'refused' &&
      (!unpaidWords.has(p.said ?? 'pending') ||
        (p.target?.unsafe ?? null) !== null ||
        ['claiming', 'claimed', 'lost'].includes(p.at))
    );
  if (name.startsWith('bitcoin-') && ['funded', 'claimed', 'refunding', 'done', 'lost'].includes(p.at)) return true;
  return (
    (p.coins ?? []).length > 0 ||
    (p.made ?? null) !== null ||
    (p.signedUntil ?? null) !== null ||
    (p.takenBy ?? null) !== null
  );
}

/** Sentences, and what has to be so wherever one of them stands. */
export const promises: readonly {
  readonly says: RegExp;
  readonly needs: (name: TakerDirection, p: Raw, own: OwnWallet) => boolean;
}[] = [
  { says: /Your money is safe|can be taken back now/, needs: standsOf },
  { says: /pay(ing)? (it )?again|In flight/i, needs: paidOf },
  { says: /You paid /, needs: paidOf },
  { says: /are coming back|Refundable from/, needs: standsOf },
  { says: /goes back to the wallet that paid|is going back/, needs: paidOf },
  { says: /provider says/, needs: (name, p, own) => name.startsWith('lightning-') && paidOf(name, p, own) },
  {
    says: /is claiming|is locked for you|Sluice claimed/,
    needs: (_, p) => ['claiming', 'claimed', 'done'].includes(p.at) || isOut(p),
  },
  { says: /Arrived, final/, needs: isBought },
  { says: /(is|are) back\b|All of it is back/, needs: (_, p) => p.at === 'done' },
  // What was paid for a claim that was begun is the provider's: no date of a refund stands beside it.
  { says: /takes it back by itself|Back to you\./, needs: (name, p) => standsOf(name, p) && p.at !== 'claiming' },
  { says: /Your Arkade coin expires/, needs: (name, p) => name.startsWith('arkade-') && standsOf(name, p) },
  { says: /Your money comes back to you/, needs: paidOf },
  {
    says: /No payment was seen/,
    needs: (name, p, own) => !standsOf(name, p) && own !== 'pays' && !takenOf(name, p, own),
  },
  { says: /No money of yours is in this swap/, needs: (name, p, own) => !paidOf(name, p, own) },
  {
    says: /Exactly this amount|Scan it|Watching for your payment/,
    needs: (name, p, own) => !paidOf(name, p, own),
  },
];

/** The same of the lists and of the foot of every page. */
export const listed: typeof promises = [
  { says: /takes it back|refund opens/, needs: standsOf },
  {
    says: /and safe|Possible now|is refundable/,
    needs: (name, p) => standsOf(name, p) && p.at !== 'claiming',
  },
  { says: /\d \S+ in flight|pay again|goes back to the wallet/, needs: paidOf },
  { says: /Nothing was paid/, needs: (name, p, own) => !standsOf(name, p) && own !== 'pays' && !takenOf(name, p, own) },
  {
    says: /No money of yours|Not paid yet|Waits for the payment|Pay it/,
    needs: (name, p, own) =>
      !standsOf(name, p) && (name.startsWith('bitcoin-') ? own !== 'pays' : !paidOf(name, p, own)),
  },
  { says: /claims it by itself/, needs: (_, p) => p.at === 'claiming' || isOut(p) },
  { says: /Finished/, needs: isBought },
  { says: /Returned/, needs: (_, p) => ['done', 'lapsed'].includes(p.at) },
];

/** What no page says: times as machines count them, names of fields, errors of sockets, values that are none. */
export const never =
  /\bevm:\d|\b1[6-9]\d{8}\b|\b[a-z]+_[a-z_]+\b|socket|ECONN|fetch failed|undefined|null|NaN|\[object|in its own words/i;

/** A moment in another form than all others of a page; where now is, the day is the one of the drawing. */
export const otherClock = /(?<!\w{3} \d{1,2} \w{3}, )(?<!Now, (?:\w{3} )?)\b\d\d:\d\d\b|\d\d:\d\d:\d\d/;
