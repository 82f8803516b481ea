/** A provider's create may itself wait ten seconds for its Lightning node. */
const patienceMs = 20_000;
/** Far above the largest answer of the contract, a refund's PSBTs. */
const mostBytes = 2_000_000;

interface Call {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** HTTP to a provider that nobody vouches for: bounded in time and size, and never sent on to another address. */
export async function patientFetch(url: string, call: Call): Promise<{ status: number; text(): Promise<string> }> {
  const reply = await fetch(url, {
    ...call,
    redirect: 'error',
    credentials: 'omit',
    signal: AbortSignal.timeout(patienceMs),
  });
  return { status: reply.status, text: () => bounded(reply) };
}

async function bounded(reply: Response): Promise<string> {
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
