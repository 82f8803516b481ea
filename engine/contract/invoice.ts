import { refuse, type Refusal } from '../domain/errors.ts';
import { sats, type Sats } from '../domain/money.ts';

const networks = 'bc|tb|tbs|bcrt|sb';
const multipliers = { m: 100_000_000n, u: 100_000n, n: 100n } as const;

/** Millisatoshis of the amount in an invoice's human-readable part; null without amount, undefined when malformed. */
function amountMsat(digits: string, multiplier: string): bigint | null | undefined {
  if (digits === '') return multiplier === '' ? null : undefined;
  const value = BigInt(digits);
  if (multiplier === '') return value * 100_000_000_000n;
  if (multiplier === 'p') return value % 10n === 0n ? value / 10n : undefined;
  return value * multipliers[multiplier as keyof typeof multipliers];
}

/**
 * The amount of a BOLT11 invoice, read from its human-readable part alone (BOLT 11, "Human-Readable Part"). Signature,
 * checksum, network, hash and expiry belong to whoever decodes the whole invoice before it is paid. An invoice without
 * an amount, or with a fraction of a satoshi, is refused: the service would be free to choose what it pays.
 */
export function invoiceAmount(name: string, bolt11: string): Sats | Refusal {
  const parts = new RegExp(`^ln(${networks})(\\d{0,18})([munp]?)1[02-9ac-hj-np-z]{100,}$`).exec(bolt11);
  if (parts === null)
    return refuse('invalid', `${name} is not a Lightning invoice: send the BOLT11 text as the wallet shows it.`);
  const msat = amountMsat(parts[2] ?? '', parts[3] ?? '');
  if (msat === undefined)
    return refuse(
      'invalid',
      `${name} carries an amount that cannot be read: send the BOLT11 text as the wallet shows it.`,
    );
  if (msat === null || msat === 0n)
    return refuse('invalid', `${name} carries no amount: make an invoice that says how much it asks for.`);
  if (msat % 1000n !== 0n)
    return refuse(
      'invalid',
      `${name} asks for ${msat} millisatoshis, which is no whole number of satoshis: make an invoice over whole ` +
        'satoshis.',
    );
  return sats(msat / 1000n);
}
