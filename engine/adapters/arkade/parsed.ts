import { Transaction } from '@arkade-os/sdk';

/** Those of some hundred claims at once, from their submission until they are final. */
const mostParsed = 1_000;

const parsed = new Map<string, Transaction>();

/**
 * A PSBT, parsed once for everybody who only reads it: most of what that takes is the judgement of its keys. Nobody may
 * change it. The same bytes give the same transaction, so whatever is judged by it is judged by the bytes.
 */
export function readOnlyPsbt(bytes: Uint8Array): Transaction {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const tx = parsed.get(text) ?? Transaction.fromPSBT(bytes);
  parsed.delete(text);
  const [oldest] = parsed.keys();
  if (parsed.size >= mostParsed && oldest !== undefined) parsed.delete(oldest);
  parsed.set(text, tx);
  return tx;
}
