import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../world/arkade/errors.ts';
import type { SignedIntent } from '../../world/arkade/proof.ts';

const largestBody = 4 * 1024 * 1024;

/** A parsed JSON object; unknown fields are ignored, wrong ones read as unset. */
export class Body {
  readonly #fields: Record<string, unknown>;

  constructor(fields: unknown) {
    this.#fields = typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {};
  }

  text(name: string): string {
    const value = this.#fields[name];
    return typeof value === 'string' ? value : '';
  }

  texts(name: string): string[] {
    const value = this.#fields[name];
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  }

  number(name: string, unset = 0): number {
    const value = this.#fields[name];
    return typeof value === 'number' || typeof value === 'string' ? Number(value) : unset;
  }

  fields(name: string): Readonly<Record<string, unknown>> {
    const value = this.#fields[name];
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  }

  /** A map of texts. */
  map(name: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.fields(name)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }

  part(name: string): Body | null {
    const value = this.#fields[name];
    return typeof value === 'object' && value !== null ? new Body(value) : null;
  }

  intent(): SignedIntent {
    const intent = this.part('intent');
    if (intent === null) throw badRequest('missing intent');
    return { proof: intent.text('proof'), message: intent.text('message') };
  }
}

export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > largestBody) throw badRequest(`request body is larger than ${largestBody} bytes`);
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.trim() === '') return new Body({});
  try {
    return new Body(JSON.parse(text));
  } catch {
    throw badRequest(`invalid character '${text.trim().charAt(0)}' looking for beginning of value`);
  }
}
