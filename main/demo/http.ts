import type { DemoNode } from './node.ts';

export type Json = Readonly<Record<string, unknown>>;

const patienceMs = 30_000;

/** Plain requests, as any client would send them; only the sandbox's controls carry the owner's token. */
export async function ask(node: DemoNode, method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> {
  const reply = await fetch(node.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(path.startsWith('/sandbox') ? { authorization: `Bearer ${node.token}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const answer = (await reply.json()) as Json;
  if (!reply.ok) throw new Error(`${method} ${path} was refused (${reply.status}): ${String(answer['error'])}`);
  return answer;
}

export function textOf(answer: Json, name: string): string {
  const value = answer[name];
  if (typeof value !== 'string') throw new Error(`The answer has no text in "${name}".`);
  return value;
}
