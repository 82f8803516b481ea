import { expect, test } from 'vitest';
import type { Preimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { LockEvent } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import type { EvmRules } from '../../../engine/runtime/networks/evm/rules.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import { createForgottenLocks } from '../../../engine/service/reconciliation/forgotten-locks.ts';
import type { EvmClaimTerms } from '../../../engine/swap/jobs/claim-evm.ts';
import { anyFailure } from '../../support/failure.ts';
import { evmLightningTerms as swap, account, network } from '../../swap/evm-lightning-cases.ts';

/* Which locks for our account are claimed of swaps that nobody remembers. */

const secret = new Uint8Array(32).fill(7) as Preimage;
const terms: LockTerms = { ...swap.lock, preimageHash: sha256Of(secret), amount: 100_000n };

interface World {
  /** What the Lightning node has of the hash. */
  readonly payment?: 'settled' | 'in-flight' | 'absent' | 'away';
  /** What the database has of the hash: the terms of its swap. */
  readonly here?: object;
  /** The database has the secret, and an own swap of the hash for which it was made. */
  readonly own?: true;
  /** Wei for a unit of gas. */
  readonly gas?: bigint;
}

function opened({ payment = 'settled', here, own, gas = 10n ** 9n }: World = {}) {
  const claimed: bigint[] = [];
  const jobs: object[] = [];
  let questions = 0;
  const runtime = {
    clock: { now: () => ({ wall: 0 }) },
    ports: {
      lightning: {
        async payment() {
          questions += 1;
          if (payment === 'away') throw anyFailure('away', 'safe', 'nobody answers');
          return { is: payment, preimage: secret };
        },
      },
      [network]: {
        account: () => account.service,
        gasFees: async () => ({ is: 'legacy', price: gas }),
        isActive: async () => true,
        token: async () => ({ decimals: 8 }),
      },
    },
    store: {
      hashes: { usedBy: () => (here === undefined ? null : 'another'), claim: () => true },
      preimages: { find: () => (own === undefined ? null : secret), keep: () => undefined },
      takerSwaps: { page: () => (own === undefined ? [] : [{ id: 'own', createdAt: 0 }]) },
    },
    workingSet: {
      all: () => jobs,
      readable: (id: string) => ({ row: { terms: id === 'own' ? { hash: terms.preimageHash } : here } }),
    },
    commits: {
      open(_: string, build: (store: unknown) => { row: { terms: EvmClaimTerms } }) {
        const { row } = build(runtime.store);
        jobs.push({ machine: { name: 'claim-evm' }, row });
        claimed.push(row.terms.lock.amount);
      },
    },
  };
  const rules = { confirmations: [1, 1], gas: { maxShareBps: 1_000, maxFeeGwei: 0 }, standing: null };
  const locks = createForgottenLocks({
    runtime: runtime as unknown as Runtime,
    log: { info() {}, warn() {}, error() {} },
    accounts: () => ({ pegged: account.token, floor: 0n }),
    rules: () => ({ ...rules, price: { wei: 10n ** 18n, sats: sats(500) } }) as unknown as EvmRules,
  });
  const hear = (lock: LockTerms, what: object = { is: 'created', terms: lock }): void =>
    locks.heard(network, swap.contracts, { key: swapKey(lock), height: 1, what } as unknown as LockEvent);
  return { locks, hear, claimed, questions: () => questions };
}

test('fault 185, evm: a lock that a payment of ours opens is claimed once', async () => {
  const { locks, hear, claimed } = opened();
  hear(terms);
  hear(terms);
  await locks.claim();
  await locks.claim();
  expect(claimed).toEqual([100_000n]);
});

test('fault 185, evm: what no payment of ours is behind waits for a secret, and is asked about once', async () => {
  const { locks, hear, claimed, questions } = opened({ payment: 'absent' });
  hear(terms);
  await locks.claim();
  await locks.claim();
  expect([claimed, questions()]).toEqual([[], 1]);
  expect([locks.shown(new Uint8Array(32) as Preimage), locks.shown(secret)]).toEqual([false, true]);
  await locks.claim();
  expect(claimed).toEqual([100_000n]);
});

test('fault 185, evm: a Lightning node that is away keeps no lock waiting whose secret was shown', async () => {
  const { locks, hear, claimed } = opened({ payment: 'away' });
  const other = { ...terms, preimageHash: sha256Of(new Uint8Array(32) as Preimage) };
  hear(other);
  hear(terms);
  locks.shown(secret);
  await expect(locks.claim()).rejects.toThrow(/nobody answers/);
  expect(claimed).toEqual([100_000n]);
});

test('fault 185, evm: a lock for others, of another token, taken back, or of a swap that is here is left', async () => {
  const { locks, hear, claimed } = opened();
  hear({ ...terms, claimAddress: account.stranger });
  hear({ ...terms, token: account.stranger });
  hear({ ...terms, timelock: terms.timelock + 1n });
  hear({ ...terms, timelock: terms.timelock + 1n }, { is: 'refunded' });
  await locks.claim();
  expect(claimed).toEqual([]);
  const here = opened({ here: { lock: { ...swap.lock, preimageHash: terms.preimageHash } } });
  here.hear(terms);
  await here.locks.claim();
  expect(here.claimed).toEqual([]);
});

test('fault 185, evm: another swap that somebody made for its hash stands in the way of none', async () => {
  const { locks, hear, claimed } = opened({ here: { lock: { ...terms, timelock: terms.timelock + 60n } } });
  hear(terms);
  await locks.claim();
  expect(claimed).toEqual([100_000n]);
});

test('fault 185, evm: what does not pay for its gas is left, and nobody is asked about it', async () => {
  const dust = opened({ gas: 10n ** 11n });
  dust.hear({ ...terms, amount: 1n });
  await dust.locks.claim();
  const dear = opened({ gas: 10n ** 15n });
  dear.hear(terms);
  await dear.locks.claim();
  expect([dust.claimed, dust.questions(), dear.claimed, dear.questions()]).toEqual([[], 0, [], 0]);
});

test('fault 185, evm: of two locks of one client the larger one is claimed, and never both', async () => {
  const { locks, hear, claimed } = opened();
  hear({ ...terms, amount: 60_000n });
  hear(terms);
  await locks.claim();
  hear(terms, { is: 'redeemed', preimage: secret });
  await locks.claim();
  expect(claimed).toEqual([100_000n]);
});

test('fault 185, evm: no lock that ends sooner, and no smaller one that was taken, displaces ours', async () => {
  const { locks, hear, claimed } = opened();
  const dust = { ...terms, amount: 1n };
  hear({ ...terms, amount: 200_000n, timelock: terms.timelock - 3_600n });
  hear(terms);
  hear(dust);
  hear(dust, { is: 'redeemed', preimage: secret });
  await locks.claim();
  expect(claimed).toEqual([200_000n, 100_000n]);
});

test('fault 224, evm: a bait for the secret of an own swap gets it from nobody but who showed it already', async () => {
  const { locks, hear, claimed } = opened({ payment: 'absent', own: true });
  hear(terms);
  await locks.claim();
  expect(claimed).toEqual([]);
  locks.shown(secret);
  await locks.claim();
  expect(claimed).toEqual([100_000n]);
});

test('fault 226, evm: the lock of another swap of its hash stands in the way of none', async () => {
  const other = { ...terms, amount: 100_001n, timelock: terms.timelock + 60n };
  const { locks, hear, claimed } = opened({ here: { lock: other } });
  hear(terms);
  hear(other);
  await locks.claim();
  expect(claimed).toEqual([100_000n]);
});
