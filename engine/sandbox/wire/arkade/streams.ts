import type { ServerResponse } from 'node:http';
import { OperatorError } from '../../world/arkade/errors.ts';
import type { Operator } from '../../world/arkade/operator.ts';
import { errorJson, noticeJson, scriptEventJson } from './json.ts';

/** One server-sent event stream. Headers go out with the first bytes, not before. */
interface EventStream {
  send(data: unknown): void;
  /** An event with a name; the SDK takes it for an error of the connection. */
  sendNamed(event: string, data: string, id?: string): void;
  end(): void;
}

export interface StreamCall {
  readonly response: ServerResponse;
  readonly heartbeatMs: number;
  /** Called when the stream is over, from either side. */
  onClose(close: () => void): void;
}

function openStream({ response, heartbeatMs, onClose }: StreamCall): EventStream {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const beat = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stream.send({ heartbeat: {} }), heartbeatMs);
  };
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return;
    if (!response.headersSent)
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        'access-control-allow-origin': '*',
      });
    response.write(text);
    beat();
  };
  const stream: EventStream = {
    send: (data) => write(`data: ${JSON.stringify(data)}\n\n`),
    sendNamed: (event, data, id) => write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`),
    end() {
      clearTimeout(timer);
      response.end();
    },
  };
  onClose(() => clearTimeout(timer));
  beat();
  return stream;
}

function failure(stream: EventStream, error: unknown): void {
  if (!(error instanceof OperatorError)) throw error;
  stream.sendNamed('failure', JSON.stringify(errorJson(error).body));
  stream.end();
}

/** Script events of a subscription made before; one reader at a time. */
export function scriptStream(operator: Operator, id: string, call: StreamCall): void {
  const stream = openStream(call);
  attach(operator, id, call, stream);
}

/** The newer way: the stream makes its own subscription and says so at once. */
export function filterStream(operator: Operator, scripts: readonly string[], call: StreamCall): void {
  const id = operator.subscribe(scripts);
  const stream = openStream(call);
  stream.send({ subscriptionStarted: { subscriptionId: id } });
  attach(operator, id, call, stream);
}

function attach(operator: Operator, id: string, call: StreamCall, stream: EventStream): void {
  try {
    const leave = operator.attach(id, {
      event: (event) => stream.send(scriptEventJson(event)),
      end(reason) {
        if (reason === 'away') return void call.response.destroy();
        stream.sendNamed('EOS', '', 'EOS');
        stream.end();
      },
    });
    call.onClose(leave);
  } catch (error) {
    failure(stream, error);
  }
}

export function batchStream(operator: Operator, topics: readonly string[], call: StreamCall): void {
  const stream = openStream(call);
  call.onClose(
    operator.batchEvents(topics, { event: (event) => stream.send(event), end: () => void call.response.destroy() }),
  );
}

export function transactionStream(operator: Operator, call: StreamCall): void {
  const stream = openStream(call);
  call.onClose(operator.transactions((notice) => stream.send(noticeJson(notice))));
}
