/** One question of JSON-RPC. */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The reply to one question, as JSON has it. */
export type Reply = Readonly<Record<string, unknown>>;

interface Waiting extends Question {
  readonly resolve: (answer: Promise<unknown>) => void;
}

/** What a burst asks for many times at once. Like goes with like: nobody waits for another's slow question. */
const inBatches: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
]);
const most = 32;

/**
 * Questions of one kind that are asked in the same turn of the event loop, as one request: what a request costs is most
 * of what a burst costs. Each has its own answer, as if it had been asked alone; an endpoint that refuses so many at
 * once gets half as many from then on, down to one by one. `together` resolves with null where the batch as a whole is
 * refused, with null for what its reply leaves out or is too long for, and rejects for all in it.
 */
export function gathering(
  alone: (question: Question) => Promise<unknown>,
  together: (questions: readonly Question[]) => Promise<readonly (Reply | null)[] | null>,
  read: (method: string, reply: Reply) => unknown,
): (question: Question) => Promise<unknown> {
  const waiting = new Map<string, Waiting[]>();
  let atOnce = most;

  function ask(all: readonly Waiting[]): void {
    for (let i = 0; i < all.length; i += atOnce) {
      const some = all.slice(i, i + atOnce);
      const [only] = some;
      if (some.length === 1 && only !== undefined) only.resolve(alone(only));
      else askTogether(some);
    }
  }

  function askTogether(some: readonly Waiting[]): void {
    const replies = together(some);
    for (const [i, { resolve, ...question }] of some.entries())
      resolve(
        replies.then((all) => {
          const reply = all?.[i] ?? null;
          return reply === null ? alone(question) : read(question.method, reply);
        }),
      );
    void replies.then(
      (all) => {
        if (all === null) atOnce = Math.min(atOnce, Math.max(1, Math.floor(some.length / 2)));
      },
      () => undefined, // each of them rejects with it
    );
  }

  return (question) => {
    if (!inBatches.has(question.method)) return alone(question);
    return new Promise((resolve) => {
      const others = waiting.get(question.method);
      if (others !== undefined) {
        others.push({ ...question, resolve });
        return;
      }
      const all: Waiting[] = [{ ...question, resolve }];
      waiting.set(question.method, all);
      setImmediate(() => {
        waiting.delete(question.method);
        ask(all);
      });
    });
  };
}
