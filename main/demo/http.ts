import { setTimeout as pause } from 'node:timers/promises';
import type { DemoNode } from './node.ts';

export type Json = Readonly<Record<string, unknown>>;

type Method = 'GET' | 'POST' | 'PATCH';

const patienceMs = 30_000;

async function send(node: DemoNode, method: Method, path: string, body?: Json) {
  const reply = await fetch(node.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(/^\/(sandbox|owner)\b/.test(path) ? { authorization: `Bearer ${node.token}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  });
  return { status: reply.status, answer: (await reply.json()) as Json };
}

/**
 * Plain requests, as any client would send them; only the sandbox's controls and the owner's settings carry the owner's
 * token.
 */
export async function ask(node: DemoNode, method: Method, path: string, body?: Json): Promise<Json> {
  const { status, answer } = await send(node, method, path, body);
  if (status !== 200) throw refusal(method, path, status, answer);
  return answer;
}

function refusal(method: Method, path: string, status: number, answer: Json): Error {
  return new Error(`${method} ${path} was refused (${status}): ${String(answer['error'])}`);
}

/** The same of what a node may not know at the moment: 503 asks its client to come again. */
export async function askUntilKnown(node: DemoNode, method: Method, path: string, body?: Json): Promise<Json> {
  const begun = performance.now();
  for (;;) {
    const { status, answer } = await send(node, method, path, body);
    if (status === 200) return answer;
    if (status !== 503 || performance.now() - begun > patienceMs) throw refusal(method, path, status, answer);
    await pause(1_000);
  }
}

/** What is answered to a request that shall be refused. */
export async function refusalOf(node: DemoNode, path: string, body: Json) {
  const { status, answer } = await send(node, 'POST', path, body);
  return { status, sentence: String(answer['error'] ?? '') };
}

export function textOf(answer: Json, name: string): string {
  const value = answer[name];
  if (typeof value !== 'string') throw new Error(`The answer has no text in "${name}".`);
  return value;
}
