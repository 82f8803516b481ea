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
