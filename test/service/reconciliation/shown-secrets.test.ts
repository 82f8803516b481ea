import { expect, test } from 'vitest';
import type { Preimage } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import type { LockEvent } from '../../../engine/legs/evm/port.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import { createShownSecrets } from '../../../engine/service/reconciliation/shown-secrets.ts';
import { lightningEvmTerms } from '../../swap/lightning-evm-cases.ts';

/* What the claims of our locks showed, of swaps that nobody remembers. */

const { network, contracts, lock } = lightningEvmTerms;
const secretOf = (byte: number) => new Uint8Array(32).fill(byte) as Preimage;

interface Shown {
  readonly events?: readonly object[];
  readonly partials?: readonly object[];
  /** Whether the chain answers, at each look. */
  readonly answers?: () => boolean;
}

/** By which secrets payments were settled, and what each look of the chain began at. */
function opened({ events = [], partials = [], answers = () => true }: Shown) {
  const settled: string[] = [];
  const from: number[] = [];
  const port = {
    account: () => lock.refundAddress,
    tip: async () => ({ height: 300_000 }),
    async events(range: { from: number; to: number }) {
      if (!answers()) throw new Error('the chain is away');
      from.push(range.from);
      return (events as LockEvent[]).filter(({ height }) => height >= range.from && height <= range.to);
    },
  };
  const runtime = {
    ports: { lightning: {}, bitcoin: null, [network]: port },
    store: { partials: { all: () => partials } },
  } as unknown as Runtime;
  const look = createShownSecrets({
    runtime,
    contracts: () => contracts,
    forUs: { heard: () => undefined },
    async settle(secret) {
      settled.push(toHex(secret).slice(0, 2));
      return true;
    },
  });
  return { look, settled, from };
}

const made = (height: number, terms = lock) => ({
  ...{ key: swapKey(terms), height },
  what: { is: 'created', terms },
});
const claimed = (height: number, byte: number, terms = lock) => ({
  ...{ key: swapKey(terms), height },
  what: { is: 'redeemed', preimage: secretOf(byte) },
});

test('fault 156, evm: the claim of a lock of our account settles, and that of a stranger’s does not', async () => {
  const strangers = { ...lock, refundAddress: lock.claimAddress };
  const events = [made(250_000), made(250_001, strangers), claimed(299_000, 1), claimed(299_001, 2, strangers)];
  const { look, settled } = opened({ events });
  await look();
  await look();
  expect(settled).toEqual(['01']);
});

test('fault 156, evm: a chain that breaks off is read on from where it was, and holds nothing else up', async () => {
  let left = 3;
  const partials = [{ preimage: secretOf(7), purpose: 'claim', own: false }];
  const { look, settled, from } = opened({
    events: [made(250_000), claimed(299_000, 1)],
    partials,
    answers: () => left-- > 0,
  });
  await expect(look()).rejects.toThrow(/away/);
  left = 1_000;
  await look();
  expect([settled, from.slice(0, 4)]).toEqual([
    ['07', '07', '01'],
    [100_000, 105_000, 110_000, 114_799],
  ]);
});

test('fault 156, bitcoin: of what was signed, the secret of the other side’s claim counts alone', async () => {
  const note = { preimage: secretOf(1), purpose: 'claim', own: false };
  const partials = [note, { ...note, own: true }, { ...note, preimage: null }, { ...note, purpose: 'refund' }];
  const { look, settled } = opened({ partials });
  await look();
  expect(settled).toEqual(['01']);
});
