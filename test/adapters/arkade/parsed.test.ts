import { CSVMultisigTapscript, Transaction } from '@arkade-os/sdk';
import { base64 } from '@scure/base';
import { afterEach, expect, test, vi } from 'vitest';
import { accept, verifyCheckpoints, type OperatorReply } from '../../../engine/adapters/arkade/accepted.ts';
import { allInputs, prepare, signInputs } from '../../../engine/adapters/arkade/build.ts';
import { unpackPrepared } from '../../../engine/adapters/arkade/prepared.ts';
import { seconds } from '../../../engine/domain/time.ts';
import { sats } from '../../../engine/domain/money.ts';
import { hash160, vhtlcScriptOf } from '../../../engine/legs/arkade/script.ts';
import { xOnlyKeyOf } from '../../../engine/legs/secp256k1.ts';
import { delaySequence } from '../../../engine/legs/tapscript.ts';

const secret = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const [receiver, operator] = [secret(2), secret(3)];
const preimage = secret(7);
const unroll = CSVMultisigTapscript.encode({
  timelock: { type: 'seconds', value: 1_024n },
  pubkeys: [xOnlyKeyOf(operator)],
});

/** A claim of one coin; another `vout` is another claim. */
function claim(vout: number) {
  const script = vhtlcScriptOf({
    sender: xOnlyKeyOf(secret(1)),
    receiver: xOnlyKeyOf(receiver),
    operator: xOnlyKeyOf(operator),
    hash: hash160(preimage),
    locktime: 1_800_000_000,
    claimSequence: delaySequence(seconds(512)),
    refundSequence: delaySequence(seconds(1_024)),
    refundWithoutReceiverSequence: delaySequence(seconds(2_048)),
  });
  const coin = { outpoint: { txid: 'ab'.repeat(32), vout }, amount: sats(5_000) };
  const { bytes } = prepare({
    inputs: [
      { coin, script: script.pkScript, leaf: script.leaf.claim, tapTree: script.tapTree, condition: [preimage] },
    ],
    outputs: [{ script: script.pkScript, amount: 5_000n }],
    unroll,
    key: { branch: 'swap', index: 1 },
    secret: receiver,
  });
  return unpackPrepared(bytes);
}

/** As the operator signs what it was shown; `key`: by another one. */
function reply({ txid, arkTx, bare }: ReturnType<typeof claim>, key = operator): OperatorReply {
  const signed = (bytes: Uint8Array, by: Uint8Array): string => {
    const tx = Transaction.fromPSBT(bytes);
    signInputs(tx, by, allInputs(tx));
    return base64.encode(tx.toPSBT());
  };
  return { arkTxid: txid, finalArkTx: signed(arkTx, operator), signedCheckpointTxs: bare.map((tx) => signed(tx, key)) };
}

afterEach(() => vi.restoreAllMocks());

test('a claim is parsed once for all that judge it: seven times from its answer until it is final', () => {
  const prepared = claim(0);
  const answer = reply(prepared);
  const parses = vi.spyOn(Transaction, 'fromPSBT');
  const accepted = unpackPrepared(accept(prepared, answer));
  const submitted = parses.mock.calls.length;
  verifyCheckpoints(accepted, accepted.accepted ?? []);
  expect({ submitted, final: parses.mock.calls.length - submitted }).toEqual({ submitted: 7, final: 0 });
});

test('what is parsed already is judged all the same, by the bytes that are sent', () => {
  const prepared = claim(1);
  const accepted = unpackPrepared(accept(prepared, reply(prepared)));
  const good = accepted.accepted ?? [];
  verifyCheckpoints(accepted, good);
  for (const bad of [[], prepared.signed, prepared.bare, claim(2).signed])
    expect(() => verifyCheckpoints(accepted, bad)).toThrow(expect.objectContaining({ code: 'checkpoint-unsigned' }));
  expect(() => accept(prepared, reply(prepared, secret(4)))).toThrow();
  expect(() => accept(prepared, reply(claim(2)))).toThrow(expect.objectContaining({ code: 'operator-mismatch' }));
  verifyCheckpoints(accepted, good);
});
