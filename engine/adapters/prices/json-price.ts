/** Milliseconds that an answer may take, and bytes that it may have. */
const patience = 10_000;
const mostBytes = 262_144;

export interface JsonPrice {
  readonly url: string;
  /** Names and places from the top to the number, with dots between: `bitcoin.usd`, `data.0.price`. */
  readonly path: string;
}

/** A number that the owner's source tells as JSON, also where it writes it as text. */
export function createJsonPrice({ url, path }: JsonPrice): () => Promise<number> {
  return async () => {
    const reply = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(patience) });
    if (!reply.ok) {
      await reply.body?.cancel();
      throw new Error(`it answered ${reply.status}`);
    }
    const text = await textOf(reply);
    let at: unknown;
    try {
      at = JSON.parse(text);
    } catch (cause) {
      throw new Error('it answered no JSON', { cause });
    }
    for (const name of path.split('.')) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    const price = typeof at === 'string' && at.trim() !== '' ? Number(at) : at;
    if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0)
      throw new Error(`it has no price at ${path}`);
    return price;
  };
}

async function textOf(reply: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  if (reply.body === null) return text;
  for await (const part of reply.body) {
    size += part.byteLength;
    if (size > mostBytes) throw new Error(`it answered more than ${mostBytes} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
