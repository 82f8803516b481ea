import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { beforeEach, expect, test } from 'vitest';
import { refuse, type Refusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { htlcScript } from '../../../engine/legs/onchain/htlc.ts';
import { buildJointSpend } from '../../../engine/legs/onchain/joint-spend.ts';
import { locktimeOf } from '../../../engine/legs/onchain/locktime.ts';
import type { OwnJointSpend } from '../../../engine/legs/onchain/wallet-port.ts';
import { providerFailure } from '../../../engine/legs/provider/failures.ts';
import type { OnchainContext } from '../../../engine/runtime/networks/onchain/context.ts';
import { wasAsked } from '../../../engine/runtime/networks/onchain/fence.ts';
import { mayBeShown } from '../../../engine/runtime/networks/onchain/first-send.ts';
import type { ProviderContext } from '../../../engine/runtime/networks/provider/context.ts';
import { cosignHtlc } from '../../../engine/runtime/networks/provider/joint.ts';
import { createPartialNotes, type PartialNotes } from '../../../engine/store/partial-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import { newFolder, turns } from '../../store/support.ts';
import { preimage, startHeight } from '../../swap/cases.ts';
import { clocksAtHeight } from '../../swap/lightning-bitcoin-cases.ts';
import { deal, htlc, line, terms } from '../../taker/lightning-bitcoin-cases.ts';

/* When a client's node shows its provider the secret to claim with it, and what it says of that afterwards. */

const amount = sats(100_000);
const { pkScript } = htlcScript(htlc);
const funding = new Transaction();
funding.addInput(Buffer.alloc(32, 7), 0);
funding.addOutput(pkScript, amount);
const coin = { txid: funding.getId(), vout: 0 };
const onlyIf = {
  notAfter: line,
  paidOut: {
    ...{ script: pkScript, outpoint: coin, targetAmount: amount },
    ...{ refundLocktime: locktimeOf(htlc), policy: terms.policy },
  },
};
const effect = {
  do: 'provider.cosign-htlc',
  ...{ provider: '', swapId: deal.swapId, terms: htlc, script: pkScript, coin },
  purpose: 'claim',
  key: { branch: 'taker', index: 4 },
  ...{ leastRate: 0, deadline: locktimeOf(htlc), onlyIf },
} as const;

const tooLate = 'Too little time was left.';
const no = (): Promise<Refusal> => Promise.resolve(refuse('forbidden', 'no'));
const notReached = (): Promise<never> =>
  Promise.reject(providerFailure('provider-away', 'safe', 'the provider is not reached'));

let answers: string[];
let calls: number;
let partials: PartialNotes;
let isLate: boolean;
let isFull: boolean;
/** What is noted of the claim by the script, and what the bundle was told of the secret. */
let notes: string[];
let inBundle: boolean[];
beforeEach(() => {
  answers = [];
  calls = 0;
  isLate = false;
  isFull = false;
  notes = [];
  inBundle = [];
  partials = notesAt(null);
});

function notesAt(path: string | null): PartialNotes {
  return createPartialNotes({ path, sealer: createSealer(new Uint8Array(32)) });
}

function contextOf(claimTogether: () => Promise<Refusal> = no, whileReading: () => void = () => undefined) {
  return {
    row: { subject: 'ours', attempts: 0 },
    clock: { now: () => clocksAtHeight(startHeight + 10), tip: () => null },
    store: {
      partials,
      intents: {
        has: () => notes.length > 0,
        note: () => void notes.push('noted'),
        drop: () => void (notes.length = 0),
      },
      preimages: { find: () => preimage },
      transactions: {
        of: () => [],
        bytes: () => null,
        byId: () => ({ state: 'prepared' }),
        accepted: () => undefined,
        close: () => undefined,
      },
    },
    ceilings: () => ({ claimBps: 5_000 }),
    bundled() {
      inBundle.push(notes.length > 0 || wasAsked(partials, coin, 'claim'));
      return Promise.resolve(!isFull);
    },
    judge: { forbidden: () => Promise.resolve(isLate ? tooLate : null) },
    ports: {
      bitcoin: {
        tip: () => Promise.resolve({ height: startHeight + 10, mtp: 1_700_000_000, hash: '' }),
        transaction() {
          whileReading();
          return Promise.resolve({ bytes: funding.toBuffer(), height: startHeight + 5 });
        },
        spend: () => Promise.resolve(null),
        feeRate: () => Promise.resolve(3),
      },
      bitcoinWallet: {
        openJointSpend({ terms: of, coin: ref, feeRate, mostFee }: OwnJointSpend) {
          const to = Uint8Array.of(0, 20, ...new Uint8Array(20));
          const built = buildJointSpend(of, { coin: ref, to, feeRate, mostFee });
          const [publicNonce, consent] = [new Uint8Array(66), new Uint8Array(64)];
          return Promise.resolve(built && { spend: built.spend, publicNonce, consent, join: () => null });
        },
      },
      providers: () => ({
        claimTogether() {
          calls += 1;
          return claimTogether();
        },
      }),
    },
    answer: (event: Event) => void answers.push(event.is),
  } as unknown as ProviderContext;
}

/** Whether the claim by the script goes out for the first time, past the line. */
async function goesOutLate(): Promise<boolean> {
  isLate = true;
  const claim = { do: 'onchain.broadcast', leg: 'bitcoin', txid: 'aa'.repeat(32), spends: coin } as never;
  const now = { bytes: new Uint8Array(3), spend: null };
  return mayBeShown(claim, onlyIf, now, contextOf() as unknown as OnchainContext);
}

test('fault 171, bitcoin: a provider that is not reached has no secret, so that the script is judged', async () => {
  await cosignHtlc(effect, contextOf(notReached));
  expect([calls, answers, wasAsked(partials, coin, 'claim')]).toEqual([1, ['provider.claim-withheld'], false]);
  expect(await goesOutLate()).toBe(false);
});

test('fault 171, bitcoin: that it was not reached stands in every copy, and it is not tried again', async () => {
  const [path, outside] = [join(newFolder(), 'partials'), join(newFolder(), 'a.partials')];
  partials = notesAt(path);
  await partials.alsoAt(() => [outside], turns());
  await cosignHtlc(effect, contextOf(notReached));
  // A restart, a folder that was lost, and one without the place outside of it.
  const [restarted, copy, alone] = [notesAt(path), notesAt(join(newFolder(), 'partials')), notesAt(path)];
  await restarted.alsoAt(() => [outside], turns());
  await copy.alsoAt(() => [outside], turns());
  for (const notes of [restarted, copy, alone]) {
    answers = [];
    partials = notes;
    await cosignHtlc(effect, contextOf());
    expect([calls, answers, wasAsked(notes, coin, 'claim')]).toEqual([1, ['provider.claim-withheld'], false]);
    expect([notes.all(), await goesOutLate()]).toEqual([[], false]);
    isLate = false;
  }
});

test('fault 171, bitcoin: who did not answer has the secret, whether or not it is reached the next time', async () => {
  await cosignHtlc(
    effect,
    contextOf(() => Promise.reject(providerFailure('provider-away', 'ask-first', 'it breaks off'))),
  );
  await cosignHtlc(effect, contextOf(notReached));
  expect([calls, answers]).toEqual([2, ['provider.declined', 'provider.declined']]);
  expect([wasAsked(partials, coin, 'claim'), await goesOutLate()]).toEqual([true, true]);
});

test('fault 172, bitcoin: a note that one of its places did not take says of nobody that it was asked', async () => {
  const folder = newFolder();
  const outside = join(newFolder(), 'a.partials');
  const shut = join(folder, 'shut');
  writeFileSync(shut, '');
  let places: string[] = [];
  await partials.alsoAt(() => places, turns());
  places = [outside, join(shut, 'b.partials')];
  await cosignHtlc(effect, contextOf());
  expect([calls, answers]).toEqual([0, ['provider.claim-withheld']]);
  expect([wasAsked(partials, coin, 'claim'), await goesOutLate()]).toEqual([false, false]);
  const restarted = notesAt(null);
  await restarted.alsoAt(() => [outside], turns());
  expect(wasAsked(restarted, coin, 'claim')).toBe(false);
});

test('fault 172, bitcoin: a second note that is not whole takes back nothing of the first', async () => {
  await cosignHtlc(effect, contextOf());
  const shut = join(newFolder(), 'shut');
  writeFileSync(shut, '');
  let isShut = false;
  await partials.alsoAt(() => (isShut ? [join(shut, 'b.partials')] : []), turns());
  isShut = true;
  await cosignHtlc({ ...effect, leastRate: 9 }, contextOf());
  expect([calls, answers]).toEqual([1, ['provider.declined', 'provider.claim-withheld']]);
  expect([wasAsked(partials, coin, 'claim'), await goesOutLate()]).toEqual([true, true]);
});

test('fault 172, bitcoin: the last look comes right before the secret leaves, behind all other reading', async () => {
  // A source that hangs, or a machine that sleeps meanwhile.
  await cosignHtlc(
    effect,
    contextOf(no, () => {
      isLate = true;
    }),
  );
  expect([calls, answers, wasAsked(partials, coin, 'claim')]).toEqual([0, ['provider.claim-withheld'], false]);
});

const scriptNow = { bytes: new Uint8Array(3), spend: null };
const byScript = { do: 'onchain.broadcast', leg: 'bitcoin', txid: 'aa'.repeat(32), spends: coin } as never;

test('fault 295, bitcoin: a secret is noted, and in the bundle, before the provider is asked', async () => {
  let before: boolean[] = [];
  await cosignHtlc(
    effect,
    contextOf(() => {
      before = [...inBundle];
      return no();
    }),
  );
  expect([calls, before, inBundle]).toEqual([1, [true], [true]]);
});

test('fault 295, bitcoin: without room for the bundle nobody is asked, and nothing says that anybody was', async () => {
  isFull = true;
  await cosignHtlc(effect, contextOf());
  expect([calls, answers, inBundle]).toEqual([0, ['provider.claim-withheld'], [true, false]]);
  expect(wasAsked(partials, coin, 'claim')).toBe(false);
});

test('fault 295, bitcoin: a claim by the script is called shown in the bundle before it is sent', async () => {
  const context = contextOf() as unknown as OnchainContext;
  isFull = true;
  await expect(mayBeShown(byScript, onlyIf, scriptNow, context)).rejects.toThrow('the rescue bundle');
  expect([notes, inBundle]).toEqual([[], [true, false]]);
  isFull = false;
  expect(await mayBeShown(byScript, onlyIf, scriptNow, context)).toBe(true);
  expect([notes, inBundle]).toEqual([['noted'], [true, false, true]]);
  // From then on nothing holds it back, or gives it up.
  expect(await goesOutLate()).toBe(true);
});
