import { describe, expect, test } from 'vitest';
import { base64, hex } from '@scure/base';
import { Script, SigHash } from '@scure/btc-signer';
import { asHash160, asXOnly } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { proofMessage, toSpendTxid } from '../../../engine/legs/arkade/intent.ts';
import { arkTxid, checkpointOf } from '../../../engine/legs/arkade/offchain.ts';
import type { Prevout, Tx } from '../../../engine/legs/psbt.ts';
import { conditionItems, outpointOf, prevoutsOf, readTx, signedBy, tapTreeFields } from '../../../engine/legs/psbt.ts';
import { decodeTapTree, tapScript } from '../../../engine/legs/tapscript.ts';
import { hash160 } from '../../../engine/legs/arkade/script.ts';
import { preimageIn } from '../../../engine/legs/arkade/spend.ts';
import recorded from './arkd-recorded.json' with { type: 'json' };

function tx(text: string): Tx {
  const read = readTx(base64.decode(text));
  if (!read) throw new Error('not a transaction');
  return read;
}

/** Keys are the 32-byte pushes of a leaf. */
function keysOf(script: Uint8Array): Uint8Array[] {
  return Script.decode(script).filter((part): part is Uint8Array => part instanceof Uint8Array && part.length === 32);
}

describe('what a real operator accepted (arkd v0.9.15)', () => {
  const { request, response } = recorded.claim;
  const arkTx = tx(request.signedArkTx);
  const final = tx(response.finalArkTx);
  const signer = asXOnly(hex.decode(recorded.signerPubkey).subarray(1));

  test('has the ids that we rebuild from the coins alone, and signatures that tampering breaks', () => {
    const checkpoints = request.checkpointTxs.map(tx);
    const signed = new Map(response.signedCheckpointTxs.map(tx).map((each) => [each.id, each]));
    const prevouts = prevoutsOf(arkTx) as Prevout[];
    const rebuilt = checkpoints.map((bare) => {
      const order = Array.from({ length: arkTx.inputsLength }, (_, i) => i).find(
        (i) => outpointOf(arkTx, i)?.txid === bare.id,
      ) as number;
      const [unroll, leafScript] = decodeTapTree(tapTreeFields(arkTx, order)[0] as Uint8Array) as [
        Uint8Array,
        Uint8Array,
      ];
      const spent = bare.getInput(0).witnessUtxo as Prevout;
      const coinTree = tapScript(decodeTapTree(tapTreeFields(bare, 0)[0] as Uint8Array) as Uint8Array[]);
      const coinLeaf = coinTree.leaves.find(({ script }) => hex.encode(script) === hex.encode(leafScript));
      const checkpoint = checkpointOf(
        { ...(outpointOf(bare, 0) as { txid: string; vout: number }), amount: sats(spent.amount) },
        leafScript,
        unroll,
        0,
      );
      const owners = keysOf(leafScript);
      const wrongAmount = prevouts.map((prevout) => ({ ...prevout, amount: prevout.amount + 1n }));
      return {
        id: checkpoint.txid === bare.id,
        coin: hex.encode(coinTree.pkScript) === hex.encode(spent.script),
        arkSigned: owners.every((key) => signedBy(final, order, prevouts, checkpoint.leaf, key, [SigHash.DEFAULT])),
        tampered: owners.some((key) => signedBy(final, order, wrongAmount, checkpoint.leaf, key, [SigHash.DEFAULT])),
        otherSighash: owners.some((key) => signedBy(final, order, prevouts, checkpoint.leaf, key, [SigHash.ALL])),
        operatorSigned:
          coinLeaf !== undefined &&
          signedBy(signed.get(bare.id) as Tx, 0, [spent], coinLeaf, signer, [SigHash.DEFAULT]),
      };
    });
    const outputs = Array.from({ length: arkTx.outputsLength - 1 }, (_, i) => arkTx.getOutput(i) as Prevout);
    const inputs = Array.from(
      { length: arkTx.inputsLength },
      (_, i) => (outpointOf(arkTx, i) as { txid: string }).txid,
    );
    const good = { id: true, coin: true, arkSigned: true, tampered: false, otherSighash: false, operatorSigned: true };
    expect([rebuilt, arkTxid(inputs, outputs, 0)]).toEqual([[good, good], response.arkTxid]);
  });

  test('gives its preimage to whoever looks for the hash', () => {
    const [preimage] = conditionItems(arkTx, 0);
    const [secret, none] = [hash160(preimage as Uint8Array), asHash160(new Uint8Array(20))].map((hash) =>
      preimageIn(hash, base64.decode(response.finalArkTx)),
    );
    expect([secret, none]).toEqual([preimage, null]);
  });

  test('has intent proofs whose input 0 is the toSpend that we compute and whose message is in field 0x09', () => {
    const shown = recorded.proofs.map(({ proof, message }) => {
      const read = tx(proof);
      return [
        outpointOf(read, 0)?.txid === toSpendTxid(message, (read.getInput(0).witnessUtxo as Prevout).script),
        proofMessage(read) === message,
      ];
    });
    expect(shown).toEqual(recorded.proofs.map(() => [true, true]));
  });
});
