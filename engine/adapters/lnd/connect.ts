import { authenticatedLndGrpc } from 'ln-service';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Unix, unix } from '../../domain/time.ts';
import type { LightningPort, LightningWatch } from '../../legs/lightning/port.ts';
import { cancel, createHold, createInvoice, hold, settle } from './holds.ts';
import { estimateFee, info, liquidity } from './node.ts';
import { pay, payment } from './payments.ts';
import type { Lnd } from './rpc.ts';
import { watch } from './watch.ts';

export interface LndConnection {
  /** Host and port of lnd's gRPC. */
  readonly socket: string;
  /** The whole of lnd's `tls.cert`. */
  readonly cert: Uint8Array;
  /** The whole of a macaroon file that may read, invoice and pay. */
  readonly macaroon: Uint8Array;
  readonly network: BitcoinNetwork;
  /** The engine's clock, where that is not the machine's. */
  readonly now?: () => Unix;
  /** Milliseconds after which a call is given up; 15 s when left out. */
  readonly limit?: number;
}

const defaultLimit = 15_000;

/** Connects lazily: a node that is away shows in the first call, and is found again by itself when it is back. */
export function connectLnd(connection: LndConnection): LightningPort & { stop(): Promise<void> } {
  const { lnd } = authenticatedLndGrpc({
    socket: connection.socket,
    cert: Buffer.from(connection.cert).toString('base64'),
    macaroon: Buffer.from(connection.macaroon).toString('base64'),
  });
  const node: Lnd = {
    lnd,
    network: connection.network,
    limit: connection.limit ?? defaultLimit,
    now: connection.now ?? (() => unix(Math.floor(Date.now() / 1_000))),
  };
  const watches = new Set<LightningWatch>();
  return {
    info: () => info(node),
    liquidity: () => liquidity(node),
    createHold: (terms) => createHold(node, terms),
    hold: (hash) => hold(node, hash),
    settle: (preimage) => settle(node, preimage),
    cancel: (hash) => cancel(node, hash),
    pay: (request) => pay(node, request),
    payment: (hash) => payment(node, hash),
    estimateFee: (bolt11) => estimateFee(node, bolt11),
    createInvoice: (invoice) => createInvoice(node, invoice),
    watch(handlers) {
      const started = watch(node, handlers);
      watches.add(started);
      return started;
    },
    async stop() {
      await Promise.all([...watches].map((started) => started.stop()));
      for (const client of Object.values(lnd) as { close?(): void }[]) client.close?.();
    },
  };
}
