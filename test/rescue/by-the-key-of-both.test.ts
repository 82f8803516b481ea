import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { expect, test, vi } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { height, unix } from '../../engine/domain/time.ts';
import { newNonce } from '../../engine/legs/musig.ts';
import { htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { buildJointSpend, withJointSignature } from '../../engine/legs/onchain/joint-spend.ts';
import { jointKeyOf } from '../../engine/legs/onchain/key-spend.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import type { RescueLeg } from '../../engine/legs/rescue.ts';
import { bitcoinHand } from '../../engine/rescue/bitcoin.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { createPartialNotes, type PartialNote } from '../../engine/store/partial-notes.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { preimage } from '../swap/cases.ts';
import { deal } from '../taker/bitcoin-lightning-cases.ts';
import { takerSeed } from '../taker/pair.ts';
import { startTogether } from '../taker/together.ts';
import { bundleIn, runRescue } from './rescuer.ts';

/* A coin that was taken by the key of both is whose the note of our signature says, whatever the bundle knew. */

vi.setConfig({ testTimeout: 120_000 });

const terms = deal.source.htlc as MusigHtlcTerms;
const { amount } = deal.source;
const payment = new Transaction();
payment.addInput(new Uint8Array(32).fill(7), 0);
payment.addOutput(htlcScript(terms).pkScript, amount);
const coin = { txid: payment.getId(), vout: 0 };
const leg = {
  ...{ on: 'bitcoin', terms, coin, amount, since: 100 },
  key: { branch: 'taker', index: 0 },
} as Extract<RescueLeg, { on: 'bitcoin' }>;

function spent() {
  const to = Uint8Array.of(0, 20, ...new Uint8Array(20));
  const built = buildJointSpend(terms, { coin: { ...coin, amount }, to, feeRate: 3, mostFee: sats(9_000) });
  if (built === null) throw new Error('it is worth its fee');
  const { spend } = built;
  const secrets = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
  const nonces = secrets.map((secret) => newNonce(jointKeyOf(terms), spend.sighash, secret));
  const half = nonces[1]!.sign(nonces[0]!.shown, secrets[1])!.partial;
  const signature = nonces[0]!.sign(nonces[1]!.shown, secrets[0])!.join(half);
  if (signature === null) throw new Error('it is signed');
  return { spend, bytes: withJointSignature(spend, signature) };
}
const { spend, bytes } = spent();

/** The chain, at so many blocks above the spend; null while nothing spends the coin. */
function chain(depth: number | null): Ports {
  const bitcoin: Partial<BitcoinPort> = {
    tip: async () => ({ hash: 'aa'.repeat(32), height: height(9_000), mtp: unix(1), time: unix(1) }),
    coins: async () => (depth === null ? [{ outpoint: coin, amount, height: 190, script: new Uint8Array() }] : []),
    payments: async () => ({ payments: [], over: true }),
    transaction: async (txid) =>
      txid === coin.txid ? { bytes: payment.toBuffer(), height: 190 } : { bytes, height: 9_001 - (depth ?? 0) },
    spend: async () => (depth === null ? null : { txid: spend.txid, height: 9_001 - depth }),
  };
  return { bitcoin, bitcoinWallet: {} } as unknown as Ports;
}

function notesOf(...notes: readonly Partial<PartialNote>[]) {
  const partials = createPartialNotes({ path: null, sealer: createSealer(new Uint8Array(32)) });
  const note = { subject: 'ours', coin, purpose: 'claim', own: false, ...spend, preimage } as const;
  for (const one of notes) void partials.note({ ...note, ...one });
  return partials;
}

const look = async (depth: number, ...notes: readonly Partial<PartialNote>[]) =>
  (await bitcoinHand(chain(depth), 'regtest', notesOf(...notes)).look(leg, 'refund')).state;

test('it is claimed, or refunded, as our signature on it was noted', async () => {
  expect([await look(1, {}), await look(9, {})]).toEqual([
    { is: 'claimed', secret: preimage, final: false },
    { is: 'claimed', secret: preimage, final: true },
  ]);
  expect(await look(9, { purpose: 'refund', own: true, preimage: null })).toEqual({ is: 'refunded', final: true });
});

test('without a note it is nobody’s by its looks, which is said, and what helps', async () => {
  const reason = expect.stringMatching(/by the key of both sides, and nothing beside the bundle .* file partials/);
  expect(await look(9)).toEqual({ is: 'unclear', reason });
  expect(await look(9, { outputs: new Uint8Array(32) })).toEqual({ is: 'unclear', reason });
});

test('a coin that lies there and was signed for to the other side is not taken back by hand', async () => {
  const done = await bitcoinHand(chain(null), 'regtest', notesOf({})).take(leg, null);
  expect(done).toEqual({ is: 'failed', sentence: expect.stringMatching(/gave it to the other side/) });
});

test('a client whose bundle is older than its signature has nothing to bring home', async () => {
  const swaps = await startTogether({ bundle: true });
  const { pair } = swaps;
  const { id, coin: paid, release } = await swaps.sell();
  await swaps.minedUntil(id, 'funded');
  const { folder, nextFolder } = pair.taker;
  const isKept = () => {
    const [entry] = bundleIn(folder, takerSeed).swaps;
    return entry?.refund?.on === 'bitcoin' && entry.refund.coin !== null;
  };
  await expect.poll(isKept, { timeout: 30_000 }).toBe(true);
  const older = readFileSync(join(folder, bundleName));
  release('settles');
  await swaps.minedUntil(id, 'claimed');
  await expect.poll(() => swaps.spentBy(id, paid), { timeout: 30_000 }).toBe('key');
  await pair.world.mine(8);
  await pair.taker.kill();
  const left = { world: pair.world, folder: nextFolder, seed: takerSeed };
  writeFileSync(join(nextFolder, bundleName), older);
  const blind = await runRescue(left, true, { withoutNotes: true });
  expect([blind.outcome, blind.lines.join('\n')]).toEqual([
    'later',
    expect.stringMatching(/nothing beside the bundle/),
  ]);
  writeFileSync(join(nextFolder, bundleName), older);
  const read = await runRescue(left);
  expect([read.outcome, read.lines.join('\n')]).toEqual(['done', expect.stringMatching(/nothing is to be claimed/)]);
  await pair.restartTaker();
  await pair.stop();
});
