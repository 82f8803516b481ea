import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Engine values as JSON text: bigint and bytes carry a tag, everything else is JSON's own. Reading back gives equal
 * values; a value that JSON would silently lose (undefined inside an array, a function) is a bug of ours and throws.
 */
export function encode(value: unknown): string {
  return JSON.stringify(value, function tagged(key, seen: unknown) {
    // JSON.stringify would call toJSON before we see the value; Uint8Array has none, Buffer has.
    const raw: unknown = (this as Record<string, unknown>)[key];
    if (typeof raw === 'bigint') return { $n: raw.toString() };
    if (raw instanceof Uint8Array) return { $b: Buffer.from(raw).toString('base64') };
    const lost =
      typeof seen === 'function' ||
      typeof seen === 'symbol' ||
      (seen === undefined && Array.isArray(this)) ||
      (typeof seen === 'number' && !Number.isFinite(seen));
    if (lost) throw new TypeError(`${key} cannot be stored: it is ${String(seen)}`);
    return seen;
  });
}

export function decode<T>(text: string): T {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$n' in value && typeof value.$n === 'string') return BigInt(value.$n);
    if ('$b' in value && typeof value.$b === 'string') return new Uint8Array(Buffer.from(value.$b, 'base64'));
    return value;
  }) as T;
}

/**
 * Names that packed values have in common, for the deflation to begin with. Never changed: what is packed is read with
 * it.
 */
const names = [
  'hash sourceAmount targetAmount feeSats networkFeeSats vhtlc script address keyIndex serverKey clientKeyText ',
  'targetArkadeAddress description fundBefore cltvDelta lockBefore policy minCoinExpiry sender receiver operator ',
  'refundLocktime claimDelay refundDelay refundWithoutReceiverDelay clientLeg serverLeg fundingWindow margin ',
  'longestLeg routeBlocks slowBlock fastBlock mtpLag lndCancelBlocks reactionBlocks leastClaimTime bolt11 ',
  'invoiceExpiresAt maxFeeMsat maxTimeoutHeight toleranceBps payBefore finalCltv targetSats network contracts ',
  'lock pegged target floor targetAddress gasless since burial kind htlc coordinator htlcVersion ',
  'coordinatorVersion preimageHash amount token refundAddress claimAddress timelock decimals symbol name ',
  'htlcScript htlcAddress claimKeyText refundKeyText confirmations form claimer refunder least clientAddress ',
  'source sourceUnits sourcePinned agreed mostFee htlcSince ',
];
const dictionary = Buffer.from(
  names
    .join('')
    .trim()
    .split(' ')
    .map((name) => `,"${name}":{"$b":"="},"${name}":{"$n":"`)
    .join(''),
);

/** For a row that is seldom read: deflated, where that is shorter. */
export function pack(value: unknown): string | Uint8Array {
  const text = encode(value);
  const bytes = deflateRawSync(text, { dictionary, level: 9 });
  return bytes.length < text.length ? bytes : text;
}

export function unpack<T>(packed: string | Uint8Array): T {
  return decode(typeof packed === 'string' ? packed : inflateRawSync(packed, { dictionary }).toString());
}
