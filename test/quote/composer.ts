/**
 * How published clients price a pair of bitcoin and a token (facts/clients.md 39 to 41), told again from their side.
 */

export interface Composition {
  readonly exchangeRate: string;
  readonly fee: bigint;
  readonly networkFee: bigint;
  readonly source: string;
  readonly target: string;
  readonly netSource: string;
  readonly netTarget: string;
}

export interface Parts {
  readonly direction: 'to-token' | 'from-token';
  readonly pinned: 'source' | 'target';
  /** In sats. */
  readonly sats: bigint;
  /** What `/dex-quote` said of the token, its bridge fee left out or added. */
  readonly token: bigint;
  readonly tokenDecimals: number;
  readonly bridgeFee?: bigint;
  /** As fractions, added up as numbers. */
  readonly feeFraction: number;
  readonly networkFee: bigint;
}

const scale = 10n ** 18n;

export function composed(parts: Parts): Composition {
  const { sats, token, networkFee, bridgeFee = 0n } = parts;
  const fee = (sats * BigInt(Math.round(parts.feeFraction * 1e18))) / scale;
  const fees = fee + networkFee;
  const toToken = parts.direction === 'to-token';
  const left = sats > fees ? sats - fees : 0n;
  const paidOut = sats === 0n ? 0n : (left * (token + bridgeFee)) / sats;
  const delivered = paidOut > bridgeFee ? paidOut - bridgeFee : 0n;
  const paidIn = sats === 0n ? 0n : ((sats + fees) * token) / sats;
  const gross = parts.pinned === 'source' && toToken ? token + bridgeFee : token;
  const net = toToken
    ? parts.pinned === 'source'
      ? [sats, delivered]
      : [sats + fees, token]
    : parts.pinned === 'source'
      ? [token, left]
      : [paidIn, sats];
  const bare = toToken ? [sats, gross] : [token, sats];
  return {
    exchangeRate: rate(sats, token + bridgeFee, parts.tokenDecimals),
    fee,
    networkFee,
    source: `${bare[0]}`,
    target: `${bare[1]}`,
    netSource: `${net[0]}`,
    netTarget: `${net[1]}`,
  };
}

/** By long division, digit after digit. */
function rate(sats: bigint, token: bigint, decimals: number): string {
  if (sats === 0n) return '0';
  const divisor = sats * 10n ** BigInt(decimals);
  let rest = token * 10n ** 8n;
  const whole = rest / divisor;
  rest %= divisor;
  let digits = '';
  for (let place = 0; place < 12 && rest > 0n; place++) {
    rest *= 10n;
    digits += `${rest / divisor}`;
    rest %= divisor;
  }
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return digits === '' ? `${whole}` : `${whole}.${digits}`;
}
