import { toHex } from '../../domain/hex.ts';
import { less, plus, noSats } from '../../domain/money.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { buildExitChild, planExitChild, type FeeCoin } from '../../legs/arkade/exit-child.ts';
import { planFeeSplit } from '../../legs/arkade/fee-split.ts';
import type { BitcoinWalletPort } from '../../legs/onchain/wallet-port.ts';
import { readTx } from '../../legs/psbt.ts';
import { outputAt, readRawTx } from '../../legs/raw-tx.ts';
import { keyPathSecret, schnorrSign } from '../../legs/secp256k1.ts';
import { sequences, signSend } from './sign-send.ts';
import type { BitcoinWalletOptions, Place, WalletBranch, WalletCoins } from './wallet-coins.ts';
import type { JudgedCoin, Seen } from './wallet-rewards.ts';

type OwnCoin = FeeCoin & { readonly key: Place['key'] };

const branches: readonly WalletBranch[] = ['bitcoin-deposit', 'bitcoin-change'];
/** From this many times its rate on, a higher one is worth a new split. */
const worthRaising = 1.25;

/** What children are made with. */
interface Anchors {
  readonly bitcoin: Pick<BitcoinWalletOptions, 'bitcoin' | 'keys' | 'indexes'>['bitcoin'];
  readonly keys: Pick<BitcoinWalletOptions, 'bitcoin' | 'keys' | 'indexes'>['keys'];
  readonly indexes: Pick<BitcoinWalletOptions, 'bitcoin' | 'keys' | 'indexes'>['indexes'];
  readonly placeOf: WalletCoins['placeOf'];
}

/** What pays for transactions that bring coins from Arkade to the chain: they pay nothing themselves. */
export function walletAnchors(
  { bitcoin, keys, indexes }: Pick<BitcoinWalletOptions, 'bitcoin' | 'keys' | 'indexes'>,
  { placeOf, judgedNow, unpaid }: WalletCoins,
): Pick<BitcoinWalletPort, 'prepareAnchorChild' | 'prepareFeeSplit'> {
  const own: Anchors = { bitcoin, keys, indexes, placeOf };

  return {
    async prepareAnchorChild({ parent, reserved, replaces, rate, mostFee }) {
      const tx = readTx(parent);
      if (tx === null) throw new RangeError('what a child is to pay for is no transaction');
      const keep = replaces === null ? [] : await spentCoins(own, replaces.coins);
      if (keep === null) return null;
      const coins = confirmed(own, await judgedNow(), reserved);
      const { script: to } = await unpaid();
      const plan = planExitChild({ parent: tx, coins, keep, to, rate, mostFee, replaces: replaces?.fee ?? null });
      if (plan === null) return null;
      return {
        ...buildExitChild(plan, to, (one, message) => sign(own, one, message)),
        fee: plan.fee,
        rate: plan.rate,
        capped: plan.capped,
        coins: plan.coins.map(({ outpoint }) => outpoint),
      };
    },
    async prepareFeeSplit({ reserved, ...ask }) {
      const all = await judgedNow();
      const waits = await waitingSplit(own, all);
      if (waits !== null && ask.rate < waits.rate * worthRaising) return null;
      const { script: to } = placeOf('bitcoin-change', indexes.taken('bitcoin-change'));
      const plan = planFeeSplit({
        ...ask,
        coins: waits === null ? confirmed(own, all, reserved) : [waits.coin],
        to,
        replaces: waits?.fee ?? null,
      });
      if (plan === null) return null;
      const { coin, pieces, fee } = plan;
      const outputs = pieces.map((amount) => ({
        script: placeOf('bitcoin-change', indexes.take('bitcoin-change', 0)).script,
        amount,
      }));
      const { txid, bytes } = signSend(keys, { coins: [coin], outputs, sequence: sequences.replaceable });
      return { txid, bytes, coins: [coin.outpoint], fee, pieces: pieces.length, replaces: waits?.txid ?? null };
    },
  };
}

/**
 * Coins that a transaction of ours spends in the mempool, and that no list shows any more; null where one is not
 * ours, or not shown.
 */
async function spentCoins(
  { bitcoin, indexes, placeOf }: Anchors,
  outpoints: readonly Outpoint[],
): Promise<OwnCoin[] | null> {
  const places = branches.flatMap((branch) =>
    Array.from({ length: indexes.taken(branch) }, (_, index) => placeOf(branch, index)),
  );
  const keyOf = new Map(places.map(({ script, key }) => [toHex(script), key]));
  const coins: OwnCoin[] = [];
  for (const outpoint of outpoints) {
    const bytes = (await bitcoin.transaction(outpoint.txid))?.bytes;
    const { script, amount } = (bytes && outputAt(readRawTx(bytes), outpoint.vout)) ?? {};
    const key = script === undefined ? undefined : keyOf.get(toHex(script));
    if (script === undefined || amount === undefined || key === undefined) return null;
    coins.push({ outpoint, amount, script, key });
  }
  return coins;
}

/** Only what is confirmed, and no young reward: a version 3 child has one unconfirmed parent at most (BIP 431). */
function confirmed({ placeOf }: Anchors, coins: readonly JudgedCoin[], reserved: readonly Outpoint[]): OwnCoin[] {
  const promised = new Set(reserved.map(outpointKey));
  return coins.flatMap(({ outpoint, amount, state, key }): OwnCoin[] =>
    state === 'spendable' &&
    !promised.has(outpointKey(outpoint)) &&
    (key.branch === 'bitcoin-deposit' || key.branch === 'bitcoin-change')
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
}

/** The split of ours in the mempool: of one coin of ours, and all of it ours again. */
async function waitingSplit(own: Anchors, coins: readonly Seen[]) {
  const { bitcoin } = own;
  const unconfirmed = coins.filter(({ height }) => height === null);
  for (const txid of new Set(unconfirmed.map(({ outpoint }) => outpoint.txid))) {
    const pieces = unconfirmed.filter(({ outpoint }) => outpoint.txid === txid);
    const bytes = pieces.length < 2 ? undefined : (await bitcoin.transaction(txid))?.bytes;
    const tx = bytes === undefined ? null : readRawTx(bytes);
    if (tx === null || tx.inputs.length !== 1 || tx.outputs.length !== pieces.length) continue;
    const [coin] = (await spentCoins(own, tx.inputs)) ?? [];
    if (coin === undefined) continue;
    const fee = less(
      coin.amount,
      pieces.reduce((sum, { amount }) => plus(sum, amount), noSats),
    );
    return { txid, coin, fee, rate: Number(fee) / tx.vsize };
  }
  return null;
}

function sign({ keys }: Anchors, { key }: OwnCoin, message: Uint8Array): Uint8Array {
  const secret = keys(key);
  const output = keyPathSecret(secret);
  secret.fill(0);
  const signature = schnorrSign(message, output);
  output.fill(0);
  return signature;
}
