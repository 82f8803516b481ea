import { type Unix, unix } from '../../domain/time.ts';

/**
 * What a macaroon of lnd's says of itself. lnd alone knows whether it is genuine; what it may do stands in it in the
 * clear.
 */
export interface Macaroon {
  /** `entity:action`, or `uri:/package.Service/Method` for a single call. */
  readonly rights: readonly string[];
  /** Conditions that its owner added, as they stand there, such as `ipaddr 127.0.0.1`. */
  readonly caveats: readonly string[];
  /** The earliest end that a condition sets; null when it holds for ever. */
  readonly expiresAt: Unix | null;
}

/** The binary format, version 2: packets of a kind and bytes, and an empty one after each section. */
const formatVersion = 2;
const kind = { end: 0, identifier: 2 };
/** Identifiers of the bakery library that lnd uses: this byte, then a protobuf message. */
const identifierVersion = 3;
const operations = 3;
const operation = { entity: 1, action: 2 };
const timeBefore = 'time-before ';

/** Null when the bytes are no macaroon as lnd bakes them. */
export function readMacaroon(bytes: Uint8Array): Macaroon | null {
  try {
    const [identifier, ...conditions] = identifiers(bytes);
    if (identifier === undefined || identifier[0] !== identifierVersion) return null;
    const caveats = conditions.map(text);
    const ends = caveats
      .filter((caveat) => caveat.startsWith(timeBefore))
      .map((caveat) => Date.parse(caveat.slice(timeBefore.length)) / 1_000);
    return {
      rights: rightsIn(identifier.subarray(1)),
      caveats,
      expiresAt: ends.length === 0 ? null : unix(Math.floor(Math.min(...ends))),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The macaroon's own identifier, and that of each condition after it. */
function identifiers(bytes: Uint8Array): Uint8Array[] {
  const reader = readerOf(bytes);
  if (reader.number() !== formatVersion) throw new RangeError('another format');
  const conditions: Uint8Array[] = [];
  for (let packets = 0; ; packets++) {
    const now = reader.number();
    if (now === kind.end) {
      // Two ends in a row close the list of conditions; the signature follows.
      if (packets === 0) return conditions;
      packets = -1;
      continue;
    }
    const content = reader.bytes();
    if (now === kind.identifier) conditions.push(content);
  }
}

function rightsIn(identifier: Uint8Array): string[] {
  return fields(identifier)
    .filter(({ number }) => number === operations)
    .flatMap(({ content }) => {
      const parts = fields(content);
      const named = (wanted: number) =>
        parts.filter(({ number }) => number === wanted).map((part) => text(part.content));
      return named(operation.action).map((action) => `${named(operation.entity)[0] ?? ''}:${action}`);
    });
}

/** The fields of a protobuf message that has none but strings and messages in it. */
function fields(message: Uint8Array): { number: number; content: Uint8Array }[] {
  const reader = readerOf(message);
  const parts: { number: number; content: Uint8Array }[] = [];
  while (!reader.done()) {
    const tag = reader.number();
    if (tag % 8 !== 2) throw new RangeError('a field of another type');
    parts.push({ number: Math.floor(tag / 8), content: reader.bytes() });
  }
  return parts;
}

function readerOf(bytes: Uint8Array): { number(): number; bytes(): Uint8Array; done(): boolean } {
  let at = 0;
  function number(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError('a number that does not end');
  }
  return {
    number,
    bytes() {
      const length = number();
      if (at + length > bytes.length) throw new RangeError('it ends too early');
      at += length;
      return bytes.subarray(at - length, at);
    },
    done: () => at >= bytes.length,
  };
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
