import { randomBytes } from 'node:crypto';
import { ArkAddress, Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { toHex } from '../../../domain/hex.ts';
import { type Sats } from '../../../domain/money.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { badRequest } from './errors.ts';
import { type Output, anchorScript, printPsbt } from './psbt.ts';
import { settledCoin } from './coins.ts';
import { schnorrSign } from './schnorr.ts';
import type { OperatorState } from './state.ts';

/** A coin on the chain that pays the operator's own wallet. */
export interface WalletCoin extends Outpoint {
  readonly amount: Sats;
}

/** The coin, and the transaction that it hangs on, raw hex. */
export interface Paid extends Outpoint {
  readonly commitment: string;
}

/**
 * Pays out of thin air: a settled coin with a fresh expiry, as a batch would have made it. Its transaction is real and
 * can be unrolled, and so is the commitment that it spends, which the next block takes; what that one spends nobody
 * ever made, unless a coin of the operator's wallet is given: then any chain takes it, with what is over as its fee.
 */
export function faucet(state: OperatorState, address: string, amount: Sats, from?: WalletCoin): Paid {
  const pkScript = scriptOf(state, address);
  if (amount < BigInt(state.settings.dust))
    throw badRequest(`the faucet pays at least ${state.settings.dust} sats, not ${amount}`);
  if (from !== undefined && from.amount < amount)
    throw badRequest(`a coin of ${from.amount} sats does not pay for one of ${amount}`);
  const now = state.clock.now();
  const { script } = state.keys.wallet;
  const spent = from ?? { txid: toHex(randomBytes(32)), vout: 0, amount };
  const commitment = paying(state, 2, spent, [{ script, amount }]);
  const commitmentTxid = commitment.id;
  const leaf = paying(state, 3, { txid: commitmentTxid, vout: 0, amount }, [
    { script: pkScript, amount },
    { script: anchorScript, amount: 0n },
  ]);
  const raw = rawOf(commitment);
  const expiresAt = now + state.settings.vtxoExpiry;
  const paid = state.journal.atomically(() => {
    state.chain?.include([raw]);
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
  return { txid: paid.txid, vout: paid.vout, commitment: toHex(raw) };
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

/** Out of a coin of the operator's own wallet, signed by its key path. */
function paying(state: OperatorState, version: number, from: WalletCoin, outputs: readonly Output[]): Transaction {
  const { script, outputSecret } = state.keys.wallet;
  const prevout = { script, amount: from.amount };
  const tx = new Transaction({ version });
  tx.addInput({ txid: from.txid, index: from.vout, witnessUtxo: prevout });
  for (const output of outputs) tx.addOutput({ ...output });
  const message = tx.preimageWitnessV1(0, [prevout.script], SigHash.DEFAULT, [prevout.amount]);
  tx.updateInput(0, { tapKeySig: schnorrSign(message, outputSecret) }, true);
  return tx;
}

function rawOf(tx: Transaction): Uint8Array {
  const copy = Transaction.fromPSBT(tx.toPSBT());
  copy.finalize();
  return copy.extract();
}
