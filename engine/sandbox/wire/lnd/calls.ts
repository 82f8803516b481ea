import {
  type Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedHandleCall,
  status,
} from '@grpc/grpc-js';
import { LightningError, type LightningErrorKind } from '../../world/lightning/errors.ts';
import { macaroonFault } from './macaroon.ts';

/** A protobuf message as the loader gives it: names as in the .proto file, 64-bit integers as text, bytes as Buffer. */
export type Message = Readonly<Record<string, unknown>>;

export interface Stream {
  write(message: Message): void;
  end(): void;
  /** Called when the stream is over, whoever ended it. */
  onEnd(work: () => void): void;
}

/** What a handler gives back for a call that lnd leaves hanging. */
export const noAnswer = Symbol('no answer');

export type Unary = (request: Message) => Message | typeof noAnswer;
export type Streaming = (request: Message, stream: Stream) => void;

/** What lnd answers as a status with code 2, unknown, unless it is listed here. */
const codes: Partial<Record<LightningErrorKind, status>> = {
  'already-paid': status.ALREADY_EXISTS,
  'in-transition': status.ALREADY_EXISTS,
  'unknown-payment': status.NOT_FOUND,
};

export class RpcError extends Error {
  readonly code: status;

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
  }
}

/** Handlers of one service behind the macaroon check; `rights` names what lnd asks for each of them. */
export function guarded(
  { rootKey, service, rights }: { rootKey: Uint8Array; service: string; rights: Readonly<Record<string, string>> },
  unary: Record<string, Unary>,
  streaming: Record<string, Streaming> = {},
): Record<string, UntypedHandleCall> {
  /** Calls with the macaroons that allow them: a client sends the same one every time. */
  const admitted = new Set<string>();

  function admit(metadata: Metadata, method: string): void {
    const given = metadata.get('macaroon');
    const call = `${method} ${given.join(' ')}`;
    if (admitted.has(call)) return;
    const name = `/${service}/${method.charAt(0).toUpperCase()}${method.slice(1)}`;
    const right = rights[method];
    if (right === undefined) throw new Error(`nobody said which right ${name} needs`);
    const fault = macaroonFault(given, rootKey, { name, right });
    if (fault !== null) throw new RpcError(status.UNKNOWN, fault);
    admitted.add(call);
  }

  const handlers: Record<string, UntypedHandleCall> = {};
  for (const [name, act] of Object.entries(unary)) {
    handlers[name] = (
      call: ServerUnaryCall<Message, Message>,
      reply: (error: { code: status; details: string } | null, message?: Message) => void,
    ) => {
      try {
        admit(call.metadata, name);
        const answer = act(call.request);
        if (answer !== noAnswer) reply(null, answer);
      } catch (error) {
        reply(rpcStatus(error));
      }
    };
  }
  for (const [name, act] of Object.entries(streaming)) {
    handlers[name] = (call: ServerWritableStream<Message, Message>) => {
      const endings: (() => void)[] = [];
      let over = false;
      const finish = () => {
        if (over) return;
        over = true;
        for (const work of endings) work();
      };
      for (const event of ['cancelled', 'close', 'error', 'finish']) call.on(event, finish);
      try {
        admit(call.metadata, name);
        act(call.request, {
          write: (message) => void (over || call.write(message)),
          end: () => {
            finish();
            call.end();
          },
          onEnd: (work) => void (over ? work() : endings.push(work)),
        });
      } catch (error) {
        finish();
        call.emit('error', rpcStatus(error));
      }
    };
  }
  return handlers;
}

function rpcStatus(error: unknown): { code: status; details: string } {
  if (error instanceof RpcError) return { code: error.code, details: error.message };
  if (error instanceof LightningError) return { code: codes[error.kind] ?? status.UNKNOWN, details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function whole(value: unknown): number {
  return Number(value ?? 0);
}

export function big(value: unknown): bigint {
  return BigInt(typeof value === 'string' || typeof value === 'number' ? value : 0);
}

export function hexOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}

export function bytesOf(hex: string | null): Buffer {
  return Buffer.from(hex ?? '', 'hex');
}
