import type { Unanswered } from '../../adapters/probe/answer.ts';
import type { LndProbe } from '../../adapters/lnd/probe.ts';
import { otherNetwork, type BitcoinNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { spanInWords } from '../../domain/time.ts';
import { cutWords } from '../../domain/words.ts';
import { closeUnpaid, needsHalf } from '../../legs/lightning/closing-cost.ts';
import { failedOnLightning } from '../../legs/lightning/failures.ts';
import { blocksApart } from './bitcoin.ts';
import { judgeLatency, rowsOf, judgeUnanswered, type Endpoint, type Row, type Rows } from './row.ts';
import { judgeVersion } from './versions.ts';

export interface LightningEndpoint extends Endpoint {
  readonly probe: LndProbe | Unanswered;
  /** Where the owner makes the macaroon that may do what is needed and no more. */
  readonly bakeCommand: string;
}

export function judgeLightning(
  endpoint: LightningEndpoint | null,
  on: { network: BitcoinNetwork; wall: number; height: number | null },
): Row[] {
  const rows = rowsOf('lightning');
  if (endpoint === null) {
    rows.warn(
      'connection',
      'No Lightning node is configured: directions that need it are not offered until lnd is set.',
    );
    return [...rows.list];
  }
  const { name, probe } = endpoint;
  if ('is' in probe) {
    judgeUnanswered(rows, endpoint, probe);
    return [...rows.list];
  }
  const rightsHold = judgeRights(rows, endpoint, probe);
  const { node } = probe;
  if (node instanceof PortFailure) {
    // A macaroon that may not even ask is named as that, once.
    if (rightsHold || !failedOnLightning(node, 'lightning-unauthorized')) judgeUnanswered(rows, endpoint, whyOf(node));
    return [...rows.list];
  }
  rows.pass(
    'connection',
    `${name} answers as ${node.alias === '' ? node.pubkey.slice(0, 16) : JSON.stringify(node.alias)}.`,
  );
  if (needsHalf(node.version))
    rows.fail(
      'version',
      `${name} runs ${cutWords(node.version, 100)}, which claims nothing on the chain without coins for half of each ` +
        'payment: update lnd to 0.20 or newer; no swap over Lightning is begun before.',
    );
  else judgeVersion(rows, name, 'lnd', node.version);
  if (node.network !== on.network) {
    rows.fail('network', otherNetwork(name, node.network, on.network));
    return [...rows.list];
  }
  rows.pass('network', `${name} is on ${node.network}.`);
  judgeSync(rows, name, node, on);
  judgeChannels(rows, endpoint, probe);
  judgeClosing(rows, endpoint, probe);
  judgeLatency(rows, name, node.latencyMs);
  return [...rows.list];
}

/** True when the macaroon may do all that is needed. */
function judgeRights(
  rows: Rows,
  { name, credentials = 'the macaroon', bakeCommand }: LightningEndpoint,
  { rights }: LndProbe,
): boolean {
  if (rights === null) {
    rows.fail(
      'macaroon',
      `The file of ${credentials} holds no macaroon that lnd bakes: copy the one that "${bakeCommand}" makes.`,
    );
    return false;
  }
  const { lacking, unlisted, excess } = rights;
  if (lacking.length > 0)
    rows.fail(
      'macaroon',
      `The macaroon for ${name} lacks the right to ${lacking.join(', ')}: replace it by what "${bakeCommand}" makes.`,
    );
  else if (unlisted.length > 0)
    rows.warn(
      'macaroon',
      `The macaroon for ${name} lacks the right to ${unlisted.join(', ')}, so the books are not compared with all that ` +
        `it holds: replace it by what "${bakeCommand}" makes.`,
    );
  else if (excess.length > 0)
    rows.warn(
      'macaroon',
      `The macaroon for ${name} may do more than this node needs (${excess.join(', ')}): whoever steals it may ` +
        `too, so replace it by what "${bakeCommand}" makes.`,
    );
  else rows.pass('macaroon', `The macaroon for ${name} may do what is needed and no more.`);
  return lacking.length === 0;
}

/** gRPC tells a connection that was never made in words only. */
function whyOf(failure: PortFailure): Pick<Unanswered, 'why' | 'words'> {
  const words = failure.message;
  if (failedOnLightning(failure, 'lightning-unauthorized'))
    return { why: 'credentials', words: 'it was made by another node, or was revoked' };
  if (failedOnLightning(failure, 'lightning-timeout'))
    return { why: 'late', words: 'lnd says nothing while its Bitcoin backend is away' };
  if (failedOnLightning(failure, 'lightning-starting')) return { why: 'starting', words };
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(words)) return { why: 'refused', words };
  if (/ENOTFOUND|name resolution/i.test(words)) return { why: 'unknown-host', words };
  if (/wrong version number|packet length too long/i.test(words))
    return { why: 'not-it', words: 'it speaks without TLS, which lnd always uses' };
  if (/certificate|altname|self.signed|SSL|TLS/i.test(words))
    return { why: 'certificate', words: certificateWords(words) };
  return { why: 'other', words };
}

/** The part of gRPC's long sentence that is about the certificate. */
function certificateWords(words: string): string {
  return /Last error: (?:Error: )?([^.()]+)/.exec(words)?.[1]?.trim() ?? words;
}

function judgeSync(
  rows: Rows,
  name: string,
  node: Exclude<LndProbe['node'], PortFailure>,
  on: { network: BitcoinNetwork; wall: number; height: number | null },
): void {
  const apart = on.height === null ? 0 : Math.abs(node.height - on.height);
  if (!node.synced)
    rows.fail(
      'sync',
      `${name} does not follow the chain, it is at height ${node.height} with a block of ` +
        `${spanInWords(Math.max(0, on.wall - node.tipTime))} ago: wait until it does, or look at its Bitcoin ` +
        'backend.',
    );
  else rows.pass('sync', `${name} follows the chain at height ${node.height}.`);
  if (!node.syncedToGraph && on.network !== 'regtest')
    rows.warn(
      'graph',
      `${name} does not know the whole Lightning graph yet: payments may find no route until it does.`,
    );
  if (on.height === null) return;
  if (apart > blocksApart)
    rows.fail(
      'one chain',
      `${name} is at height ${node.height}, the Bitcoin endpoint at ${on.height}: one of them is behind or on ` +
        'another chain. Fix that one: timeouts need both.',
    );
  else rows.pass('one chain', `${name} and the Bitcoin endpoint are at the same height.`);
}

/** Sats per virtual byte; the node goes by what blocks ask for now. */
const modestRate = 10;

/** What lnd pays for the close of a channel from; whoever lists no channels is named as that, once. */
function judgeClosing(rows: Rows, { name }: LightningEndpoint, { channels, closing }: LndProbe): void {
  if (channels instanceof PortFailure) return;
  if (closing instanceof PortFailure) {
    if (!failedOnLightning(closing, 'lightning-unauthorized'))
      rows.fail('chain wallet', `${name} did not tell what its own wallet has (${closing.message}): look at its log.`);
    return;
  }
  const lacks = closeUnpaid(closing, modestRate, 1);
  if (lacks === null)
    rows.pass('chain wallet', `The own wallet of ${name} has ${closing.coins} sats to close channels with.`);
  else
    rows.warn(
      'chain wallet',
      `At ${modestRate} sats per virtual byte no swap over Lightning is begun or paid. ${lacks}`,
    );
}

function judgeChannels(rows: Rows, { name }: LightningEndpoint, { channels }: LndProbe): void {
  if (channels instanceof PortFailure) {
    if (!failedOnLightning(channels, 'lightning-unauthorized'))
      rows.fail('channels', `${name} did not list its channels (${channels.message}): look at its log.`);
    return;
  }
  const { active, inactive, unsure, outbound, inbound } = channels;
  const room = `${outbound} sats can be sent and ${inbound} received`;
  const rest = unsure === 0 ? '' : ` Payments over ${unsure} of its channels are not held safely, and do not count.`;
  if (active + inactive === 0)
    rows.warn('channels', `${name} has no channel: open one, and have one opened to it, to swap in both directions.`);
  else if (active === 0)
    rows.warn(
      'channels',
      `None of the ${inactive} channels of ${name} is active: wait for its peers, or open one to another.`,
    );
  else if (unsure === active)
    rows.warn(
      'channels',
      `None of the ${active} active channels of ${name} surely holds a payment: the funding of each is not mined yet, ` +
        'or its peer alone sets the fee of its transactions. Open a channel with anchors, or have one opened to you; ' +
        'until then swaps from Lightning are not offered.',
    );
  else if (outbound === 0n || inbound === 0n)
    rows.warn(
      'channels',
      `${room} by ${name}: ` +
        `${outbound === 0n ? 'payouts over Lightning need local balance' : 'receiving needs remote balance'} ` +
        `of a channel.${rest}`,
    );
  else
    rows.pass(
      'channels',
      `${room} by ${name}${inactive === 0 ? '' : `, ${inactive} of ${active + inactive} channels are not active`}.${rest}`,
    );
}
