import { Address, OutScript, selectUTXO } from '@scure/btc-signer';
import { toHex } from '../../../../engine/domain/hex.ts';
import { outpointKey } from '../../../../engine/domain/outpoint.ts';
import { type Choice, worthSpending } from '../../../../engine/legs/onchain/select.ts';
import { changeWaste } from '../../../../engine/legs/onchain/size.ts';
import type { WalletCoin } from '../../../../engine/legs/onchain/wallet-port.ts';

/** More would make a transaction that no node relays. */
const mostInputs = 200;
/** The library counts in whole units a virtual byte: in thousandths of a sat its rates are as fine as ours. */
const fine = 1_000n;
/** Of the library's dust. */
const dustBytes = 182n;

const noName = new Uint8Array(32);

/**
 * The coins that `@scure/btc-signer` chooses: such as leave nothing worth a change output where there are any (`exact`), else as few as
 * possible. Null when all of them together do not suffice. What they pay is reckoned by whoever asked, and not here.
 */
export function chosenFrom(
  coins: readonly WalletCoin[],
  { outputs, own, rate, keep }: Choice,
): { readonly coins: readonly WalletCoin[]; readonly exact: boolean } | null {
  const worth = worthSpending(coins, rate, mostInputs - keep.length);
  const byName = new Map([...keep, ...worth].map((coin) => [outpointKey(coin.outpoint), coin]));
  const input = ({ outpoint, amount }: WalletCoin) => ({
    txid: outpoint.txid,
    index: outpoint.vout,
    witnessUtxo: { script: own, amount: amount * fine },
    tapInternalKey: own.slice(2),
  });
  const picked = selectUTXO(
    worth.map(input),
    outputs.map(({ script, amount }) => ({ script, amount: amount * fine })),
    'exactBiggest/accumBiggest',
    {
      feePerByte: BigInt(Math.ceil(rate * Number(fine))),
      changeAddress: Address().encode(OutScript.decode(own)),
      // What a choice may leave over without change, less than change would cost: the library takes it by the byte of its own dust.
      dustRelayFeeRate: (changeWaste(rate) * fine) / dustBytes,
      requiredInputs: keep.map(input),
      createTx: false,
      bip69: false,
      disableScriptCheck: true,
    },
  );
  if (picked === undefined) return null;
  const chosen = picked.inputs.map(({ txid = noName, index = 0 }) => {
    const coin = byName.get(outpointKey({ txid: toHex(txid), vout: index }));
    if (coin === undefined) throw new Error('a coin was chosen that nobody offered');
    return coin;
  });
  return { coins: chosen, exact: !picked.change };
}
