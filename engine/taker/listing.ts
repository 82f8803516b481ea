import type { EvmAddress } from '../domain/evm.ts';
import { toHex } from '../domain/hex.ts';
import type { TakerListing } from '../domain/taker.ts';
import type { Clocks } from '../domain/time.ts';
import type { TakenDirection } from './direction.ts';
import type { Facts, Side } from './facts.ts';
import type { OrderTerms, TakerProgress } from './terms.ts';

/** Enough of any invoice or address to tell it from every other. */
const longestWord = 96;

/** Where something was paid or arrives, by whatever name terms and legs have for it. */
interface Places {
  readonly address?: string;
  readonly targetAddress?: string;
  readonly bolt11?: string;
  readonly destination?: EvmAddress;
  readonly account?: EvmAddress;
}

/** How a text is compared: as people copy it, in either case, with or without 0x or the name of a link. */
function asWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(lightning|bitcoin):/, '')
    .replace(/^0x/, '')
    .slice(0, longestWord);
}

/** In whole coins, without zeros at the end. */
function whole(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  return `${digits.slice(0, split)}.${digits.slice(split)}`.replace(/\.?0*$/, '');
}

function amountWords({ amount, decimals, sats }: Side): string[] {
  return [
    amount.toString(),
    ...(decimals === 0 ? [] : [whole(amount, decimals)]),
    ...(sats === null ? [] : [`${sats}`]),
  ];
}

function placeWords(one: Places): string[] {
  return [
    one.address,
    one.targetAddress,
    one.bolt11,
    one.destination === undefined ? undefined : toHex(one.destination),
    one.account === undefined ? undefined : toHex(one.account),
  ].filter((word) => word !== undefined);
}

/** What the owner's list finds a swap by; its own id is added by whoever keeps it. */
export function listingOf(
  direction: Pick<TakenDirection, 'facts' | 'steps'>,
  terms: OrderTerms,
  progress: TakerProgress,
  now: Clocks,
): TakerListing {
  const { give, get, transactions }: Facts = direction.facts(terms, progress, now);
  const { deal } = progress;
  const texts = [
    ...(deal === undefined ? [] : [deal.swapId]),
    toHex(terms.hash),
    ...[terms, deal?.source, deal?.target].flatMap((one) => (one === undefined ? [] : placeWords(one as Places))),
    ...transactions.map(({ txid }) => txid),
  ];
  return {
    outcome: direction.steps(progress, terms).outcome,
    give: give.network,
    get: get.network,
    words: [...new Set([...texts.map(asWord), ...[give, get].flatMap(amountWords).map((amount) => `=${amount}`)])],
  };
}

/**
 * What a text of the owner's is looked up as: anything by how it begins, an amount as a whole. Null for one that says
 * nothing.
 */
export function searchOf(text: string): { readonly beginning: string; readonly amount: string | null } | null {
  const beginning = asWord(text);
  if (beginning === '') return null;
  const plain = text.trim().replaceAll(/(?<=\d)[\s,'_](?=\d{3})/g, '');
  const isAmount = /^\d{1,78}(\.\d{1,36})?$/.test(plain);
  return { beginning, amount: isAmount ? `=${plain.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')}` : null };
}
