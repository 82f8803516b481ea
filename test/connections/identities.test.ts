import { expect, test } from 'vitest';
import { createIdentities } from '../../engine/connections/identities.ts';
import { openStore, swapRow } from '../store/support.ts';

test('a node or an operator is exchanged while nothing is open with it, and not before', () => {
  const { store } = openStore();
  const identities = createIdentities(store);
  const first = identities.judge('lightning', ['alice']);
  store.swaps.insert(swapRow());
  const held = [
    identities.judge('lightning', ['bob']),
    identities.wouldRefuse('lightning', ['bob']),
    identities.judge('lightning', ['alice']),
  ];
  store.swaps.update({ ...swapRow(), open: false });
  expect([first, held, identities.judge('lightning', ['bob']), identities.judge('lightning', ['alice'])]).toEqual([
    null,
    [
      '1 swap is open on the Lightning node alice, and bob answers in its place: connect alice again until they ' +
        'are over.',
      '1 swap is open on the Lightning node alice, and this is bob: wait until they are over, or give another ' +
        'address of alice.',
      null,
    ],
    null,
    null,
  ]);
});

test('an operator that changed its signer is still the one of the swaps that are open with it', () => {
  const { store } = openStore();
  const identities = createIdentities(store);
  identities.judge('arkade', ['old']);
  store.swaps.insert(swapRow());
  const rotated = identities.judge('arkade', ['new', 'old']);
  // Known by its new name from then on, whatever becomes of its list of old ones.
  expect([rotated, identities.judge('arkade', ['new']), identities.judge('arkade', ['old'])]).toEqual([
    null,
    null,
    expect.stringMatching(/^1 swap is open on the Arkade operator new, and old answers/),
  ]);
});

test('fault 41: an operator of open swaps counts as such only at the address where it was seen', () => {
  const { store } = openStore();
  const identities = createIdentities(store);
  identities.judge('arkade', ['old'], 'https://one.example');
  store.swaps.insert(swapRow());
  const elsewhere = [
    identities.wouldRefuse('arkade', ['thief', 'old'], 'https://two.example'),
    identities.judge('arkade', ['thief', 'old'], 'https://two.example'),
  ];
  expect(elsewhere).toEqual([
    expect.stringMatching(/on the Arkade operator old, and this is thief/),
    expect.stringMatching(/on the Arkade operator old, and thief answers in its place/),
  ]);
  const moved = identities.judge('arkade', ['old'], 'https://two.example');
  expect([
    moved,
    identities.judge('arkade', ['new', 'old'], 'https://two.example'),
    identities.judge('arkade', ['newest', 'new'], 'https://one.example'),
  ]).toEqual([null, null, expect.any(String)]);
});

test('swaps count on the networks of their legs, and all of them on Bitcoin', () => {
  const { store } = openStore();
  const rows = [
    'lightning-arkade',
    'withdraw-arkade',
    'take-arkade-lightning',
    'withdraw-lightning',
    'withdraw-bitcoin',
  ];
  for (const [i, machine] of rows.entries())
    store.swaps.insert(swapRow({ id: `a0000000-0000-4000-8000-00000000000${i}`, machine }));
  const identities = createIdentities(store);
  expect([identities.openSwaps('arkade'), identities.openSwaps('lightning'), identities.openSwaps('bitcoin')]).toEqual([
    3, 3, 5,
  ]);
});

test('a swap over an EVM chain counts on that chain alone, and one that names none on each', () => {
  const { store } = openStore();
  const rows = [
    ['arkade-evm', 'evm:137'],
    ['evm-lightning', 'evm:137'],
    ['withdraw-evm', 'evm:31'],
    ['arkade-evm', null],
    ['arkade-lightning', null],
  ] as const;
  for (const [i, [machine, network]] of rows.entries()) {
    const terms = network === null ? {} : { network };
    store.swaps.insert(swapRow({ id: `a0000000-0000-4000-8000-00000000000${i}`, machine, terms }));
  }
  const identities = createIdentities(store);
  expect((['evm:137', 'evm:31', 'evm:1', 'lightning', 'bitcoin'] as const).map(identities.openSwaps)).toEqual([
    3, 2, 1, 2, 5,
  ]);
});
