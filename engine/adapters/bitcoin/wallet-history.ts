import { sameBytes } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { BitcoinWalletPort } from '../../legs/onchain/wallet-port.ts';
import { readRawTx } from '../../legs/raw-tx.ts';
import type { WalletCoins } from './wallet-coins.ts';
import type { Seen } from './wallet-rewards.ts';

/**
 * Transactions that are asked for, back from the wallet's coins, until a payment is found: among them are those of
 * whoever paid the wallet.
 */
const mostAsked = 200;

/** What the wallet paid in a time that nobody remembers. */
export function walletHistory(
  bitcoin: Pick<BitcoinPort, 'transaction'>,
  { coinsNow }: Pick<WalletCoins, 'coinsNow'>,
): Pick<BitcoinWalletPort, 'paymentTo'> {
  return {
    async paymentTo(script, amount, since) {
      const looks = new Set<Txid>();
      // What is paid from the wallet leaves change; a stranger's dust, wherever it lies, comes behind what is larger.
      let next = (await coinsNow())
        .toSorted((a, b) => Number(isChange(b)) - Number(isChange(a)) || Number(b.amount - a.amount))
        .map(({ outpoint }) => outpoint.txid);
      while (next.length > 0) {
        const before: Txid[] = [];
        for (const txid of next) {
          if (looks.has(txid) || looks.size >= mostAsked) continue;
          looks.add(txid);
          const entry = await bitcoin.transaction(txid);
          const tx = entry === null || (entry.height !== null && entry.height < since) ? null : readRawTx(entry.bytes);
          if (tx === null) continue;
          const vout = tx.outputs.findIndex((output) => output.amount === amount && sameBytes(output.script, script));
          if (vout >= 0) return { txid, vout };
          for (const input of tx.inputs) before.push(input.txid);
        }
        next = before;
      }
      return null;
    },
  };
}

function isChange({ key }: Seen): boolean {
  return key.branch === 'bitcoin-change';
}
