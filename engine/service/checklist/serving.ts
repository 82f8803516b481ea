import { evmNetwork, takerDirections, type EvmNetwork, type TakerDirection } from '../../domain/chain.ts';
import { isRefusal } from '../../domain/errors.ts';
import type { TakerSwap } from '../../contract/taker-swap.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { swappable } from '../limits/limits.ts';
import { takerSwaps } from '../taker/list.ts';
import { lastTest } from './alerts.ts';
import { connectedPairs } from './liquidity.ts';
import { rehearsalAmount } from './rehearsal-amount.ts';
import { dayOf, done, failed, grouped, todo, type Step } from './step.ts';
import { boltzOf, toArkadeOf } from './wallets.ts';

/** What strangers would be offered, who would tell the owner of trouble, and what was tried of it. */
export function servingSteps(context: ServiceContext, setsTerms: boolean): Step[] {
  return [
    pricesOf(context, setsTerms),
    alertsOf(context),
    ...rehearsalsOf(context),
    boltzOf(context),
    ...toArkadeOf(context),
    liveOf(context),
  ];
}

/** Whether there is anything that a stranger could swap, were the node live. */
export function swapsSomething(context: ServiceContext): boolean {
  return swappable(context).length > 0;
}

function pricesOf({ config }: ServiceContext, setsTerms: boolean): Step {
  const { feeBps, minSats, maxSats } = config.terms;
  const terms = `${feeBps / 100}% of a swap, from ${grouped(BigInt(minSats))} to ${grouped(BigInt(maxSats))} sats`;
  const step = { id: 'prices', part: 'prices' } as const;
  return setsTerms
    ? done({ ...step, sentence: `You set your prices and limits: ${terms}.` })
    : todo({
        ...step,
        sentence: `Prices and limits are those that a new node has: ${terms}.`,
        act: 'Look them over, and save them: terms.feeBps, terms.minSats and terms.maxSats, or each for one direction.',
      });
}

function alertsOf(context: ServiceContext): Step {
  const { alerts } = context.config;
  const step = { id: 'alerts', part: 'alerts' } as const;
  const set = [
    alerts.webhookUrl === null ? null : 'webhook',
    alerts.ntfy.url === null ? null : 'ntfy',
    alerts.telegram.chat === null ? null : 'telegram',
  ].filter((way) => way !== null);
  if (set.length === 0)
    return todo({
      ...step,
      sentence: 'Alerts are shown on the page only: with no other way set, none reaches you while it is closed.',
      act: 'Set alerts.webhookUrl, alerts.ntfy or alerts.telegram, and send a test.',
    });
  const test = lastTest(context);
  if (test === null)
    return todo({
      ...step,
      sentence: `Alerts go by ${set.join(', ')}, and no test was sent since that was set.`,
      act: 'Send a test: POST /owner/alerts/test, or the button on the page.',
    });
  const lost = test.results.find(({ arrived }) => !arrived);
  return lost === undefined
    ? done({ ...step, sentence: `The test of ${dayOf(test.time)} (UTC) was taken by ${set.join(', ')}.` })
    : failed({ ...step, sentence: `The test by ${lost.channel} did not arrive: ${lost.reason ?? 'no reason given'}` });
}

function rehearsalsOf(context: ServiceContext): Step[] {
  const pairs = connectedPairs(context).filter((direction): direction is Direction<TakerDirection> =>
    takerDirections.some((name) => name === direction.name),
  );
  if (pairs.length === 0)
    return [
      todo({
        id: 'rehearsal',
        part: 'rehearsal',
        sentence: 'No pair has both of its networks yet, so nothing can be rehearsed.',
      }),
    ];
  const swaps = { finished: ownSwaps(context, 'finished'), open: ownSwaps(context, 'open') };
  return pairs.map((pair) => {
    const [over, open] = [swaps.finished.get(nameOf(pair)), swaps.open.get(nameOf(pair))];
    const step = {
      id: `rehearsal:${nameOf(pair)}`,
      part: 'rehearsal',
      direction: pair.name,
      ...(pair.evm === null ? {} : { network: pair.evm }),
    } as const;
    if (over !== undefined)
      return done({
        ...step,
        sentence: `You swapped ${amountOf(over)} with this node, and it arrived on ${dayOf(over.updated)} (UTC).`,
      });
    if (open !== undefined)
      return todo({ ...step, sentence: 'A rehearsal is under way.', act: 'Pay it, or wait until it arrives.' });
    const amount = rehearsalAmount(context, pair);
    return isRefusal(amount)
      ? todo({ ...step, sentence: `It cannot be swapped now: ${amount.sentence}` })
      : todo({
          ...step,
          sentence: 'You did not swap it with this node yet.',
          act: `Swap ${grouped(amount)} sats with yourself.`,
        });
  });
}

function nameOf({ name, evm }: Pick<Direction, 'name' | 'evm'>): string {
  return evm === null ? name : `${name}:${evm}`;
}

function amountOf({ give }: TakerSwap): string {
  return give.sats === null ? `${give.amount} units of ${give.symbol}` : `${grouped(BigInt(give.sats))} sats`;
}

/** Of the newest that many are looked at: a rehearsal is made before others. */
const pages = 10;
const perPage = 100;

/** The newest own swap with this node of each pair. */
function ownSwaps(context: ServiceContext, show: 'finished' | 'open'): ReadonlyMap<string, TakerSwap> {
  const newest = new Map<string, TakerSwap>();
  let cursor: string | null = null;
  for (let page = 0; page < pages; page++) {
    const answer = takerSwaps(context, { text: null, show, network: null, cursor, limit: perPage });
    if (isRefusal(answer)) break;
    for (const swap of answer.swaps) {
      const pair = nameOf({ name: swap.direction, evm: chainOf(swap) });
      if (swap.provider_url === '' && !newest.has(pair)) newest.set(pair, swap);
    }
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return newest;
}

function chainOf({ give, get }: TakerSwap): EvmNetwork | null {
  const chain = [give.network, get.network].find((network) => network.startsWith('evm:'));
  return chain === undefined ? null : evmNetwork(chain.slice('evm:'.length));
}

function liveOf(context: ServiceContext): Step {
  const step = { id: 'live', part: 'live' } as const;
  return context.live()
    ? done({ ...step, sentence: 'Strangers are offered what this node can swap.' })
    : todo({ ...step, sentence: 'Strangers are offered nothing yet.', act: 'Go live: set live to true.' });
}
