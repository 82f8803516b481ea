import { greater, less, plus, sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { spendFee } from '../../legs/leaf-spend.ts';
import { newNonce } from '../../legs/musig.ts';
import { buildHtlcSpend } from '../../legs/onchain/htlc-spend.ts';
import { buildJointSpend, withJointSignature } from '../../legs/onchain/joint-spend.ts';
import { jointKeyOf, refundAsk } from '../../legs/onchain/key-spend.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import { planCpfp } from '../../legs/onchain/cpfp.ts';
import { planBeside, setAside, totalOf } from '../../legs/onchain/reserve.ts';
import type { FeeReserve } from '../../legs/onchain/fee-reserve.ts';
import { cutChange, mostSendable } from '../../legs/onchain/send.ts';
import { dustOf, sendSize } from '../../legs/onchain/size.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import type { BitcoinWalletPort, HtlcCosign, OpenJointSpend, OwnJointSpend } from '../../legs/onchain/wallet-port.ts';
import { schnorrSign } from '../../legs/secp256k1.ts';
import { sequences, signSend } from './sign-send.ts';
import type { BitcoinWalletOptions, WalletCoins } from './wallet-coins.ts';

type HtlcPart = Pick<
  BitcoinWalletPort,
  'prepareFunding' | 'prepareCpfp' | 'coinAt' | 'prepareCancel' | 'prepareHtlcSpend' | 'cosignHtlc' | 'openJointSpend'
>;

/** What the wallet does for HTLCs: funds one, pays for a funding that waits, and takes home what one held. */
export function walletHtlcs(
  { keys, indexes }: Pick<BitcoinWalletOptions, 'keys' | 'indexes'>,
  { placeOf, coinAt, judgedNow, unpaid }: WalletCoins,
): HtlcPart {
  return {
    async prepareFunding({ script, amount, reserved, rate, mostFee, leastChange, reserve, pieces }) {
      if (amount < dustOf(script))
        throw onchainFailure('dust', 'never', `${amount} sats are dust in an HTLC: nodes do not relay them.`);
      const promised = new Set(reserved.map(outpointKey));
      const listed = (await judgedNow()).filter(({ state }) => state !== 'immature');
      // Only what is confirmed: a chain of waiting transactions falls with its first one.
      const coins = listed
        .filter(({ state, outpoint }) => state === 'spendable' && !promised.has(outpointKey(outpoint)))
        .map(coinOf);
      const { script: changeScript } = placeOf('bitcoin-change', indexes.taken('bitcoin-change'));
      const ask = { script, amount, changeScript, rate, leastChange };
      const bare = planBeside(coins, ask, reserve);
      if (bare === null || bare.change === null) {
        const most = less(mostSendable(coins, script, rate), totalOf(reserve));
        // What is promised comes back in part, as change of what it is promised to.
        const waits = planBeside(listed.map(coinOf), ask, reserve) !== null;
        throw onchainFailure(
          waits ? 'coins-wait' : 'no-coins',
          'safe',
          `The Bitcoin wallet can send ${most} sats from its confirmed coins at ${rate} sats per ` +
            `vbyte${beside(reserve)}; ${amount} and ${leastChange} for later fees are needed.`,
        );
      }
      const plan = cutChange({ ...bare, change: bare.change }, ask, {
        pieces,
        leastChange: plus(leastChange, setAside(coins, reserve).missing),
        mostFee,
      });
      if (plan.fee > mostFee)
        throw onchainFailure(
          'too-dear',
          'never',
          `Its fee would be ${plan.fee} sats at ${rate} sats per vbyte, and the ceiling is ${mostFee}.`,
        );
      const own = [plan.change, ...plan.pieces].map((value) => ({
        amount: value,
        key: { branch: 'bitcoin-change', index: indexes.take('bitcoin-change', 0) } as const,
      }));
      const [change = null] = own;
      const { txid, bytes, vsize } = signSend(keys, {
        coins: plan.coins,
        outputs: [
          { script, amount },
          ...own.map(({ key, amount: value }) => ({ script: placeOf(key.branch, key.index).script, amount: value })),
        ],
        sequence: sequences.final,
      });
      return { txid, bytes, coins: plan.coins, change, fee: plan.fee, rate: Number(plan.fee) / vsize, capped: true };
    },
    async prepareCpfp({ change, ...ask }) {
      const { key } = change;
      if (key.branch !== 'bitcoin-change') throw new RangeError('a child pays from change of the Bitcoin wallet');
      const { script } = placeOf(key.branch, key.index);
      const plan = planCpfp({ ...ask, change: change.amount }, script);
      if (plan === null) return null;
      const { txid, bytes } = signSend(keys, {
        coins: [change],
        outputs: [{ script, amount: plan.left }],
        sequence: sequences.replaceable,
      });
      const { fee, rate, capped } = plan;
      return { txid, bytes, fee, rate, capped };
    },
    coinAt,
    async prepareCancel({ coin, rate, mostFee }) {
      const { script } = await unpaid();
      const size = sendSize(1, [script]);
      // The coin is the wallet's, and has nothing to do with what the funding holds: it is no ceiling.
      const paid = spendFee({ amount: coin.amount, most: greater(mostFee, sats(size)), size, rate });
      if (paid === null) return null;
      const { txid, bytes, vsize } = signSend(keys, {
        coins: [coin],
        outputs: [{ script, amount: less(coin.amount, sats(paid.fee)) }],
        sequence: sequences.replaceable,
      });
      return { txid, bytes, fee: sats(paid.fee), rate: Number(paid.fee) / vsize };
    },
    openJointSpend: async (ask) => openJoint(ask, (await unpaid()).script, keys),
    cosignHtlc: (cosign) => Promise.resolve(partialOf(cosign, keys(cosign.key))),
    async prepareHtlcSpend({ terms, key, coin, preimage, feeRate, mostFee }) {
      const { script: to } = await unpaid();
      const secret = keys(key);
      try {
        return buildHtlcSpend(terms, {
          coin,
          ...(preimage === undefined ? {} : { preimage }),
          to,
          feeRate,
          mostFee,
          secret,
        });
      } finally {
        secret.fill(0);
      }
    },
  };
}

/** For a sentence that says what can be sent. */
export function beside(reserve: FeeReserve): string {
  return reserve.coins === 0 ? '' : `, beside ${totalOf(reserve)} that are kept for fees of what is open`;
}

function coinOf({ outpoint, amount, key }: WalletCoin): WalletCoin {
  return { outpoint, amount, key };
}

/** `secret` is wiped. */
function partialOf({ terms, spend, theirs }: HtlcCosign, own: Uint8Array) {
  return withKey(own, (secret) => {
    const nonce = newNonce(jointKeyOf(terms), spend.sighash, secret);
    const partial = nonce.sign(theirs, secret)?.partial ?? null;
    return partial && { shown: nonce.shown, partial };
  });
}

/** The key is derived for each signature, and wiped. */
function openJoint(
  { terms, key, coin, feeRate, mostFee }: OwnJointSpend,
  to: Uint8Array,
  keys: BitcoinWalletOptions['keys'],
): OpenJointSpend | null {
  const built = buildJointSpend(terms, { coin, to, feeRate, mostFee });
  if (built === null) return null;
  const { spend, fee, rate, capped } = built;
  const [nonce, consent] = withKey(keys(key), (secret) => [
    newNonce(jointKeyOf(terms), spend.sighash, secret),
    schnorrSign(refundAsk(spend), secret),
  ]);
  return {
    spend,
    publicNonce: nonce.shown,
    consent,
    fits: ({ publicNonce, partial }) => nonce.fits(publicNonce, partial),
    join({ publicNonce, partial }) {
      const signature = withKey(keys(key), (secret) => nonce.sign(publicNonce, secret)?.join(partial) ?? null);
      if (signature === null) return null;
      return { txid: spend.txid, bytes: withJointSignature(spend, signature), fee, rate, capped };
    },
  };
}

function withKey<R>(secret: Uint8Array, use: (secret: Uint8Array) => R): R {
  try {
    return use(secret);
  } finally {
    secret.fill(0);
  }
}
