import { setTimeout as sleep } from 'node:timers/promises';
import { providerUrlOf } from '../../contract/taker.ts';
import { beginningPast } from '../../domain/key-index.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { takerAccountsOf } from '../../runtime/ports.ts';
import type { Providers } from '../../taker/port.ts';
import type { TakerKeys } from './keys.ts';
import { knownSwaps, provenBy } from './known-swaps.ts';
import { createOwnKeys, type OwnKeys } from './own-keys.ts';
import type { RestoreContext } from './restore-record.ts';
import { shownByNetworks } from './shown-by-networks.ts';
import { highestSeen } from './used.ts';

type Context = Pick<RestoreContext, 'runtime' | 'config' | 'highWater'> & {
  readonly keys: TakerKeys;
  readonly providers: Providers;
};

const betweenQuestionsMs = 250;
/**
 * One that takes its time with each answer could keep the first swap waiting for half an hour, at whichever provider
 * that is.
 */
const mostAskedMs = 60_000;

/**
 * Before the first swap of a folder that has no mark of its keys: a seed from elsewhere, or a copy of a database on a
 * new disk. What any provider has seen of the words is left out with all that may have come after it; and because the
 * one that knows more may be named nowhere here, "none" leaves out ten thousand as well (facts/faults.md 71), past what
 * the networks show of claims that nobody names (facts/faults.md 100). A provider that is silent is not taken for one
 * that knows nothing.
 */
export async function skipUsed(context: Context, chosen: string): Promise<Refusal | null> {
  const { config, highWater, runtime } = context;
  const urls = new Set(['', chosen, ...config.taker.providers.map(providerUrlOf)]);
  const own = createOwnKeys({ keys: context.keys, accounts: takerAccountsOf(runtime.ports) });
  const proven = await Promise.all([...urls].map((url) => highestProven(context, own, url)));
  const refusal = proven.find(isRefusal);
  if (refusal !== undefined) return refusal;
  const seen = highestSeen(runtime);
  const shown = await shownByNetworks(context, 0);
  const indices = [seen, shown, ...proven].filter((one) => typeof one === 'number');
  highWater.reach(beginningPast(indices.length === 0 ? null : Math.max(...indices)) - 1);
  return null;
}

async function highestProven(
  { runtime, providers }: Context,
  own: OwnKeys,
  url: string,
): Promise<number | null | Refusal> {
  const seen = highestSeen(runtime);
  let highest: number | null = null;
  const begun = performance.now();
  try {
    const pages = knownSwaps(providers(url), {
      from: 0,
      proven: () => (highest === null || seen === null ? (highest ?? seen) : Math.max(highest, seen)),
      pause: async () => void (url === '' || (await sleep(betweenQuestionsMs))),
    });
    for await (const records of pages) {
      const index = await provenBy(own, records);
      if (index !== null) highest = Math.max(highest ?? 0, index);
      if (performance.now() - begun > mostAskedMs) return notStarted(url, 'takes too long to answer');
    }
    return highest;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return notStarted(url, 'does not answer');
  }
}

function notStarted(url: string, why: string): Refusal {
  return refuse(
    'unavailable',
    `The swap was not started: ${url === '' ? 'this node' : url} ${why}, and may know secrets of this seed that ` +
      'must not be used again. Try again later, or take it out of taker.providers if the seed never swapped there.',
  );
}
