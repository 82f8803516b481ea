import type { Answer } from '../../adapters/probe/answer.ts';
import type { BitcoinFacts } from '../../adapters/bitcoin/probe.ts';
import { networkOfGenesis, otherNetwork, type BitcoinNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import { spanInWords } from '../../domain/time.ts';
import type { ClockLimits } from '../../legs/clock-limits.ts';
import { totalOf } from '../../legs/onchain/reserve.ts';
import type { FeeReserve } from '../../legs/onchain/fee-reserve.ts';
import { judgeClock, judgeLatency, rowsOf, judgeUnanswered, type Endpoint, type Row, type Rows } from './row.ts';
import { judgeVersion } from './versions.ts';

export interface BitcoinEndpoint extends Endpoint {
  /** `node` and `own` are the owner's: of those that are configured the first kind decides. */
  readonly kind: 'node' | 'own' | 'public';
  readonly answer: Answer<BitcoinFacts>;
}

/** Blocks that two endpoints may differ: one of them hears of a block a little later. */
export const blocksApart = 2;

/** Blocks that the adapter looks back for spends and transactions: a week. */
const lookedBack = 1_008;

/** Seconds without a block from which on it is told: twice a year as many pass. */
const quiet = 5_400;
/**
 * Seconds that a block's time may lie ahead of its receiver's clock (Bitcoin Core, MAX_FUTURE_BLOCK_TIME); honest
 * miners stay far below.
 */
const ahead = { warn: 900, fail: 7_200 } as const;

interface On {
  readonly network: BitcoinNetwork;
  readonly machine: number;
  readonly wall: number;
  /** Where new swaps over Bitcoin begin to wait. */
  readonly limits: ClockLimits;
  /** What the sources of a running node contradict each other in. */
  readonly disagreement: string | null;
  /** What the wallet of a running node is to keep for fees, and keeps. */
  readonly reserve: Reserve | null;
}

/** In sats, and in coins that suffice by themselves; `held` is null while the wallet is unread. */
export interface Reserve extends FeeReserve {
  readonly held: Sats | null;
  readonly heldIn: number;
}

export function judgeBitcoin(endpoints: readonly BitcoinEndpoint[], on: On): Row[] {
  const rows = rowsOf('bitcoin');
  if (endpoints.length === 0)
    rows.warn(
      'connection',
      'No Bitcoin endpoint is configured, and without its clock no direction is offered: set bitcoin.core or ' +
        'bitcoin.esplora.',
    );
  const sameChain: { name: string; facts: BitcoinFacts }[] = [];
  for (const endpoint of endpoints) {
    const { name, answer } = endpoint;
    if (answer.is === 'unanswered') {
      judgeUnanswered(rows, endpoint, answer);
      continue;
    }
    const { facts } = answer;
    rows.pass('connection', `${name} answers.`);
    const theirs = networkOfGenesis(facts.genesis, facts.second);
    if (theirs !== on.network) {
      rows.fail('network', otherNetwork(name, theirs, on.network));
      continue;
    }
    rows.pass('network', `${name} is on ${theirs}.`);
    sameChain.push({ name, facts });
    judgeOne(rows, name, facts, on);
  }
  judgeAgreement(rows, sameChain);
  judgeTrust(rows, endpoints);
  if (on.disagreement !== null)
    rows.fail('disagreement', `${on.disagreement} Until then new swaps over Bitcoin wait, and open ones go on.`);
  if (on.reserve !== null) judgeReserve(rows, on.reserve);
  return [...rows.list];
}

function judgeReserve(rows: Rows, { coins, each, held, heldIn }: Reserve): void {
  if (coins === 0 || held === null) return;
  const total = totalOf({ coins, each });
  const wanted = `${coins} coins of ${each} sats for fees of what is open`;
  if (held < total)
    rows.fail(
      'reserve',
      `The Bitcoin wallet holds ${held} sats, and should keep ${wanted}: deposit ${total - held} more. Until then ` +
        'nothing new is funded on the chain, and claims go on.',
    );
  else if (heldIn < coins)
    rows.warn(
      'reserve',
      `The Bitcoin wallet should keep ${wanted}, and has ${heldIn} that suffice: only so many transactions can ` +
        'have their fee raised at once. Coins are split when fees are low; a deposit in several parts helps now.',
    );
  else rows.pass('reserve', `The Bitcoin wallet keeps ${wanted}.`);
}

function judgeOne(rows: Rows, name: string, facts: BitcoinFacts, on: On): void {
  if (facts.version !== null) judgeVersion(rows, name, facts.version.includes('btcd') ? 'btcd' : 'core', facts.version);
  judgeSync(rows, name, facts, on);
  judgeLag(rows, name, facts, on);
  judgeClock(rows, name, facts.clock, on.machine);
  judgeHistory(rows, name, facts);
  if (facts.forbidden.length > 0)
    rows.fail(
      'methods',
      `${name} does not let this user call ${facts.forbidden.join(', ')}: name them in its rpcwhitelist, or leave ` +
        'that out.',
    );
  if (facts.peers === 0 && on.network !== 'regtest')
    rows.fail('peers', `${name} has no peers, so it relays no transaction: check its connection.`);
  judgeLatency(rows, name, facts.latencyMs);
}

/** A node without indexes is asked block by block what happened to a coin. */
function judgeHistory(rows: Rows, name: string, { prunedBelow, height }: BitcoinFacts): void {
  if (prunedBelow === null) return;
  const blocksKept = height - prunedBelow + 1;
  if (blocksKept < lookedBack)
    rows.warn(
      'history',
      `${name} keeps the last ${blocksKept} blocks only, up to ${lookedBack} are looked through after an absence: ` +
        'let it keep more (its prune setting), or name an Esplora server beside it.',
    );
  else rows.pass('history', `${name} keeps the last ${blocksKept} blocks.`);
}

const waiting = 'New swaps over Bitcoin wait until then.';

function judgeSync(rows: Rows, name: string, facts: BitcoinFacts, { network, wall, limits }: On): void {
  const lacks = (facts.headers ?? facts.height) - facts.height;
  const age = wall - facts.tipTime;
  const [here, real] = [`${name} is at height ${facts.height}, its last block is`, network !== 'regtest'];
  if (lacks > blocksApart)
    rows.fail(
      'sync',
      `${name} is at height ${facts.height} and knows of ${lacks} blocks more: wait until it has them.`,
    );
  else if (facts.syncing === true && real)
    rows.fail(
      'sync',
      `${name} still downloads the history of the chain (height ${facts.height}): wait until it has it.`,
    );
  else if (-age > ahead.fail)
    rows.fail(
      'sync',
      `The last block of ${name} is ${spanInWords(-age)} ahead of this machine's clock, at most ` +
        `${spanInWords(ahead.fail)} are possible: set this machine's clock.`,
    );
  else if (-age > ahead.warn && real)
    rows.warn(
      'sync',
      `The last block of ${name} is ${spanInWords(-age)} ahead of this machine's clock, which its miner may have ` +
        `chosen: if the next ones are too, set this machine's clock.`,
    );
  else if (age > limits.tipAge.seconds && limits.tipAge.strict)
    rows.fail(
      'sync',
      `${name} had its last block ${spanInWords(age)} ago: it is cut off from the network, or this machine's ` +
        `clock is ahead. ${waiting}`,
    );
  else if (age > quiet && real)
    rows.warn(
      'sync',
      `${name} had its last block ${spanInWords(age)} ago: look again in half an hour, and at its connection if ` +
        'nothing came.',
    );
  else if (age < 0) rows.pass('sync', `${here} ${spanInWords(-age)} ahead of this machine's clock.`);
  else rows.pass('sync', `${here} ${spanInWords(age)} old.`);
}

/** The clock that judges timelocks beside the one of this machine: how far apart they are, told to the owner alone. */
function judgeLag(rows: Rows, name: string, { mtp }: BitcoinFacts, { wall, limits: { lag, behind } }: On): void {
  if (mtp === null) return;
  const apart = wall - mtp;
  const off =
    `The median time past of ${name} is ${spanInWords(Math.abs(apart))} ${apart < 0 ? 'ahead of' : 'behind'} this ` +
    `machine's clock`;
  if (-apart > behind.seconds)
    rows.fail(
      'lag',
      `This machine's clock is ${spanInWords(-apart)} behind the median time past of ${name}: set it by a time ` +
        `service. ${waiting}`,
    );
  else if (apart > lag.seconds)
    rows[lag.strict ? 'fail' : 'warn'](
      'lag',
      `${off}, up to ${spanInWords(lag.seconds)} are usual: blocks are slow, or this machine's clock is ` +
        `ahead.${lag.strict ? ` ${waiting}` : ''}`,
    );
  else rows.pass('lag', `${off}.`);
}

/** Whose word a confirmation takes, in one sentence (DECISIONS.md, "Bitcoin's sources prove what they say"). */
function judgeTrust(rows: Rows, endpoints: readonly BitcoinEndpoint[]): void {
  const deciding =
    (['node', 'own'] as const)
      .map((kind) => endpoints.filter((endpoint) => endpoint.kind === kind))
      .find((those) => those.length > 0) ?? endpoints;
  const [first] = deciding;
  if (first === undefined) return;
  if (deciding.length > 1)
    rows.pass(
      'trust',
      `${deciding.length} Bitcoin servers must agree on a block before it counts as confirmed; while one of them ` +
        'is silent nothing does.',
    );
  else if (first.kind === 'public')
    rows.warn(
      'trust',
      `${first.name} is the only Bitcoin source, and its word counts: connect a node of your own, or name a ` +
        'second server beside it.',
    );
  else
    rows.pass(
      'trust',
      `${first.name} is your own, and its word ` +
        `counts${endpoints.length > 1 ? '; the others are checked against it' : ''}.`,
    );
}

/** Two sources that disagree are the only sign of one that lies or stands still. */
function judgeAgreement(rows: Rows, sameChain: readonly { name: string; facts: BitcoinFacts }[]): void {
  if (sameChain.length < 2) return;
  const byHeight = sameChain.toSorted((a, b) => a.facts.height - b.facts.height);
  const [lowest, highest] = [byHeight[0], byHeight.at(-1)];
  if (lowest === undefined || highest === undefined) return;
  const apart = highest.facts.height - lowest.facts.height;
  if (apart > blocksApart)
    rows.fail(
      'agreement',
      `${lowest.name} is ${apart} blocks behind ${highest.name}: it is cut off, or the other one is on a chain of ` +
        'its own.',
    );
  else if (apart === 0 && lowest.facts.tip !== highest.facts.tip)
    rows.warn(
      'agreement',
      `${lowest.name} and ${highest.name} have different blocks at height ${highest.facts.height}: look again ` +
        'after the next block, one of them is on a branch.',
    );
  else rows.pass('agreement', `The ${sameChain.length} Bitcoin endpoints follow one chain.`);
}
