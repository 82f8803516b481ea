import type { Socket } from 'node:net';
import { failed, type Answered, type ApiLog } from './answers.ts';
import { BodyRefused } from './body.ts';
import { sendAndClose } from './send.ts';

/** The answer to a request that broke off before its operation, or in the server itself. */
export function answerToError(error: unknown, operation: string, log: ApiLog): Answered {
  if (error instanceof BodyRefused)
    return failed(error.status, error.message, error.unread ? { connection: 'close' } : undefined);
  switch ((error as { statusCode?: number }).statusCode) {
    case 415:
      return failed(415, 'Only JSON is read here: send the header Content-Type: application/json.', {
        connection: 'close',
      });
    case 413:
      return failed(413, 'The body is too large: send a smaller request.', { connection: 'close' });
    case 400:
      return failed(400, 'The request is malformed: check its headers and its body.');
    default:
      log.error({ operation, err: error }, 'a request failed in the server');
      return failed(500, 'The node failed on this request and has noted why: read the swap before you try again.');
  }
}

/** What Node's parser could not read, and headers that never end: answered in our own shape. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    sendAndClose(socket, failed(408, 'The request did not arrive in time: send it faster.'));
  else if (error.code === 'HPE_HEADER_OVERFLOW')
    sendAndClose(socket, failed(431, 'The headers are too large: send fewer.'));
  else sendAndClose(socket, failed(400, 'The request is not HTTP as this server reads it.'));
}
