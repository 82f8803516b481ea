import type { Answer } from '../../adapters/probe/answer.ts';
import type { OperatorFacts } from '../../adapters/arkade/probe.ts';
import { otherNetwork, type BitcoinNetwork } from '../../domain/chain.ts';
import { asPublicKey } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { seconds, spanInWords } from '../../domain/time.ts';
import { vhtlcDelays } from '../../legs/timelocks.ts';
import { type TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { checkOperator, exitDelayInSeconds, operatorNetwork } from '../../legs/arkade/operator.ts';
import { judgeClock, judgeLatency, rowsOf, judgeUnanswered, type Endpoint, type Row, type Rows } from './row.ts';
import { judgeVersion } from './versions.ts';

export interface OperatorEndpoint extends Endpoint {
  readonly answer: Answer<OperatorFacts>;
}

/** What the owner set that an operator must fit. */
export interface ArkadeTerms {
  readonly network: BitcoinNetwork;
  readonly policy: TimeoutPolicy;
  /** The lowest minimum and the highest maximum of the directions over it. */
  readonly min: SetLimit;
  readonly max: SetLimit;
  /** 0 for none. */
  readonly maxExposureSats: number;
  /** Most that may lie there without its way to the chain being saved; 0 for none. */
  readonly maxUnsavedSats: number;
  /** What lies there so now; null where no node is asked. */
  readonly unsavedSats: bigint | null;
  /** Whether this is the sandbox, whose operator holds no real money. */
  readonly sandbox: boolean;
  readonly machine: number;
  /** The node's own coins there, null where nobody with its keys is asked. */
  readonly wallet: ArkadeWallet | null;
}

/** A limit, and the setting that it comes from. */
export interface SetLimit {
  readonly setting: string;
  readonly sats: number;
}

export interface ArkadeWallet {
  readonly available: bigint;
  /** Unix seconds of the earliest expiry among its coins, null without coins. */
  readonly firstExpiry: number | null;
  readonly now: number;
  /** Our own coins on the chain, not home yet. */
  readonly onChain: {
    readonly coins: number;
    readonly sats: bigint;
    /** Median time past from which the first is ours alone, null while that is not known. */
    readonly from: number | null;
  };
}

export function judgeArkade(endpoint: OperatorEndpoint | null, terms: ArkadeTerms): Row[] {
  const rows = rowsOf('arkade');
  if (endpoint === null) {
    rows.warn(
      'connection',
      'No Arkade operator is configured: directions that need one are not offered until arkade.url is set.',
    );
    return [...rows.list];
  }
  const { name, answer } = endpoint;
  if (answer.is === 'unanswered') {
    judgeUnanswered(rows, endpoint, answer);
    return [...rows.list];
  }
  const { facts } = answer;
  rows.pass('connection', `${name} answers.`);
  if (operatorNetwork(facts.network) !== terms.network) {
    rows.fail('network', otherNetwork(name, facts.network, terms.network));
    return [...rows.list];
  }
  rows.pass('network', `${name} is on ${facts.network}.`);
  if (facts.version === '') rows.pass('version', `${name} reports no release number, like other custom builds.`);
  else judgeVersion(rows, name, 'arkd', facts.version);
  if (!judgeKeys(rows, facts, terms.network)) return [...rows.list];
  judgeDelays(rows, name, facts, terms);
  judgeLimits(rows, name, facts, terms);
  judgeExposure(rows, name, terms);
  judgeUnsaved(rows, name, terms);
  judgeWallet(rows, name, terms);
  judgeClock(rows, name, facts.clock, terms.machine);
  judgeLatency(rows, name, facts.latencyMs);
  return [...rows.list];
}

/** What the node itself refuses an operator for. */
function judgeKeys(rows: Rows, facts: OperatorFacts, network: BitcoinNetwork): boolean {
  const wrong = operatorFault(facts, network);
  if (wrong !== null) rows.fail('checkpoint', `${wrong}.`);
  else rows.pass('checkpoint', 'The checkpoint script is the forfeit key behind a delay that leaves time to react.');
  return wrong === null;
}

function operatorFault(facts: OperatorFacts, network: BitcoinNetwork): string | null {
  try {
    const forfeitKey = asPublicKey(fromHex(facts.forfeitKey));
    asPublicKey(fromHex(facts.signerKey));
    return checkOperator(
      {
        network: facts.network,
        forfeitKey,
        checkpointTapscript: fromHex(facts.checkpointScript),
        exitDelay: facts.exitDelay,
        dust: sats(Math.max(0, facts.dust)),
      },
      network,
    );
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return 'the Arkade operator publishes invalid keys: do not use this operator';
  }
}

/**
 * Whether what lies in a VHTLC could be claimed on the chain, by nobody's leave, before the other side may take it
 * back.
 */
function judgeDelays(rows: Rows, name: string, facts: OperatorFacts, { policy, maxExposureSats }: ArkadeTerms): void {
  const delay = exitDelayInSeconds(facts.exitDelay);
  const ladder = vhtlcDelays({ exitDelay: delay, leg: policy.longestLeg, policy });
  const needed = ladder.claimDelay + policy.margin;
  if (policy.serverLeg >= needed)
    rows.pass(
      'exit delay',
      `The exit delay of ${name} is ${spanInWords(delay)}: every lock leaves time to claim without the operator.`,
    );
  else {
    const short =
      policy.clientLeg >= needed
        ? `our own locks last ${spanInWords(policy.serverLeg)}`
        : `locks last ${spanInWords(policy.serverLeg)} and ${spanInWords(policy.clientLeg)}`;
    const cap =
      maxExposureSats > 0
        ? `arkade.maxExposureSats bounds that to ${maxExposureSats} sats`
        : 'set arkade.maxExposureSats to what you would trust it with';
    rows.warn(
      'exit delay',
      `The exit delay of ${name} is ${spanInWords(delay)} and ${short}, but a claim without the operator takes ` +
        `${spanInWords(needed)}: claims rely on the operator to be there, ${cap}.`,
    );
  }
  if (facts.sessionSeconds * 10 > policy.margin)
    rows.warn(
      'session',
      `The sessions of ${name} last ${spanInWords(facts.sessionSeconds)}, a tenth of the margin of ` +
        `${spanInWords(policy.margin)} is good: renewals and refunds by batch may be late.`,
    );
  else rows.pass('session', `The sessions of ${name} last ${spanInWords(seconds(facts.sessionSeconds))}.`);
}

function judgeLimits(rows: Rows, name: string, facts: OperatorFacts, { min, max }: ArkadeTerms): void {
  const least = Math.max(facts.dust, facts.minAmount);
  if (facts.maxAmount >= 0 && facts.maxAmount < min.sats)
    rows.fail(
      'limits',
      `${name} takes no coin above ${facts.maxAmount} sats, ${min.setting} is ${min.sats}: no swap fits, so lower ` +
        `${min.setting} or connect another operator.`,
    );
  else if (facts.maxAmount >= 0 && facts.maxAmount < max.sats)
    rows.fail(
      'limits',
      `${name} takes no coin above ${facts.maxAmount} sats, ${max.setting} is ${max.sats}: lower ${max.setting} to ` +
        'that.',
    );
  else if (least > min.sats)
    rows.warn(
      'limits',
      `${name} takes no coin below ${least} sats, ${min.setting} is ${min.sats}: set ${min.setting} to that plus ` +
        'the fee.',
    );
  else
    rows.pass(
      'limits',
      `${name} takes coins of ${least} sats ${facts.maxAmount < 0 ? 'and more' : `to ${facts.maxAmount} sats`}.`,
    );
}

function judgeExposure(rows: Rows, name: string, { maxExposureSats, sandbox }: ArkadeTerms): void {
  if (sandbox) return;
  if (maxExposureSats > 0) rows.pass('exposure', `At most ${maxExposureSats} sats lie with ${name} at once.`);
  else
    rows.warn(
      'exposure',
      `The amount with ${name} has no limit: set arkade.maxExposureSats to the most you would trust it with.`,
    );
}

function judgeUnsaved(rows: Rows, name: string, { maxUnsavedSats, unsavedSats, sandbox }: ArkadeTerms): void {
  if (sandbox) return;
  const now = unsavedSats === null ? '' : `; now it is ${unsavedSats}`;
  if (maxUnsavedSats === 0)
    rows.warn(
      'way to the chain',
      `Nothing bounds what may lie with ${name} without its way to the chain being saved${now}: set ` +
        'arkade.maxUnsavedSats to what you would trust it with.',
    );
  else if (unsavedSats !== null && unsavedSats > BigInt(maxUnsavedSats))
    rows.fail(
      'way to the chain',
      `${unsavedSats} sats with ${name} have no saved exit, and arkade.maxUnsavedSats is ` +
        `${maxUnsavedSats}: new swaps over Arkade wait until the operator shows their exits. Keep the node ` +
        'running, or withdraw from the operator.',
    );
  else
    rows.pass(
      'way to the chain',
      `At most ${maxUnsavedSats} sats lie with ${name} for ten minutes without their way to the chain being ` +
        `saved${now}.`,
    );
}

function judgeWallet(rows: Rows, name: string, { wallet, min, policy }: ArkadeTerms): void {
  if (wallet === null) return;
  const { available, firstExpiry, now, onChain } = wallet;
  if (onChain.coins > 0)
    rows.warn(
      'on the chain',
      `${onChain.sats} sats of ours in ${onChain.coins} coins came from ${name} to the chain with somebody ` +
        "else's coin: the node moves them to its Bitcoin wallet by itself " +
        `${onChain.from === null ? 'once they are mined and their delay is over' : onChain.from <= now ? 'now' : `from ${new Date(onChain.from * 1_000).toISOString()} on`}, ` +
        'keep it running.',
    );
  if (available < BigInt(min.sats))
    rows.warn(
      'liquidity',
      `Only ${available} sats are available with ${name}, ${min.setting} is ${min.sats}: deposit to the Arkade ` +
        'wallet to offer swaps to Arkade.',
    );
  else rows.pass('liquidity', `${available} sats are available with ${name}.`);
  if (firstExpiry === null) return;
  const left = firstExpiry - now;
  const leg = policy.serverLeg + policy.mtpLag + policy.margin;
  if (left < leg)
    rows.warn(
      'expiry',
      `A coin of ours expires in ${spanInWords(Math.max(0, left))}, a lock needs one that lives ` +
        `${spanInWords(leg)}: it cannot back a swap until it is renewed, which needs the node to run.`,
    );
  else rows.pass('expiry', `The coins of ours outlive every lock, the first expires in ${spanInWords(left)}.`);
}
