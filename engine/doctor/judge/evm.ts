import type { Answer } from '../../adapters/probe/answer.ts';
import type { ChainFacts, EvmFacts } from '../../adapters/evm/probe.ts';
import { otherNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { spanInWords } from '../../domain/time.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { judgeClock, judgeLatency, rowsOf, judgeUnanswered, type Endpoint, type Row, type Rows } from './row.ts';

export interface EvmEndpoint extends Endpoint {
  readonly answer: Answer<EvmFacts>;
}

export interface EvmChain {
  readonly chainId: string;
  readonly rpcs: readonly EvmEndpoint[];
  /** Who pays for gas; null where nobody brought the seed. */
  readonly account: EvmAddress | null;
  /** Wei that it should have at least. */
  readonly floor: bigint;
  /** What stands on the chain; null where no RPC of it answers. */
  readonly standing: Answer<ChainFacts> | null;
}

const chainNames: Readonly<Record<string, string>> = {
  '1': 'Ethereum',
  '137': 'Polygon',
  '42161': 'Arbitrum One',
  '30': 'Rootstock',
  '31': 'Rootstock testnet',
  '10': 'Optimism',
  '8453': 'Base',
  '11155111': 'Sepolia',
};

/** Seconds without a block that are still usual: Rootstock's come every half minute, the others' faster. */
const quiet = 180;
/** Seconds that a block may be ahead of an honest clock: a slot, and clocks that drift. */
const ahead = 60;
/** Seconds of blocks by which two RPCs of a chain may differ. */
const apartSeconds = 60;

export function judgeEvm(
  { chainId, rpcs, ...chain }: EvmChain,
  { machine, maxTipAge }: { machine: number; maxTipAge: number },
): Row[] {
  const rows = rowsOf(`evm:${chainId}`);
  const sameChain: { name: string; facts: EvmFacts }[] = [];
  for (const rpc of rpcs) {
    const { name, answer } = rpc;
    if (answer.is === 'unanswered') {
      judgeUnanswered(rows, rpc, answer);
      continue;
    }
    const { facts } = answer;
    rows.pass('connection', `${name} answers${facts.version === null ? '' : ` as ${facts.version.slice(0, 60)}`}.`);
    if (String(facts.chainId) !== chainId) {
      rows.fail('network', otherNetwork(name, called(String(facts.chainId)), called(chainId)));
      continue;
    }
    rows.pass('network', `${name} is on ${called(chainId)}.`);
    sameChain.push({ name, facts });
    const age = machine - facts.blockTime;
    if (facts.behind > 0)
      rows.fail('sync', `${name} lacks ${facts.behind} blocks: wait until it has them, or use another one.`);
    else if (-age > ahead)
      rows.fail(
        'sync',
        `The last block of ${name} is ${spanInWords(-age)} ahead of this machine's clock: set it by a time service.`,
      );
    else if (age > maxTipAge)
      rows.fail(
        'sync',
        `${name} had its last block ${spanInWords(age)} ago: it stands still, use another one, or look at this ` +
          `machine's clock.`,
      );
    else if (age > quiet)
      rows.warn('sync', `${name} had its last block ${spanInWords(age)} ago: look again in some minutes.`);
    else
      rows.pass(
        'sync',
        `${name} is at height ${facts.height}, its last block is ${spanInWords(Math.max(0, age))} old.`,
      );
    judgeClock(rows, name, facts.clock, machine);
    judgeLatency(rows, name, facts.latencyMs);
  }
  judgeStanding(rows, { chainId, rpcs, ...chain });
  if (rpcs.length < 2)
    rows.warn(
      'agreement',
      `Only one RPC of ${called(chainId)} is configured: a late or false answer goes unnoticed, so name a ` +
        'second one of another provider.',
    );
  const byTime = sameChain.toSorted((a, b) => a.facts.blockTime - b.facts.blockTime);
  const [last, first] = [byTime[0], byTime.at(-1)];
  if (last === undefined || first === undefined || last === first) return [...rows.list];
  const [apart, blocks] = [first.facts.blockTime - last.facts.blockTime, first.facts.height - last.facts.height];
  if (apart > apartSeconds)
    rows.fail(
      'agreement',
      `${last.name} is ${Math.abs(blocks)} blocks (${spanInWords(apart)}) behind ${first.name}: one of them ` +
        'stands still or is on a chain of its own, replace it.',
    );
  else
    rows.pass('agreement', `The ${sameChain.length} RPCs of ${called(chainId)} are ${Math.abs(blocks)} blocks apart.`);
  return [...rows.list];
}

/** Contracts that are not ours take money that nobody gets out, and without gas nothing of ours is ever taken back. */
function judgeStanding(rows: Rows, { chainId, account, floor, standing }: EvmChain): void {
  if (standing === null) return;
  if (standing.is === 'unanswered') {
    rows.warn(
      'contracts',
      `The contracts of ${called(chainId)} could not be looked at (${standing.words}): look again in some minutes.`,
    );
    return;
  }
  const { contracts, gas } = standing.facts;
  for (const { name, address, state } of contracts) {
    const place = `${name} of ${called(chainId)} at ${checksummed(address)}`;
    if (state === 'ours') rows.pass('contracts', `${place} is the one of this build.`);
    else if (state === 'like ours')
      rows.warn(
        'contracts',
        `${place} answers as it should, with code that is not of this build: make sure that you know whose it is.`,
      );
    else if (state === 'missing')
      rows.fail(
        'contracts',
        `${place} is not there: deploy it by the checklist or npm run deploy-contracts, or correct ` +
          `evm.${chainId}.contracts.`,
      );
    else
      rows.fail(
        'contracts',
        `${place} is another contract: correct evm.${chainId}.contracts, money that is locked there is lost.`,
      );
  }
  if (account === null || gas === null) return;
  const has = `The account ${checksummed(account)} has ${coins(gas)} coins of ${called(chainId)} for gas`;
  if (gas < floor) rows.fail('gas', `${has}, and no new swap is begun below ${coins(floor)}: send it some.`);
  else rows.pass('gas', `${has}.`);
}

/** Wei as whole coins, cut off after six decimals. */
function coins(wei: bigint): string {
  const millionths = wei / 10n ** 12n;
  const rest = (millionths % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '');
  return `${millionths / 1_000_000n}${rest === '' ? '' : `.${rest}`}`;
}

function called(chainId: string): string {
  const name = chainNames[chainId];
  return name === undefined ? `chain ${chainId}` : `${name} (chain ${chainId})`;
}
