import type { RequestListener, Server } from 'node:http';
import { createAdmission, type ServerRules } from './admission.ts';
import type { ApiLog } from './answers.ts';
import { createApp } from './app.ts';
import type { Dispatch } from './dispatch.ts';
import type { Door } from './door.ts';
import { createHalfSent } from './half-sent.ts';
import { createHttpServer, quietPatience } from './http-server.ts';
import { listenAtFour, listenAtSix } from './loopback.ts';
import { answerMalformed } from './request-errors.ts';
import type { Service } from './service.ts';
import { createUnread } from './unread.ts';
import { createStreams } from './ws.ts';

export interface ServerOptions extends ServerRules {
  readonly dispatch: Dispatch;
  /** The engine, or null while there is none. */
  service(): Service | null;
  readonly ownerToken: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: ApiLog;
  readonly ui?: { readonly directory: string };
  /** Another interface on the same listener; null while it is shut. */
  readonly door?: () => Door | null;
  /** Milliseconds that an answer may wait for somebody to read it. */
  readonly quietPatience?: number;
  /** Milliseconds between signs of life of a stream. */
  readonly heartbeat?: number;
  /** False leaves out ::1. */
  readonly ipv6?: boolean;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** Call after the engine behind `service` was exchanged: streams listen to the new one. */
  attach(): void;
  /** Requests from here on are judged by these; what a client used up of its limit is forgotten. */
  apply(rules: ServerRules): void;
  stop(): Promise<void>;
}

const noDoor = (): null => null;

/** Serves the table of routes, the streams and the user interface, on loopback only. */
export async function listen(options: ServerOptions): Promise<ApiServer> {
  const { ownerToken, service, log } = options;
  let stopping = false;
  const admission = createAdmission({ rules: options, ownerToken, port: options.port });
  const unread = createUnread();
  const halfSent = createHalfSent();
  const serverOf = (handler: RequestListener): Server =>
    createHttpServer(handler, options.quietPatience ?? quietPatience, admission.isOwners, unread);
  const app = createApp({
    admission,
    dispatch: options.dispatch,
    service,
    serverOf,
    door: options.door ?? noDoor,
    stopping: () => stopping,
    halfSent,
    log,
    ...(options.ui === undefined ? {} : { ui: options.ui }),
  });
  await app.ready();

  const streams = createStreams({
    ...{ service, admission, log, unread, halfSent, door: options.door ?? noDoor },
    ...(options.heartbeat === undefined ? {} : { heartbeat: options.heartbeat }),
  });
  const servers: Server[] = [app.server];
  app.server.on('upgrade', streams.upgrade).on('connection', admission.came);
  const port = await listenAtFour(app, options.port).catch((cause: unknown) => {
    streams.stop();
    throw cause;
  });
  admission.listensAt(port);
  if (options.ipv6 !== false) {
    const second = await listenAtSix(app, port, serverOf);
    second?.on('upgrade', streams.upgrade).on('connection', admission.came).on('clientError', answerMalformed);
    if (second !== null) servers.push(second);
  }
  streams.attach();

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    attach: () => streams.attach(),
    apply: (rules) => admission.apply(rules),
    async stop() {
      stopping = true;
      streams.stop();
      for (const server of servers.slice(1)) {
        server.close();
        server.closeAllConnections();
      }
      await app.close();
    },
  };
}
