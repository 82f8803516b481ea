import { NoAnswer, probed, type Answer } from '../probe/answer.ts';
import { ask, jsonOf } from '../probe/http.ts';

/** What an operator publishes of itself, read but not judged. Amounts in sats, -1 where it sets no limit. */
export interface OperatorFacts {
  /** Empty in builds of its own. */
  readonly version: string;
  readonly network: string;
  /** Hex text, as the next two. */
  readonly signerKey: string;
  readonly forfeitKey: string;
  readonly checkpointScript: string;
  /** BIP-68 as the operator counts: below 512 blocks, from 512 on seconds. */
  readonly exitDelay: number;
  readonly dust: number;
  readonly minAmount: number;
  readonly maxAmount: number;
  readonly sessionSeconds: number;
  readonly latencyMs: number;
  readonly clock: number | null;
}

export function probeOperator(url: string, limitMs: number): Promise<Answer<OperatorFacts>> {
  return probed(limitMs, async (signal) => {
    const answer = await ask({ url: `${url.replace(/\/+$/, '')}/v1/info`, signal });
    const info = jsonOf(answer);
    const { message } = info;
    if (typeof message === 'string' && /not ready/.test(message)) throw new NoAnswer('starting', message);
    if (answer.status !== 200) throw new NoAnswer('not-it', `it answered ${answer.status} to /v1/info`);
    return {
      version: text(info, 'version'),
      network: text(info, 'network'),
      signerKey: text(info, 'signerPubkey'),
      forfeitKey: text(info, 'forfeitPubkey'),
      checkpointScript: text(info, 'checkpointTapscript'),
      exitDelay: whole(info, 'unilateralExitDelay'),
      dust: whole(info, 'dust'),
      minAmount: whole(info, 'vtxoMinAmount'),
      maxAmount: whole(info, 'vtxoMaxAmount'),
      sessionSeconds: whole(info, 'sessionDuration'),
      latencyMs: answer.latencyMs,
      clock: answer.clock,
    };
  });
}

function text(info: Record<string, unknown>, name: string): string {
  const value = info[name];
  if (typeof value !== 'string') throw new NoAnswer('not-it', `its /v1/info has no ${name}`);
  return value;
}

/** 64-bit integers come as decimal text. */
function whole(info: Record<string, unknown>, name: string): number {
  const value = Number(info[name] ?? Number.NaN);
  if (info[name] === '' || !Number.isSafeInteger(value))
    throw new NoAnswer('not-it', `its /v1/info has no whole number in ${name}`);
  return value;
}
