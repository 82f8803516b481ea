import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { AuthenticatedLnd } from 'ln-service';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The services of lnd that are asked here, by ln-service's names for them. */
const services = {
  default: ['lnrpc', 'Lightning', 'lightning.proto'],
  invoices: ['invoicesrpc', 'Invoices', 'invoices.proto'],
  router: ['routerrpc', 'Router', 'router.proto'],
} as const;

type Packages = Readonly<Record<string, Readonly<Record<string, ServiceClientConstructor>>>>;

/** As ln-service reads them, whose methods are given what is dialled here. */
const reading = { defaults: true, enums: String, keepCase: true, longs: String, oneofs: true } as const;

let packages: Packages | null = null;

function read(): Packages {
  const folder = dirname(createRequire(import.meta.url).resolve('lightning/grpc/protos/lightning.proto'));
  const files = Object.values(services).map(([, , file]) => file);
  return loadPackageDefinition(loadSync(files, { ...reading, includeDirs: [folder] })) as unknown as Packages;
}

/**
 * A connection to lnd in the form of ln-service, which would read a dozen services for each: most of a second, in which
 * the node does nothing else, at every start and whenever a connection that died is given up. Nothing is sent yet.
 */
export function dial(connection: {
  readonly socket: string;
  readonly cert: Uint8Array;
  readonly macaroon: Uint8Array;
}): AuthenticatedLnd {
  packages ??= read();
  const metadata = new Metadata();
  metadata.add('macaroon', Buffer.from(connection.macaroon).toString('hex'));
  const allowed = credentials.createFromMetadataGenerator((_, give) => give(null, metadata));
  const secured = credentials.combineChannelCredentials(credentials.createSsl(Buffer.from(connection.cert)), allowed);
  const endless = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };
  const clients = Object.entries(services).map(([name, [group, service]]) => {
    const Client = packages?.[group]?.[service];
    if (Client === undefined) throw new Error(`the interface of lnd has no ${service}`);
    return [name, new Client(connection.socket, secured, endless)] as const;
  });
  return Object.fromEntries(clients) as unknown as AuthenticatedLnd;
}
