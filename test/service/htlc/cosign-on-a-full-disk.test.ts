import { hex } from '@scure/base';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { newNonce } from '../../../engine/legs/musig.ts';
import { htlcScript, type MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { jointKeyOf, readKeySpend, refundAsk } from '../../../engine/legs/onchain/key-spend.ts';
import { publicKeyOf, schnorrSign } from '../../../engine/legs/secp256k1.ts';
import type { Along } from '../../../engine/runtime/commit.ts';
import { refundInDoubt } from '../../../engine/runtime/networks/refund-in-doubt.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { cooperativeRefund } from '../../../engine/service/htlc/cosign.ts';
import { openStore } from '../../store/support.ts';
import { clocksAt, start } from '../../swap/cases.ts';
import { refundHeight } from '../../swap/cosign-cases.ts';
import { evmBitcoinTerms } from '../../swap/evm-bitcoin-cases.ts';

const user = new Uint8Array(32).fill(2);
const id = 'swap';
const amount = sats(100_000);
const terms: MusigHtlcTerms = {
  form: 'musig',
  hash: evmBitcoinTerms.htlc.hash,
  claimer: publicKeyOf(new Uint8Array(32).fill(1)),
  refunder: publicKeyOf(user),
  provider: 'claimer',
  sizeGuard: true,
  refundHeight,
};
const { pkScript } = htlcScript(terms);

const funding = new Transaction();
funding.version = 2;
funding.addInput(new Uint8Array(32).fill(7), 0);
funding.addOutput(pkScript, amount);

/** The client's request, before anything is given for its coin. */
function request() {
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(hex.decode(funding.getId()).reverse(), 0, 0xfffffffd);
  tx.addOutput(hex.decode(`0014${'33'.repeat(20)}`), 99_000n);
  const transaction = tx.toBuffer();
  const coin = { txid: funding.getId(), vout: 0, amount };
  const spend = readKeySpend(terms, coin, { transaction, index: 0, prevouts: [{ script: pkScript, amount }] });
  if (typeof spend === 'string') throw new Error(spend);
  const publicNonce = newNonce(jointKeyOf(terms), spend.sighash, user).shown;
  return { publicNonce, transaction, index: 0, signature: schnorrSign(refundAsk(spend), user) };
}

/** A node whose notes are written, and whose database takes nothing while its disk is full. */
function node() {
  const { store } = openStore();
  const disk = { isFull: true };
  const acts: string[] = [];
  const { note } = store.intents;
  store.intents.note = (...of) => {
    if (disk.isFull) throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
    note(...of);
  };
  const machine = { step: (_: unknown, progress: unknown) => ({ progress, effects: [] }), hash160: () => terms.hash };
  const entry = { row: { id, open: true, status: 'pending', terms: {}, progress: {} }, machine };
  const runtime = {
    store,
    workingSet: { find: () => entry },
    clock: { now: () => clocksAt(start) },
    commits: {
      deliver(_: string, { is }: { is: string }, { always }: Along = {}) {
        if (disk.isFull) return 'unsaved';
        always?.(store, start);
        acts.push(is);
        return 'moved';
      },
    },
    ports: {
      bitcoin: { glance: async () => ({ bytes: funding.toBuffer(), height: 1 }) },
      bitcoinWallet: {
        async cosignHtlc() {
          acts.push('signed');
          return { shown: new Uint8Array(66), partial: new Uint8Array(32) };
        },
      },
    },
  };
  const direction = { htlc: () => ({ terms, keyIndex: 3, latePayment: null }) };
  return { disk, acts, store, context: { runtime, directions: { of: () => direction } } as unknown as ServiceContext };
}

test('fault 204, bitcoin: a refund that no disk takes is not signed, and nothing is given from then on', async () => {
  const { disk, acts, store, context } = node();
  expect(await cooperativeRefund(context, id, request())).toMatchObject({ refusal: 'unavailable' });
  expect([acts, refundInDoubt(store, id) === null]).toEqual([[], false]);
  disk.isFull = false;
  expect(await cooperativeRefund(context, id, request())).toMatchObject({ partial: expect.any(Uint8Array) });
  expect([acts, store.intents.known('refund', terms.hash)]).toEqual([['cosign.given', 'signed'], true]);
});
