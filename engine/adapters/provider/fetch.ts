interface Limits {
  readonly ms: number;
  readonly bytes: number;
}

/**
 * A provider's create may itself wait ten seconds for its Lightning node; far above its largest answer, a refund's
 * PSBTs.
 */
const patient: Limits = { ms: 20_000, bytes: 2_000_000 };
/** A price and a list of pairs. */
const quick: Limits = { ms: 4_000, bytes: 100_000 };

interface Call {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  text(): Promise<string>;
}

/** For whatever a swap hangs on. */
export async function patientFetch(url: string, call: Call): Promise<Answer> {
  return boundedFetch(url, call, patient);
}

/** For what is only compared: who is slow, or says much, is left out. */
export async function quickFetch(url: string, call: Call): Promise<Answer> {
  return boundedFetch(url, call, quick);
}

/** HTTP to a provider that nobody vouches for: bounded in time and size, and never sent on to another address. */
async function boundedFetch(url: string, { signal, ...call }: Call, { ms, bytes }: Limits): Promise<Answer> {
  const timeout = AbortSignal.timeout(ms);
  const reply = await fetch(url, {
    ...call,
    redirect: 'error',
    credentials: 'omit',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  });
  return { status: reply.status, text: () => bounded(reply, bytes) };
}

async function bounded(reply: Response, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
