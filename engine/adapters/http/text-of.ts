import type { IncomingMessage } from 'node:http';

/** The body of an answer as text, read up to a size; `tooLong` makes the error of one that goes beyond it. */
export async function textOf(
  reply: IncomingMessage,
  mostBytes: number,
  tooLong: (sentence: string) => Error,
): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of reply as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) {
      reply.destroy();
      throw tooLong(`it answered more than ${mostBytes} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
