import type { IncomingMessage } from 'node:http';

/** By which names and for whom the server answers. */
export interface Gate {
  /** Null, or why the request is turned away, before anything of it is parsed. */
  refusal(request: IncomingMessage): { readonly status: 400 | 403; readonly error: string } | null;
  /** True for a browser origin that may read our answers. */
  allows(origin: string): boolean;
}

export interface GateOptions {
  readonly port: number;
  /** Public names that a reverse proxy may call the node by. */
  readonly hostnames: readonly string[];
  /** Foreign origins the owner trusts, and the protocol of the desktop's page. */
  readonly origins: readonly string[];
}

/**
 * The defence against web pages: a page of a stranger can make a browser send requests here, under a name of its own
 * that resolves to loopback (DNS rebinding) or as a foreign origin. Neither the CORS headers nor the address we listen
 * on stop that; checking Host and Origin does.
 */
export function createGate({ port, hostnames, origins }: GateOptions): Gate {
  const loopback = ['127.0.0.1', '[::1]', 'localhost'].map((name) => `${name}:${port}`);
  const bare = port === 80 ? ['127.0.0.1', '[::1]', 'localhost'] : [];
  // A client may write the port that its scheme has anyway.
  const publicHosts = hostnames
    .map((name) => name.toLowerCase())
    .flatMap((name) => (name.includes(':') ? [name] : [name, `${name}:443`, `${name}:80`]));
  const hosts = new Set([...loopback, ...bare, ...publicHosts]);
  const ownOrigins = [...loopback, ...bare].map((host) => `http://${host}`);
  const allowed = new Set([
    ...ownOrigins,
    ...hostnames.flatMap((name) => [`https://${name.toLowerCase()}`, `http://${name.toLowerCase()}`]),
    ...origins.map((origin) => origin.toLowerCase().replace(/\/+$/, '')),
  ]);
  const allows = (origin: string): boolean => allowed.has(origin.toLowerCase());

  return {
    allows,
    refusal(request) {
      const names = request.rawHeaders.filter(
        (_, at) => at % 2 === 0 && request.rawHeaders[at]?.toLowerCase() === 'host',
      );
      if (names.length > 1) return { status: 400, error: 'The request has more than one Host header: send one.' };
      if (!request.url?.startsWith('/'))
        return { status: 400, error: 'The request target is a full URL: send the path alone.' };
      const host = request.headers.host?.toLowerCase();
      if (host === undefined || !hosts.has(host))
        return {
          status: 403,
          error:
            'The Host header is not a name of this node: use its address on this machine, or add the name to ' +
            'http.hostnames.',
        };
      const origin = request.headers.origin;
      if (origin !== undefined)
        return allows(origin)
          ? null
          : {
              status: 403,
              error: 'Pages of this origin may not call this node: its owner can add the origin to http.origins.',
            };
      // Another port of this machine is the same site, and so is another name under the owner's domain.
      if (['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site'])))
        return {
          status: 403,
          error: 'A page of another site may not call this node: its owner can add its origin to http.origins.',
        };
      return null;
    },
  };
}
