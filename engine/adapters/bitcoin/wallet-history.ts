import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { BitcoinWalletPort } from '../../legs/onchain/wallet-port.ts';
import { readRawTx, type RawTransaction } from '../../legs/raw-tx.ts';
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
      const change = new Set(
        Array.from({ length: indexes.taken('bitcoin-change') }, (_, index) =>
          toHex(placeOf('bitcoin-change', index).script),
        ),
      );
      const isOwn = ({ script }: { readonly script: Uint8Array }): boolean => change.has(toHex(script));
      const paid: Outpoint[] = [];
      const from = inOrder(await coinsNow()).filter(isChange);
      await walkBack(bitcoin, from, { since, most: mostOfAll }, (txid, { outputs }) => {
        // Nobody else pays to change: the others brought something in, and what they paid beside is not ours.
        if (!outputs.some(isOwn)) return 'no-further';
        for (const [vout, output] of outputs.entries()) if (!isOwn(output)) paid.push({ txid, vout });
        return 'on';
      });
      return paid;
    },
    async paymentTo(script, amount, since) {
      let payment: Outpoint | null = null;
      await walkBack(bitcoin, inOrder(await coinsNow()), { since, most: mostAsked }, (txid, { outputs }) => {
        const vout = outputs.findIndex((output) => output.amount === amount && sameBytes(output.script, script));
        if (vout < 0) return 'on';
        payment = { txid, vout };
        return 'end';
      });
      return payment;
    },
  };
}

/** What is paid from the wallet leaves change; a stranger's dust, wherever it lies, comes behind what is larger. */
function inOrder(coins: readonly Seen[]): readonly Seen[] {
  return coins.toSorted((a, b) => Number(isChange(b)) - Number(isChange(a)) || Number(b.amount - a.amount));
}

/**
 * Visits what made the coins, then what that spent, and so on, each once and none older than `since`; what a visit
 * answers says whether its own inputs come next.
 */
async function walkBack(
  bitcoin: Pick<BitcoinPort, 'transaction'>,
  coins: readonly Seen[],
  { since, most }: { readonly since: number; readonly most: number },
  visit: (txid: Txid, tx: RawTransaction) => 'on' | 'no-further' | 'end',
): Promise<void> {
  const looks = new Set<Txid>();
  let next = coins.map(({ outpoint }) => outpoint.txid);
  while (next.length > 0) {
    const before: Txid[] = [];
    for (const txid of next) {
      if (looks.has(txid) || looks.size >= most) continue;
      looks.add(txid);
      const entry = await bitcoin.transaction(txid);
      const tx = entry === null || (entry.height !== null && entry.height < since) ? null : readRawTx(entry.bytes);
      const answer = tx === null ? 'no-further' : visit(txid, tx);
      if (answer === 'end') return;
      if (answer === 'on') for (const input of tx?.inputs ?? []) before.push(input.txid);
    }
    next = before;
  }
}

function isChange({ key }: Seen): boolean {
  return key.branch === 'bitcoin-change';
}
