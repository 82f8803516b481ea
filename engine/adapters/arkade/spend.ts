import type { KeyRef } from '../../legs/signer.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { PreparedArkTx } from '../../legs/arkade/transaction.ts';
import { inputTotal, type SpendInput } from './build.ts';
import { exitOf, ownScript, sweepOf } from './exit.ts';
import type { ArkadeOptions } from './operator.ts';
import { turns } from './turns.ts';
import { partySecret, requirePreimage, vhtlcInputs } from './vhtlc.ts';
import { prepareFor, type OwnWallet } from './wallet.ts';
import { sweepInput, walletKey } from './wallet-scripts.ts';

/**
 * Claims and refunds of a VHTLC, at the operator or on the chain, and the wallet's way home from there; nothing is
 * sent.
 */
export function createSpends(
  options: ArkadeOptions,
  wallet: OwnWallet,
): Pick<ArkadePort, 'prepareClaim' | 'prepareRefund' | 'prepareExit' | 'prepareSweep'> {
  const { keys } = options;

  async function spend(
    inputs: readonly SpendInput[],
    by: { readonly key: KeyRef; readonly secret: Uint8Array },
    to: Uint8Array | undefined,
  ): Promise<PreparedArkTx> {
    const { settings, present } = await wallet.scripts();
    const outputs = [{ script: to ?? present.tap.pkScript, amount: inputTotal(inputs) }];
    return turns.first(() => prepareFor(present, { inputs, outputs, unroll: settings.unroll, ...by }));
  }

  return {
    async prepareClaim({ terms, key, coins, preimage, to }) {
      const secret = partySecret(options, terms, key, 'receiver');
      return spend(vhtlcInputs(terms, 'claim', coins, requirePreimage(terms, preimage)), { key, secret }, to);
    },

    async prepareRefund({ terms, key, coins, to }) {
      const secret = partySecret(options, terms, key, 'sender');
      return spend(vhtlcInputs(terms, 'refund-without-receiver', coins), { key, secret }, to);
    },

    async prepareExit({ terms, key, coin, purpose, preimage, to, feeRate, mostFee }) {
      const claim = purpose === 'claim';
      return exitOf({
        terms,
        coin,
        to: to ?? ownScript(keys(walletKey)),
        feeRate,
        secret: partySecret(options, terms, key, claim ? 'receiver' : 'sender'),
        ...(mostFee === undefined ? {} : { mostFee }),
        ...(claim ? { preimage: requirePreimage(terms, preimage) } : {}),
      });
    },

    async prepareSweep({ coins, to, feeRate }) {
      return sweepOf({
        inputs: coins.map((coin) => sweepInput(options, coin)),
        to: to ?? ownScript(keys(walletKey)),
        feeRate,
        secret: keys(walletKey),
      });
    },
  };
}
