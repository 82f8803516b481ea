import { asPreimage } from '../../../engine/domain/hash.ts';
import { sats, type Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import { spendFee } from '../../../engine/legs/leaf-spend.ts';
import { buildHtlcSpend, type HtlcSpend } from '../../../engine/legs/onchain/htlc-spend.ts';
import { htlcScript, type HtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { planCpfp } from '../../../engine/legs/onchain/cpfp.ts';
import type { PreparedCpfp, CpfpRequest } from '../../../engine/legs/onchain/child.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { parseTx, writeTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';

export const secret = asPreimage(new Uint8Array(32).fill(7));
const key = new Uint8Array(32).fill(1);
/** Of every HTLC of the simulation; deadlines are the claims' own. */
export const terms: HtlcTerms = {
  form: 'p2tr',
  hash: hash160Of(secret),
  claimer: publicKeyOf(key),
  refunder: publicKeyOf(new Uint8Array(32).fill(2)),
  refundLocktime: unix(1_800_000_000),
};
export const htlcOutput = htlcScript(terms).pkScript;
const wallet = Uint8Array.of(0x51, 32, ...new Uint8Array(32).fill(3));
const sequence = { replaceable: 0xfffffffd, final: 0xfffffffe };
const keyPath = [new Uint8Array(64)];

/** The node's own claim, signed once: all others differ in the coin and the amount. */
const claimWitness = (() => {
  const made = buildHtlcSpend(terms, {
    coin: { txid: '00'.repeat(32), vout: 0, amount: sats(100_000) },
    preimage: secret,
    to: wallet,
    feeRate: 1,
    mostFee: sats(100_000),
    secret: key,
  });
  const [input] = made === null ? [] : parseTx(made.bytes).inputs;
  if (input === undefined) throw new Error('no claim was made');
  return input.witness;
})();

/** A transaction that brings a coin to a script, from nowhere. */
export function origin(at: number, script: Uint8Array, amount: Sats): Uint8Array {
  const txid = at.toString(16).padStart(64, '0');
  return writeTx({
    version: 2,
    inputs: [{ spends: { txid, vout: 0 }, sequence: sequence.final, witness: keyPath }],
    outputs: [{ amount, script }],
  });
}

/** A claim that pays this fee. */
export function claimOf(coin: Outpoint, amount: Sats, fee: bigint): Uint8Array {
  return writeTx({
    version: 2,
    inputs: [{ spends: coin, sequence: sequence.replaceable, witness: claimWitness }],
    outputs: [{ amount: sats(amount - fee), script: wallet }],
  });
}

/** Virtual bytes of a claim. */
export const claimSize = parseTx(claimOf({ txid: '00'.repeat(32), vout: 0 }, sats(100_000), 150n)).vsize;

/** As the wallet prepares a claim, without the signature. */
export function preparedClaim(
  coin: Outpoint,
  amount: Sats,
  { feeRate, mostFee }: { feeRate: number; mostFee: Sats },
): HtlcSpend | null {
  const paid = spendFee({ amount, most: mostFee, size: claimSize, rate: feeRate });
  if (paid === null) return null;
  const bytes = claimOf(coin, amount, paid.fee);
  const { txid } = parseTx(bytes);
  return { txid, bytes, fee: paid.fee as Sats, rate: Number(paid.fee) / claimSize, capped: paid.capped };
}

/** A funding of an HTLC from one coin of the wallet, with change. */
export function fundingOf(coin: Outpoint, held: Sats, amount: Sats, fee: bigint): Uint8Array {
  return writeTx({
    version: 2,
    inputs: [{ spends: coin, sequence: sequence.final, witness: keyPath }],
    outputs: [
      { amount, script: htlcOutput },
      { amount: sats(held - amount - fee), script: wallet },
    ],
  });
}

export const fundingSize = parseTx(
  fundingOf({ txid: '00'.repeat(32), vout: 0 }, sats(100_000), sats(50_000), 150n),
).vsize;
export const walletOutput = wallet;

/** As the wallet prepares a child that pays for its parent, without the signature. */
export function preparedChild({ change, ...ask }: CpfpRequest): PreparedCpfp | null {
  const plan = planCpfp({ ...ask, change: change.amount }, wallet);
  if (plan === null) return null;
  const bytes = writeTx({
    version: 2,
    inputs: [{ spends: change.outpoint, sequence: sequence.replaceable, witness: keyPath }],
    outputs: [{ amount: plan.left, script: wallet }],
  });
  return { txid: parseTx(bytes).txid, bytes, fee: plan.fee, rate: plan.rate, capped: plan.capped };
}
