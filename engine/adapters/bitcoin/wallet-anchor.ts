import { toHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { buildExitChild, planExitChild, type FeeCoin } from '../../legs/arkade/exit-child.ts';
import type { BitcoinWalletPort } from '../../legs/onchain/wallet-port.ts';
import { readTx } from '../../legs/psbt.ts';
import { keyPathSecret, schnorrSign } from '../../legs/secp256k1.ts';
import type { BitcoinWalletOptions, Place, WalletBranch, WalletCoins } from './wallet-coins.ts';

type OwnCoin = FeeCoin & { readonly key: Place['key'] };

const branches: readonly WalletBranch[] = ['bitcoin-deposit', 'bitcoin-change'];

/** What pays for transactions that bring coins from Arkade to the chain: they pay nothing themselves. */
export function walletAnchors(
  { bitcoin, keys, indexes }: Pick<BitcoinWalletOptions, 'bitcoin' | 'keys' | 'indexes'>,
  { placeOf, coinsNow, unpaid }: WalletCoins,
): Pick<BitcoinWalletPort, 'prepareAnchorChild'> {
  /** Coins that a child of ours spends in the mempool, and that no list shows any more; null where one is not ours, or not shown. */
  async function spentCoins(outpoints: readonly Outpoint[]): Promise<OwnCoin[] | null> {
    const places = branches.flatMap((branch) =>
      Array.from({ length: indexes.taken(branch) }, (_, index) => placeOf(branch, index)),
    );
    const keyOf = new Map(places.map(({ script, key }) => [toHex(script), key]));
    const coins: OwnCoin[] = [];
    for (const outpoint of outpoints) {
      const bytes = (await bitcoin.transaction(outpoint.txid))?.bytes;
      const { script, amount } = (bytes && readTx(bytes)?.getOutput(outpoint.vout)) ?? {};
      const key = script === undefined ? undefined : keyOf.get(toHex(script));
      if (script === undefined || amount === undefined || key === undefined) return null;
      coins.push({ outpoint, amount: sats(amount), script, key });
    }
    return coins;
  }

  function sign({ key }: OwnCoin, message: Uint8Array): Uint8Array {
    const secret = keys(key);
    const output = keyPathSecret(secret);
    secret.fill(0);
    const signature = schnorrSign(message, output);
    output.fill(0);
    return signature;
  }

  return {
    async prepareAnchorChild({ parent, reserved, replaces, rate, mostFee }) {
      const tx = readTx(parent);
      if (tx === null) throw new RangeError('what a child is to pay for is no transaction');
      const promised = new Set(reserved.map(outpointKey));
      const keep = replaces === null ? [] : await spentCoins(replaces.coins);
      if (keep === null) return null;
      // Only what is confirmed: a version 3 child has one unconfirmed parent at most (BIP 431).
      const free = (await coinsNow()).filter(
        ({ height, outpoint }) => height !== null && !promised.has(outpointKey(outpoint)),
      );
      const coins = free.flatMap(({ outpoint, amount, key }): OwnCoin[] =>
        key.branch === 'bitcoin-deposit' || key.branch === 'bitcoin-change'
          ? [
              {
                outpoint,
                amount,
                key: { branch: key.branch, index: key.index },
                script: placeOf(key.branch, key.index).script,
              },
            ]
          : [],
      );
      const { script: to } = await unpaid();
      const plan = planExitChild({ parent: tx, coins, keep, to, rate, mostFee, replaces: replaces?.fee ?? null });
      if (plan === null) return null;
      return {
        ...buildExitChild(plan, to, sign),
        fee: plan.fee,
        rate: plan.rate,
        capped: plan.capped,
        coins: plan.coins.map(({ outpoint }) => outpoint),
      };
    },
  };
}
