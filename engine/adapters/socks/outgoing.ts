import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connect as tlsConnect, type ConnectionOptions } from 'node:tls';
import { isLoopback } from '../lnurl/private.ts';

/**
 * How connections leave this process: by themselves, or all of them through one SOCKS5 proxy, which also looks names
 * up. There is no way around the proxy: while it is down nothing leaves. What lives on this machine is reached
 * directly.
 */

interface Proxy {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly agents: { readonly 'http:': PlainAgent; readonly 'https:': TlsAgent };
}

const socksPort = 1080;
/** Milliseconds for the proxy to reach a place: Tor builds circuits for it. */
const patience = 30_000;

let proxy: Proxy | null = null;
/** What `fetch` used before a proxy was named for the first time. */
let directDispatcher: unknown = null;
/** Where every copy of undici, Node's own included, looks for what carries `fetch`. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1');

/** From here on every new connection of this process goes through the proxy, or directly for null. */
export async function leaveThrough(url: string | null): Promise<void> {
  if (url === null) {
    if (proxy !== null) setDispatcher(directDispatcher);
    proxy = null;
    return;
  }
  if (proxy?.url === url) return;
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const agents = { 'http:': overProxy(new PlainAgent(), false), 'https:': overProxy(new TlsAgent(), true) };
  const { Agent, buildConnector } = await import('undici');
  const direct = buildConnector({});
  const through = new Agent({
    connect(options, callback) {
      if (isLoopback(options.hostname)) return direct(options, callback);
      const secure = options.protocol === 'https:';
      const to = Number(options.port) || (secure ? 443 : 80);
      openThroughProxy(options.hostname, to).then(
        (socket) =>
          secure ? direct({ ...options, httpSocket: socket }, callback) : callback(null, socket.setNoDelay()),
        (cause: Error) => callback(cause, null),
      );
    },
  });
  // Only now: until here a failure has changed nothing.
  if (proxy === null) directDispatcher = (globalThis as Record<symbol, unknown>)[dispatcherKey];
  setDispatcher(through);
  proxy = { url, host, port: port === '' ? socksPort : Number(port), agents };
}

function setDispatcher(dispatcher: unknown): void {
  Object.defineProperty(globalThis, dispatcherKey, {
    value: dispatcher,
    writable: true,
    enumerable: false,
    configurable: false,
  });
}

/** What carries a request of `node:http` or `node:https`; undefined where it goes by itself. */
export function outgoingAgent(url: URL): PlainAgent | undefined {
  if (proxy === null || isLoopback(url.hostname)) return undefined;
  return proxy.agents[url.protocol === 'https:' ? 'https:' : 'http:'];
}

function overProxy<A extends PlainAgent>(agent: A, secure: boolean): A {
  agent.createConnection = (options, callback) => {
    const { host, port, servername } = options as { host?: string; port?: number | string; servername?: string };
    openThroughProxy(String(host), Number(port)).then(
      (socket) =>
        callback?.(
          null,
          secure ? tlsConnect({ ...(options as ConnectionOptions), servername: servername ?? '', socket }) : socket,
        ),
      (cause: Error) => callback?.(cause, null as never),
    );
    return undefined as never;
  };
  return agent;
}

async function openThroughProxy(host: string, port: number): Promise<Socket> {
  if (proxy === null) throw new Error('the proxy was taken out of the settings meanwhile');
  const { SocksClient } = await import('socks');
  const { host: proxyHost, port: proxyPort } = proxy;
  const destination = { host: host.replace(/^\[|\]$/g, ''), port };
  try {
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      proxy: { host: proxyHost, port: proxyPort, type: 5 },
      destination,
      timeout: patience,
    });
    return socket;
  } catch (cause) {
    // The code says that nothing was sent: what waits for an answer need not fear that the request arrived.
    const words = cause instanceof Error ? cause.message : String(cause);
    throw Object.assign(
      new Error(`the SOCKS proxy ${proxyHost}:${proxyPort} does not connect to ${host}:${port} (${words})`),
      { code: 'EHOSTUNREACH' },
    );
  }
}

export interface Forward {
  /** host:port on loopback. */
  readonly socket: string;
  stop(): Promise<void>;
}

/**
 * A door on loopback to a place behind the proxy, for libraries that know no SOCKS (gRPC); null where none is needed.
 * It passes on bytes of TLS and adds no right to anybody on this machine. Certificates are judged for 127.0.0.1 there,
 * a name that lnd puts into its own.
 */
export async function forwardThroughProxy(target: string): Promise<Forward | null> {
  const { hostname, port } = new URL(`tcp://${target}`);
  if (proxy === null || isLoopback(hostname)) return null;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    near.pause();
    open.add(near);
    near.once('close', () => open.delete(near));
    near.once('error', () => near.destroy());
    openThroughProxy(hostname, Number(port)).then(
      (far) => {
        open.add(far);
        far.once('close', () => open.delete(far));
        // Either end closes both; what was lost on the way the protocol inside finds out by itself.
        pipeline(near, far, () => far.destroy());
        pipeline(far, near, () => near.destroy());
        near.resume();
      },
      () => near.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  return {
    socket: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
