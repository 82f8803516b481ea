import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { BitcoinWalletPort } from '../../legs/onchain/wallet-port.ts';
import { readRawTx } from '../../legs/raw-tx.ts';
import type { BitcoinWalletOptions, WalletCoins } from './wallet-coins.ts';
import type { Seen } from './wallet-rewards.ts';

/**
 * Transactions that are asked for, back from the wallet's coins, until a payment is found: among them are those of
 * whoever paid the wallet.
 */
const mostAsked = 200;
/** The same until all payments of a week are found. */
const mostOfAll = 1_000;

/** What the wallet paid in a time that nobody remembers. */
export function walletHistory(
  bitcoin: Pick<BitcoinPort, 'transaction'>,
  { indexes, placeOf, coinsNow }: Pick<BitcoinWalletOptions, 'indexes'> & Pick<WalletCoins, 'placeOf' | 'coinsNow'>,
): Pick<BitcoinWalletPort, 'paymentTo' | 'paidOut'> {
  return {
    async paidOut(since) {
      const coins = await coinsNow();
      const change = new Set(
        Array.from({ length: indexes.taken('bitcoin-change') }, (_, index) =>
          toHex(placeOf('bitcoin-change', index).script),
        ),
      );
      const looks = new Set<Txid>();
      const paid: Outpoint[] = [];
      let next = coins.filter(isChange).map(({ outpoint }) => outpoint.txid);
      while (next.length > 0) {
        const before: Txid[] = [];
        for (const txid of next) {
          if (looks.has(txid) || looks.size >= mostOfAll) continue;
          looks.add(txid);
          const entry = await bitcoin.transaction(txid);
          const tx = entry === null || (entry.height !== null && entry.height < since) ? null : readRawTx(entry.bytes);
          // Nobody else pays to change: the others brought something in, and what they paid beside is not ours.
          if (tx === null || !tx.outputs.some(({ script }) => change.has(toHex(script)))) continue;
          tx.outputs.forEach(({ script }, vout) => {
            if (!change.has(toHex(script))) paid.push({ txid, vout });
          });
          for (const input of tx.inputs) before.push(input.txid);
        }
        next = before;
      }
      return paid;
    },
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
