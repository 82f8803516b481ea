import type { Answer } from '../adapters/probe/answer.ts';
import type { BitcoinFacts } from '../adapters/bitcoin/probe.ts';
import { networkOfGenesis, otherNetwork, type BitcoinNetwork } from '../domain/chain.ts';
import { spanInWords } from '../domain/time.ts';
import { judgeClock, judgeLatency, rowsOf, judgeUnanswered, type Endpoint, type Row, type Rows } from './row.ts';
import { judgeVersion } from './versions.ts';

export interface BitcoinEndpoint extends Endpoint {
  readonly answer: Answer<BitcoinFacts>;
}

/** Blocks that two endpoints may differ: one of them hears of a block a little later. */
export const blocksApart = 2;

/** Blocks that the adapter looks back for spends and transactions: a week. */
const lookedBack = 1_008;

/** Seconds without a block: twice a year an hour and a half passes; four hours pass once in thousands of years. */
const quiet = { warn: 5_400, fail: 14_400 } as const;
/** Seconds that a block's time may lie ahead of its receiver's clock (Bitcoin Core, MAX_FUTURE_BLOCK_TIME). */
const ahead = 7_200;

export function judgeBitcoin(endpoints: readonly BitcoinEndpoint[], on: { network: BitcoinNetwork; machine: number; wall: number }): Row[] {
  const rows = rowsOf('bitcoin');
  if (endpoints.length === 0) rows.warn('connection', 'No Bitcoin endpoint is configured, and without its clock no direction is offered: set bitcoin.core or bitcoin.esplora.');
  const known: { name: string; facts: BitcoinFacts }[] = [];
  for (const endpoint of endpoints) {
    const { name, answer } = endpoint;
    if (answer.is === 'unanswered') {
      judgeUnanswered(rows, endpoint, answer);
      continue;
    }
    const { facts } = answer;
    rows.pass('connection', `${name} answers.`);
    const theirs = networkOfGenesis(facts.genesis);
    if (theirs !== on.network) {
      rows.fail('network', otherNetwork(name, theirs, on.network));
      continue;
    }
    rows.pass('network', `${name} is on ${theirs}.`);
    known.push({ name, facts });
    judgeOne(rows, name, facts, on);
  }
  judgeAgreement(rows, known);
  return [...rows.list];
}

function judgeOne(rows: Rows, name: string, facts: BitcoinFacts, on: { network: BitcoinNetwork; machine: number; wall: number }): void {
  if (facts.version !== null) judgeVersion(rows, name, facts.version.includes('btcd') ? 'btcd' : 'core', facts.version);
  judgeSync(rows, name, facts, on);
  judgeClock(rows, name, facts.clock, on.machine);
  judgeHistory(rows, name, facts);
  if (facts.peers === 0 && on.network !== 'regtest') rows.fail('peers', `${name} has no peers, so nothing that it is sent leaves it: look at its connection.`);
  judgeLatency(rows, name, facts.latencyMs);
}

/** A node without indexes is asked block by block what happened to a coin. */
function judgeHistory(rows: Rows, name: string, { prunedBelow, height }: BitcoinFacts): void {
  if (prunedBelow === null) return;
  const kept = height - prunedBelow + 1;
  if (kept < lookedBack) rows.warn('history', `${name} keeps the last ${kept} blocks only, up to ${lookedBack} are looked through after an absence: let it keep more (its prune setting), or name an Esplora server beside it.`);
  else rows.pass('history', `${name} keeps the last ${kept} blocks.`);
}

function judgeSync(rows: Rows, name: string, facts: BitcoinFacts, on: { network: BitcoinNetwork; wall: number }): void {
  const lacks = (facts.headers ?? facts.height) - facts.height;
  const age = on.wall - facts.tipTime;
  if (lacks > blocksApart) rows.fail('sync', `${name} is at height ${facts.height} and knows of ${lacks} blocks more: wait until it has them.`);
  else if (facts.syncing === true && on.network !== 'regtest') rows.fail('sync', `${name} still downloads the history of the chain (height ${facts.height}): wait until it has it.`);
  else if (-age > ahead) rows.fail('sync', `The last block of ${name} is ${spanInWords(-age)} ahead of this machine's clock, at most ${spanInWords(ahead)} are possible: set this machine's clock.`);
  else if (age > quiet.fail && on.network !== 'regtest') rows.fail('sync', `${name} had its last block ${spanInWords(age)} ago: it is cut off from the network, or this machine's clock is ahead.`);
  else if (age > quiet.warn && on.network !== 'regtest') rows.warn('sync', `${name} had its last block ${spanInWords(age)} ago: look again in half an hour, and at its connection if nothing came.`);
  else rows.pass('sync', `${name} is at height ${facts.height}, its last block is ${spanInWords(Math.max(0, age))} old.`);
}

/** Two sources that disagree are the only sign of one that lies or stands still. */
function judgeAgreement(rows: Rows, known: readonly { name: string; facts: BitcoinFacts }[]): void {
  if (known.length < 2) return;
  const byHeight = known.toSorted((a, b) => a.facts.height - b.facts.height);
  const [lowest, highest] = [byHeight[0], byHeight.at(-1)];
  if (lowest === undefined || highest === undefined) return;
  const apart = highest.facts.height - lowest.facts.height;
  if (apart > blocksApart) rows.fail('agreement', `${lowest.name} is ${apart} blocks behind ${highest.name}: it is cut off, or the other one is on a chain of its own.`);
  else if (apart === 0 && lowest.facts.tip !== highest.facts.tip) rows.warn('agreement', `${lowest.name} and ${highest.name} have different blocks at height ${highest.facts.height}: look again after the next block, one of them is on a branch.`);
  else rows.pass('agreement', `The ${known.length} Bitcoin endpoints follow one chain.`);
}
