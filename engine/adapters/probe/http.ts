import { request as plainRequest, type Agent, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { textOf } from '../http/text-of.ts';
import { outgoingAgent } from '../socks/outgoing.ts';
import { NoAnswer } from './answer.ts';

/**
 * One question to an endpoint: by a connection of its own, so that what is measured is what a first caller meets, or
 * over those that are kept.
 */
export interface Question {
  readonly url: string;
  readonly signal: AbortSignal;
  /** JSON to post; a GET without. */
  readonly post?: unknown;
  readonly authorization?: string;
  /** PEM of the authority that signed its certificate, where that is not a public one. */
  readonly ca?: Uint8Array | null;
  /** Keeps connections open from one question to the next; a proxy's take its place. */
  readonly agent?: Agent;
  /** Bytes that are read of the answer; of a longer one nothing is. 2 MB without. */
  readonly mostBytes?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly latencyMs: number;
  /** Unix seconds that the endpoint believes it is, null when it does not say. */
  readonly clock: number | null;
}

const usualBytes = 2_000_000;

export async function ask(question: Question): Promise<HttpAnswer> {
  const started = performance.now();
  const reply = await send(question);
  const text = await textOf(reply, question.mostBytes ?? usualBytes, (sentence) => new NoAnswer('too-long', sentence));
  const date = Date.parse(reply.headers.date ?? '');
  return {
    status: reply.statusCode ?? 0,
    text,
    latencyMs: performance.now() - started,
    clock: Number.isNaN(date) ? null : Math.floor(date / 1_000),
  };
}

/** The JSON of an answer; anything else means that something else listens there. */
export function jsonOf(answer: HttpAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below: what came is no JSON.
  }
  throw new NoAnswer('not-it', `it answered ${answer.status} without a JSON object`);
}

function send(question: Question): Promise<IncomingMessage> {
  const url = new URL(question.url);
  const body = question.post === undefined ? null : JSON.stringify(question.post);
  const options: RequestOptions & { ca?: Buffer } = {
    method: body === null ? 'GET' : 'POST',
    agent: outgoingAgent(url) ?? question.agent ?? false,
    signal: question.signal,
    headers: {
      accept: 'application/json',
      ...(body === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...(question.authorization === undefined ? {} : { authorization: question.authorization }),
    },
    ...(question.ca === undefined || question.ca === null ? {} : { ca: Buffer.from(question.ca) }),
  };
  return new Promise((resolve, reject) => {
    const sent = url.protocol === 'https:' ? tlsRequest(url, options, resolve) : plainRequest(url, options, resolve);
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      // The server ended a connection that was kept in the moment in which it was used again: it has not read the
      // question.
      if (sent.reusedSocket && cause.code === 'ECONNRESET') resolve(send(question));
      else reject(cause);
    });
    sent.end(body ?? undefined);
  });
}
