import { type HttpServer, serveHttp } from '../../engine/sandbox/wire/http.ts';

/**
 * What a server says instead of the truth; undefined where it tells the truth, `silent` where it says nothing at all.
 */
export type Lie = (
  path: string,
  truth: () => Promise<{ status: number; text: string }>,
) =>
  | Promise<{ status: number; body: unknown } | 'silent' | undefined>
  | { status: number; body: unknown }
  | 'silent'
  | undefined;

export interface LyingEsplora extends HttpServer {
  /** What it lies about from now on; null for nothing. */
  lie(how: Lie | null): void;
  /** Transactions that it was handed. */
  readonly handed: readonly string[];
}

/** An Esplora server that repeats what another one says, but for what it is told to lie about. */
export async function lyingEsplora(honest: string): Promise<LyingEsplora> {
  let how: Lie | null = null;
  const handed: string[] = [];
  const server = await serveHttp(
    0,
    async (call) => {
      const body = call.method === 'POST' ? await call.text() : null;
      if (body !== null) handed.push(body);
      const truth = async () => {
        const answer = await fetch(`${honest}${call.path}`, body === null ? {} : { method: 'POST', body });
        return { status: answer.status, text: await answer.text() };
      };
      const lie = await how?.(call.path, truth);
      if (lie === 'silent') return new Promise(() => undefined);
      if (lie !== undefined) return lie;
      const { status, text } = await truth();
      return { status, body: text };
    },
    (sentence) => sentence,
  );
  return {
    ...server,
    handed,
    lie(next) {
      how = next;
    },
  };
}
