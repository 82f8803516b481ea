import { randomBytes } from 'node:crypto';
import { ArkAddress, Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { toHex } from '../../../domain/hex.ts';
import { type Sats } from '../../../domain/money.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { badRequest } from './errors.ts';
import { anchorScript, printPsbt } from './psbt.ts';
import { settledCoin } from './record-batch.ts';
import { schnorrSign } from './schnorr.ts';
import type { OperatorState } from './state.ts';

/**
 * Pays out of thin air: a settled coin with a fresh expiry, as a batch would have made it. Its transaction is real and
 * can be unrolled; the commitment that it spends nobody ever made.
 */
export function faucet(state: OperatorState, address: string, amount: Sats): Outpoint {
  const pkScript = scriptOf(state, address);
  if (amount < BigInt(state.settings.dust))
    throw badRequest(`the faucet pays at least ${state.settings.dust} sats, not ${amount}`);
  const now = state.clock.now();
  const commitmentTxid = toHex(randomBytes(32));
  const leaf = leafTx(state, commitmentTxid, pkScript, amount);
  const expiresAt = now + state.settings.vtxoExpiry;
  const paid = state.journal.atomically(() => {
    state.txs.putVirtual(leaf.id, printPsbt(leaf));
    return state.coins.add(
      settledCoin({
        txid: leaf.id,
        vout: 0,
        amount,
        script: toHex(pkScript),
        createdAt: now,
        expiresAt,
        commitmentTxid,
      }),
    );
  });
  state.scripts.publish({ txid: commitmentTxid, newVtxos: [paid], spentVtxos: [], tx: '', checkpointTxs: {} });
  return { txid: paid.txid, vout: paid.vout };
}

function scriptOf(state: OperatorState, address: string): Uint8Array {
  let decoded: ArkAddress;
  try {
    decoded = ArkAddress.decode(address);
  } catch {
    throw badRequest(`not an Arkade address: ${address}`);
  }
  if (state.signers.own([decoded.serverPubKey]) === undefined)
    throw badRequest('the address belongs to another operator');
  return decoded.pkScript;
}

function leafTx(state: OperatorState, commitmentTxid: string, script: Uint8Array, amount: Sats): Transaction {
  const { script: owned, outputSecret } = state.keys.wallet;
  const prevout = { script: owned, amount };
  const tx = new Transaction({ version: 3 });
  tx.addInput({ txid: commitmentTxid, index: 0, witnessUtxo: prevout });
  tx.addOutput({ script, amount });
  tx.addOutput({ script: anchorScript, amount: 0n });
  const message = tx.preimageWitnessV1(0, [prevout.script], SigHash.DEFAULT, [prevout.amount]);
  tx.updateInput(0, { tapKeySig: schnorrSign(message, outputSecret) }, true);
  return tx;
}
