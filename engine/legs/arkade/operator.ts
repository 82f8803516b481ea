import { Script, ScriptNum } from '@scure/btc-signer';
import { otherNetwork, type BitcoinNetwork } from '../../domain/chain.ts';
import type { PublicKey, XOnly } from '../../domain/hash.ts';
import { sameBytes, xOnlyOf } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Seconds } from '../../domain/time.ts';

/** What the operator publishes about itself. Judged by `checkOperator` before it is believed. */
export interface OperatorInfo {
  readonly network: BitcoinNetwork;
  readonly signer: XOnly;
  /** Its signers of before: swaps opened with one of them are still with this operator. */
  readonly formerSigners: readonly XOnly[];
  readonly exitDelay: Seconds;
  readonly dust: Sats;
  /** Null where the operator sets no limit. */
  readonly minAmount: Sats | null;
  readonly maxAmount: Sats | null;
  readonly sessionSeconds: Seconds;
  readonly digest: string;
  readonly version: string;
}

/** What an operator says of itself, before it is believed. */
export interface OperatorClaims {
  /** Its own name of the network: bitcoin, signet, regtest, mutinynet, or one that is none of ours (testnet). */
  readonly network: string;
  readonly forfeitKey: PublicKey;
  /** The script by which it may sweep a checkpoint that we left half way. */
  readonly checkpointTapscript: Uint8Array;
  /** BIP-68 as the operator counts: below 512 blocks, from 512 on seconds. */
  readonly exitDelay: number;
  readonly dust: Sats;
}

/**
 * The network of ours that an operator's name stands for; null for one we do not run on. Mutinynet and testnet have the
 * addresses of signet, and other coins.
 */
export function operatorNetwork(name: string): BitcoinNetwork | null {
  switch (name) {
    case 'bitcoin':
      return 'mainnet';
    case 'signet':
    case 'mutinynet':
    case 'regtest':
      return name;
    default:
      return null;
  }
}

/** The shortest time that an operator must leave us to bring a checkpoint to the chain (facts/arkade.md 2). */
function checkpointFloor(name: string): number {
  if (name === 'bitcoin') return 86_400;
  return name === 'regtest' ? 0 : 86_016;
}

/** BIP-68 counts at most this many seconds. */
const longestDelay = 0xffff * 512;

/** Above this an output is worth more than any relay policy calls dust. */
const largestDust = 10_000n;

interface UnrollScript {
  readonly delay: number;
  readonly inSeconds: boolean;
  readonly key: Uint8Array;
}

/** `<sequence> CSV DROP <key> CHECKSIG`, or null for any other script. */
export function readUnrollScript(script: Uint8Array): UnrollScript | null {
  let parts: unknown[];
  try {
    parts = Script.decode(script);
  } catch {
    return null;
  }
  const [sequence, csv, drop, key, checksig, ...more] = parts;
  if (csv !== 'CHECKSEQUENCEVERIFY' || drop !== 'DROP' || checksig !== 'CHECKSIG' || more.length > 0) return null;
  if (!(key instanceof Uint8Array) || key.length !== 32) return null;
  const value =
    typeof sequence === 'number'
      ? sequence
      : sequence instanceof Uint8Array
        ? Number(ScriptNum(5).decode(sequence))
        : null;
  if (value === null || value <= 0) return null;
  const inSeconds = (value & 0x0040_0000) !== 0;
  return { delay: (value & 0xffff) * (inSeconds ? 512 : 1), inSeconds, key };
}

/**
 * Null when the operator can be worked with, else a sentence that says why not. An operator with a checkpoint script of
 * its choosing could sweep half-finished payments before we can react; one with another network's coins would take
 * ours for nothing (facts/arkade.md 1 and 2).
 */
export function checkOperator(claims: OperatorClaims, network: BitcoinNetwork): string | null {
  if (operatorNetwork(claims.network) !== network) return otherNetwork('The Arkade operator', claims.network, network);
  const unroll = readUnrollScript(claims.checkpointTapscript);
  if (!unroll)
    return 'the checkpoint script of the Arkade operator is not one key behind a delay: do not use this operator';
  if (!sameBytes(unroll.key, xOnlyOf(claims.forfeitKey)))
    return 'the checkpoint script of the Arkade operator names another key than its forfeit key: do not use this operator';
  const floor = checkpointFloor(claims.network);
  if (network !== 'regtest' && (!unroll.inSeconds || unroll.delay < floor))
    return (
      `the Arkade operator may sweep checkpoints after ${unroll.delay} ${unroll.inSeconds ? 'seconds' : 'blocks'}, ` +
      `at least ${floor} seconds are needed: do not use this operator`
    );
  const exit = claims.exitDelay;
  if (!Number.isSafeInteger(exit) || exit <= 0 || exit > longestDelay || (exit >= 512 && exit % 512 !== 0))
    return `the exit delay of the Arkade operator is ${exit}, which BIP 68 cannot say: do not use this operator`;
  // The ladder of a VHTLC goes to three times the exit delay (legs/timelocks.ts).
  if (3 * exitDelayInSeconds(exit) > longestDelay)
    return (
      `the exit delay of the Arkade operator is ${exit} s, and three times that is more than the ${longestDelay} s ` +
      'that BIP 68 can say: do not use this operator'
    );
  if (network !== 'regtest' && exit < 512)
    return `the exit delay of the Arkade operator is ${exit} blocks, only delays in seconds can be used`;
  if (claims.dust < 1n || claims.dust > largestDust)
    return (
      `the Arkade operator calls ${claims.dust} sats dust, between 1 and ${largestDust} was expected: do not use ` +
      'this operator'
    );
  return null;
}

/** The exit delay as swap scripts can say it: block-typed operators (regtest) take scripts in seconds as well. */
export function exitDelayInSeconds(exitDelay: number): Seconds {
  return Math.max(512, exitDelay) as Seconds;
}
