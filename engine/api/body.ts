import type { IncomingMessage } from 'node:http';
import { weightOf } from './half-sent.ts';

/** Why a body was not taken; the server answers it as it stands. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly status: 400 | 408 | 413;
  /** True where the rest of the body is still on its way, so that the connection cannot be used again. */
  readonly unread: boolean;

  constructor(status: 400 | 408 | 413, sentence: string, unread: boolean) {
    super(sentence);
    this.status = status;
    this.unread = unread;
  }
}

export const smallBody = 64 * 1024;
export const largeBody = 1024 * 1024;
/** Values in a body, about: a thousand empty objects take twenty times what was sent of them (facts/faults.md 265). */
const mostValues = 4_000;
export const bodyPatience = 15_000;

/** How much of a refused body is read and thrown away, so that a client that is still writing hears the answer. */
const mostDiscarded = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** How much of a body is taken, and how. */
export interface BodyRules {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds. */
  readonly patience: number;
  /** Told what is in memory of it from here on, until it is parsed or refused. */
  holds(bytes: number): void;
  /** Awaited before it is parsed: a large one takes milliseconds. */
  turn(): Promise<void> | undefined;
}

/** Reads a JSON body; undefined when empty. */
export async function readJson(request: IncomingMessage, rules: BodyRules): Promise<unknown> {
  try {
    const bytes = await readBytes(request, rules);
    if (bytes.length === 0) return undefined;
    await rules.turn();
    if (hasTooMany(bytes))
      throw new BodyRefused(400, `The body holds more than ${mostValues} values: send a smaller request.`, false);
    return parsed(bytes);
  } finally {
    rules.holds(0);
  }
}

/** By what stands before each value but the first of an object or a list, in texts too. */
function hasTooMany(bytes: Buffer): boolean {
  let values = 0;
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values++;
  return values > mostValues;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError)
      throw new BodyRefused(400, 'The body is not JSON in UTF-8: send a JSON object.', false);
    throw cause;
  }
}

function readBytes(request: IncomingMessage, { limit, patience, holds }: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let held = 0;
    const tooLarge = (unread: boolean) =>
      new BodyRefused(413, `The body is larger than ${limit} bytes: send a smaller request.`, unread);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        held += weightOf(chunk);
        holds(held);
        return;
      }
      chunks.splice(0);
      holds(0);
      if (size > mostDiscarded) finish(() => reject(tooLarge(true)));
    };
    const onEnd = (): void =>
      finish(() => (size > limit ? reject(tooLarge(false)) : resolve(Buffer.concat(chunks, size))));
    const onClose = (): void =>
      finish(() => reject(new BodyRefused(400, 'The body ended early: send all of it.', true)));
    const timer = setTimeout(
      () =>
        finish(() =>
          reject(
            size > limit
              ? tooLarge(true)
              : new BodyRefused(
                  408,
                  `The body did not arrive within ${patience / 1000} seconds: send it faster.`,
                  true,
                ),
          ),
        ),
      patience,
    );
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
