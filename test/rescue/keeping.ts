import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { openBundle, type OpenBundle } from '../../engine/rescue/bundle.ts';
import { createContents } from '../../engine/rescue/contents.ts';
import { createPlace } from '../../engine/rescue/place.ts';
import type { SealingKey } from '../../engine/rescue/segments.ts';
import { encode } from '../../engine/store/codec.ts';
import type { Store } from '../../engine/store/store.ts';
import { seedOf } from '../support/node.ts';

const wall = () => unix(1_790_000_000);
const [keysOfOne, keysOfTwo] = [1, 2].map((seed) => createKeys(seedOf(seed), 'regtest').sealingKey) as [
  SealingKey,
  SealingKey,
];
export const keysOf = (seed: number): SealingKey => (seed === 1 ? keysOfOne : keysOfTwo);

const store = {
  counters: { peek: () => 7 },
  exits: { revision: () => 0, all: () => ({ coins: [], roots: [], transactions: [] }) },
  ownCoins: { all: () => [] },
} as unknown as Store;

/** What a node keeps, the place that it is written to, and the states that it was in. */
export function keepingAt(at: string, { forgets = false, seed = 1 } = {}) {
  const contents = createContents({ store, walletTerms: () => [], wall });
  const place = createPlace(at, {
    network: 'regtest',
    keys: keysOf(seed),
    wall,
    shared: true,
    forgets: () => forgets,
    onSpared: () => undefined,
  });
  const now = new Map<string, string>();
  const history: string[] = [];
  let promised = -1;

  function set(id: string, word: string | null): void {
    const none = { secret: null, stored: null, claim: null, refund: null, shown: false };
    contents.setSwap(id, word === null ? null : encode({ id, direction: word, role: 'service', ...none }));
    if (word === null) now.delete(id);
    else now.set(id, word);
  }

  async function write(reaches = true): Promise<boolean> {
    const changes = contents.takeChanges();
    const turn = history.push(JSON.stringify([...now].toSorted()));
    if (!reaches) return false;
    const { whole } = contents;
    const isWritten = await place.write({ turn, changes, whole, length: contents.length() }).then(
      () => true,
      () => false,
    );
    if (isWritten) promised = history.length - 1;
    return isWritten;
  }

  return { set, write, history, promised: () => promised, isWorn: () => place.isWorn(contents.length()) };
}

export function bundleIn(bytes: Uint8Array, seed = 1): OpenBundle {
  const bundle = openBundle('it', bytes, 'regtest', keysOf(seed));
  if (isRefusal(bundle)) throw new Error(bundle.sentence);
  return bundle;
}

export const stateOf = ({ swaps }: OpenBundle) =>
  JSON.stringify(swaps.map(({ id, direction }) => [id, direction]).toSorted());
