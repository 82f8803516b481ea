import type { Answer } from '../../adapters/probe/answer.ts';
import type { CertificateFacts } from '../../adapters/tls/probe.ts';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { DatabaseFacts } from '../../store/inspect.ts';
import { spanInWords } from '../../domain/time.ts';
import { rowsOf, unansweredSentence, type Endpoint, type Row, type Rows } from './row.ts';

/** What lies on this machine: the folder, the files that the configuration names, the proxy in front of everything. */
export interface MachineFacts {
  readonly credentials: readonly CredentialFacts[];
  readonly certificates: readonly CertificateFacts[];
  readonly folder: FolderFacts;
  readonly proxy: (Endpoint & { readonly answer: Answer<unknown> }) | null;
  /**
   * Why a folder that is rolled back as a whole may go unnoticed; left out or null where nothing is wrong with that.
   */
  readonly unguarded?: string | null;
}

/** What became of reading a credential. */
export interface CredentialFacts {
  /** Its place in the configuration: `lnd.macaroon`. */
  readonly name: string;
  readonly is: 'read' | 'sealed' | 'unreadable';
  /** What keeps it away, in a sentence. */
  readonly sentence: string;
}

export interface FolderFacts {
  readonly path: string;
  readonly there: boolean;
  /** Whether others than its owner may look into it. */
  readonly open: boolean;
  /** What its first start bound it to: a network, or `sandbox`; null for a fresh one. */
  readonly boundTo: string | null;
  readonly freeBytes: number;
  readonly database: DatabaseFacts | null;
}

export interface Limits {
  readonly network: BitcoinNetwork;
  readonly sandbox: boolean;
  readonly perNetworkSats: Readonly<Record<string, number>>;
  readonly perHourSats: number;
  readonly perDaySats: number;
  readonly machine: number;
}

/** Bytes that a busy node writes in weeks, and those below which the next commit may fail. */
const room = { warn: 1_000_000_000, fail: 50_000_000 } as const;
/** Seconds before a certificate's end at which an owner should know. */
const endsSoon = 30 * 86_400;

export function judgeMachine(facts: MachineFacts, limits: Limits): Row[] {
  const rows = rowsOf('node');
  rows.pass(
    'configuration',
    'The configuration can be read, and its values fit each other (network ' +
      `${limits.sandbox ? 'sandbox' : limits.network}).`,
  );
  for (const credential of facts.credentials) judgeCredential(rows, credential);
  for (const certificate of facts.certificates) judgeCertificate(rows, certificate, limits.machine);
  judgeFolder(rows, facts.folder, limits);
  if (facts.unguarded !== undefined && facts.unguarded !== null) rows.warn('marks', facts.unguarded);
  if (!limits.sandbox) judgeCaps(rows, limits);
  if (facts.proxy !== null) {
    if (facts.proxy.answer.is === 'unanswered')
      rows.fail(
        'socks',
        `${unansweredSentence(facts.proxy, facts.proxy.answer).slice(0, -1)}. Until then only addresses ` +
          'of this machine are reached.',
      );
    else rows.pass('socks', `${facts.proxy.name} answers.`);
  }
  return [...rows.list];
}

function judgeCredential(rows: Rows, { name, is, sentence }: CredentialFacts): void {
  if (is === 'read') rows.pass('credentials', `${name} can be read.`);
  else if (is === 'sealed')
    rows.warn(
      'credentials',
      `${sentence} Its endpoint was not checked: name the passphrase of the seed with --passphrase-file, or ask ` +
        'the running node (GET /owner/doctor).',
    );
  else rows.fail('credentials', sentence);
}

function judgeCertificate(rows: Rows, { setting, host, certificate }: CertificateFacts, now: number): void {
  if (certificate === null)
    return rows.fail(
      'certificate',
      `The file of ${setting} holds no certificate: copy the one that the endpoint uses (PEM text).`,
    );
  const { from, until, forHost, names } = certificate;
  if (now < from)
    rows.fail(
      'certificate',
      `The certificate of ${setting} is valid in ${spanInWords(from - now)} only: set this machine's clock.`,
    );
  else if (now > until)
    rows.fail(
      'certificate',
      `The certificate of ${setting} expired ${spanInWords(now - until)} ago: let the endpoint make a new one and ` +
        'copy it.',
    );
  else if (!forHost)
    rows.fail(
      'certificate',
      `The certificate of ${setting} is made for ${names}, not for ${host}: connect by one of those names, or let ` +
        `the endpoint make one for ${host} (lnd: tlsextraip or tlsextradomain).`,
    );
  else if (until - now < endsSoon)
    rows.warn(
      'certificate',
      `The certificate of ${setting} expires in ${spanInWords(until - now)}: let the endpoint make a new one and ` +
        'copy it before.',
    );
  else
    rows.pass(
      'certificate',
      `The certificate of ${setting} is made for ${host} and good for ` +
        `${spanInWords(Math.min(until - now, 36_500 * 86_400))}.`,
    );
}

function judgeFolder(rows: Rows, folder: FolderFacts, { network, sandbox }: Limits): void {
  const { path, there, open, boundTo, freeBytes, database } = folder;
  const ours = sandbox ? 'sandbox' : network;
  const bound = boundTo ?? database?.network ?? null;
  if (!there) rows.pass('folder', `The data folder ${path} is made by the first start.`);
  else if (bound !== null && bound !== ours)
    rows.fail(
      'folder',
      `The data folder ${path} belongs to ${bound} for ever, the configuration says ${ours}: choose another ` +
        'folder with --data-dir.',
    );
  else if (open)
    rows.fail('folder', `Others on this machine can look into the data folder ${path}: "chmod 700 ${path}".`);
  else rows.pass('folder', `The data folder ${path} is ${bound === null ? 'fresh' : `bound to ${bound}`}.`);
  if (freeBytes < room.fail)
    rows.fail(
      'disk',
      `${megabytes(freeBytes)} MB are free for ${path}: free some at once, without room no new state of a swap ` +
        'can be saved.',
    );
  else if (freeBytes < room.warn)
    rows.warn(
      'disk',
      `${megabytes(freeBytes)} MB are free for ${path}, ${megabytes(room.warn)} are good: free some soon.`,
    );
  else rows.pass('disk', `${megabytes(freeBytes)} MB are free for ${path}.`);
  if (database === null) return;
  const { checked, damage, schema, knownSchema, openSwaps } = database;
  if (damage !== null)
    rows.fail(
      'database',
      `The database in ${path} is damaged (${damage}): stop the node, keep a copy, and put back the newest backup.`,
    );
  else if (schema > knownSchema)
    rows.fail(
      'database',
      `The database in ${path} has schema ${schema}, this build knows up to ${knownSchema}: start a newer Sluice.`,
    );
  else
    rows.pass(
      'database',
      `The database ${checked ? 'is whole' : 'can be read, "npm run doctor" reads all of it'} (schema ${schema}, ` +
        `${openSwaps} open ${openSwaps === 1 ? 'swap' : 'swaps'}).`,
    );
}

/** What a mistake or an attack can cost is decided by these. */
function judgeCaps(rows: Rows, { network, perNetworkSats, perHourSats, perDaySats }: Limits): void {
  const unset = [
    ...(perHourSats === 0 ? ['caps.perHourSats'] : []),
    ...(perDaySats === 0 ? ['caps.perDaySats'] : []),
    ...(Object.values(perNetworkSats).every((cap) => cap === 0) ? ['caps.perNetworkSats'] : []),
  ];
  if (unset.length === 0) rows.pass('caps', 'Caps bound what swaps may hold at once, in an hour and in a day.');
  else if (network === 'mainnet')
    rows.warn(
      'caps',
      `${unset.join(', ')} ${unset.length === 1 ? 'is' : 'are'} not set: nothing bounds what a mistake or an ` +
        'attack can cost, so set what you can bear.',
    );
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1_000_000);
}
