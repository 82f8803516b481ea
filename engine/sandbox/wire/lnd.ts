import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Server, ServerCredentials, type ServiceDefinition, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { isTaken } from '../port-book.ts';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import type { LightningWorld } from '../world/lightning/lightning.ts';
import { guarded } from './lnd/calls.ts';
import type { Certificate } from './lnd/certificate.ts';
import { blockStreams, infoCalls, versionCalls } from './lnd/info.ts';
import { invoiceCalls, invoiceStreams } from './lnd/invoices.ts';
import { paymentCalls, paymentStreams } from './lnd/payments.ts';
import { walletCalls } from './lnd/wallet.ts';

export interface LndOptions {
  readonly world: LightningWorld;
  readonly bitcoin: BitcoinWorld;
  /** 0 picks a free one, any other is taken or the promise rejects. */
  readonly port: number;
  readonly certificate: Certificate;
  /** What macaroons are signed with. */
  readonly rootKey: Uint8Array;
}

export interface LndServer {
  /** `host:port` as clients of lnd take it; a name, because TLS knows no names that are addresses. */
  readonly socket: string;
  readonly port: number;
  stop(): Promise<void>;
}

const reopenMs = 100;
const protoFiles = ['lightning.proto', 'invoices.proto', 'router.proto', 'chainnotifier.proto', 'verrpc.proto'];

const packageOf = {
  Lightning: 'lnrpc',
  Invoices: 'invoicesrpc',
  Router: 'routerrpc',
  ChainNotifier: 'chainrpc',
  Versioner: 'verrpc',
};

/** The right that lnd 0.20.2 asks for each call, as its `listPermissions` tells. */
const rightsOf = {
  Lightning: {
    getInfo: 'info:read',
    channelBalance: 'offchain:read',
    walletBalance: 'onchain:read',
    getTransactions: 'onchain:read',
    newAddress: 'address:write',
    listChannels: 'offchain:read',
    pendingChannels: 'offchain:read',
    addInvoice: 'invoices:write',
    lookupInvoice: 'invoices:read',
    listInvoices: 'invoices:read',
    subscribeInvoices: 'invoices:read',
    decodePayReq: 'offchain:read',
    listPayments: 'offchain:read',
    queryRoutes: 'info:read',
  },
  Invoices: {
    addHoldInvoice: 'invoices:write',
    settleInvoice: 'invoices:write',
    cancelInvoice: 'invoices:write',
    subscribeSingleInvoice: 'invoices:read',
  },
  Router: {
    estimateRouteFee: 'offchain:read',
    sendPaymentV2: 'offchain:write',
    trackPaymentV2: 'offchain:read',
    trackPayments: 'offchain:read',
  },
  ChainNotifier: { registerBlockEpochNtfn: 'onchain:read' },
  Versioner: { getVersion: 'info:read' },
};

/** The owner's node behind lnd's gRPC. While the node is away nothing listens at its port and every stream is cut. */
export async function serveLnd({ world, bitcoin, port, certificate, rootKey }: LndOptions): Promise<LndServer> {
  const services = loadServices();
  const invoices = invoiceCalls(world);
  const invoiceEvents = invoiceStreams(world);
  const { decodePayReq, listPayments, queryRoutes, estimateRouteFee } = paymentCalls(world);
  const { addInvoice, lookupInvoice, listInvoices, addHoldInvoice, settleInvoice, cancelInvoice } = invoices;
  function service<Name extends keyof typeof rightsOf>(name: Name): Parameters<typeof guarded>[0] {
    return { rootKey, service: `${packageOf[name]}.${name}`, rights: rightsOf[name] };
  }
  const handlers = {
    Lightning: guarded(
      service('Lightning'),
      {
        ...infoCalls(world, bitcoin),
        ...walletCalls(world, bitcoin),
        addInvoice,
        lookupInvoice,
        listInvoices,
        decodePayReq,
        listPayments,
        queryRoutes,
      },
      { subscribeInvoices: invoiceEvents.subscribeInvoices },
    ),
    Invoices: guarded(
      service('Invoices'),
      { addHoldInvoice, settleInvoice, cancelInvoice },
      { subscribeSingleInvoice: invoiceEvents.subscribeSingleInvoice },
    ),
    Router: guarded(service('Router'), { estimateRouteFee }, paymentStreams(world)),
    ChainNotifier: guarded(service('ChainNotifier'), {}, blockStreams(bitcoin)),
    Versioner: guarded(service('Versioner'), versionCalls(world)),
  };

  async function open(wanted: number): Promise<{ server: Server; port: number }> {
    const server = new Server();
    for (const [name, implementation] of Object.entries(handlers))
      server.addService(services[name as keyof typeof handlers], implementation);
    return { server, port: await bind(server, wanted, certificate) };
  }

  const first = await open(port);
  let server: Server | null = first.server;
  let opening: Promise<void> = Promise.resolve();
  let stopped = false;

  function follow(state: 'away' | 'back'): void {
    opening = opening.then(async () => {
      if (state === 'away') {
        server?.forceShutdown();
        server = null;
      } else {
        server ??= await reopen();
      }
    });
  }

  /** Clients know the one port; a stranger who took it meanwhile is waited for. */
  async function reopen(): Promise<Server | null> {
    while (!stopped) {
      try {
        return (await open(first.port)).server;
      } catch (error) {
        if (!isTaken(error)) throw error;
        await pause(reopenMs);
      }
    }
    return null;
  }

  const stopFollowing = world.onEvent((event) => {
    if (event.is === 'node') follow(event.state);
  });
  if (world.faults().node === 'away') follow('away');

  return {
    socket: `localhost:${first.port}`,
    port: first.port,
    async stop() {
      stopped = true;
      stopFollowing();
      await opening;
      server?.forceShutdown();
    },
  };
}

function loadServices(): Record<keyof typeof packageOf, ServiceDefinition> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('lightning/package.json')), 'grpc/protos');
  const definition = loadSync(protoFiles, {
    includeDirs: [folder],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  const packages = loadPackageDefinition(definition) as unknown as Record<
    string,
    Record<string, { service: ServiceDefinition }>
  >;
  const services = Object.entries(packageOf).map(([name, area]) => {
    const service = packages[area]?.[name]?.service;
    if (service === undefined) throw new Error(`the protos of the lightning package have no service ${area}.${name}`);
    return [name, service] as const;
  });
  return Object.fromEntries(services) as Record<keyof typeof packageOf, ServiceDefinition>;
}

function bind(server: Server, port: number, { cert, key }: Certificate): Promise<number> {
  const credentials = ServerCredentials.createSsl(null, [
    { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) },
  ]);
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
}
