import { toHex } from '../../domain/hex.ts';
import { preimageMatches } from '../secret.ts';
import { enoughToAgree } from './agreement.ts';
import type { LockEvent } from './port.ts';

/** What one RPC told of the logs of an HTLC. */
export interface ToldLogs {
  readonly name: string;
  readonly own: boolean;
  /** False for one that stands still, or is silent: its word opens and ends nothing. */
  readonly counts: boolean;
  /** Blocks that it told the logs of, both ends included. Of those before `from` it has no memory. */
  readonly from: number;
  readonly to: number;
  readonly events: readonly LockEvent[];
  /** By the hex of a hash: blocks of which it told more than is held of it, so that it denies nothing of it there. */
  readonly dropped?: ReadonlyMap<string, Blocks>;
}

/** Both ends included. */
export interface Blocks {
  readonly from: number;
  readonly to: number;
}

export interface StandingLogs {
  /** In the order of the chain. */
  readonly events: readonly LockEvent[];
  /** Blocks of what some tell and others leave out, without enough on either side: nobody knows. */
  readonly contested: readonly number[];
  /** Whoever stands against others, with the block. */
  readonly contradictions: readonly Contradiction[];
}

interface Contradiction {
  readonly height: number;
  readonly sentence: string;
}

/** Below the tip by so many blocks a log that one has all have. */
const buriedBlocks = 16;

/**
 * Why RPCs are not believed any more by what they tell of buried blocks; null where they do not contradict each other
 * there.
 */
export function contradictionIn({ contradictions }: StandingLogs, tip: number): string | null {
  return contradictions.find(({ height }) => height <= tip - buriedBlocks)?.sentence ?? null;
}

interface Vote {
  readonly event: LockEvent;
  readonly by: Set<ToldLogs>;
}

/** `open`: too few of those that count have come to its block. */
type Verdict = 'there' | 'not there' | 'contested' | 'open';

/**
 * What stands in the logs of an HTLC by the words of several RPCs (facts/faults.md 36, 64). A preimage proves itself:
 * one word is enough, and it brings the creation of its lock with it; a claim with one that does not fit is none,
 * however many tell it (facts/faults.md 356). A lock is there unless enough of those that count left it out; its refund
 * is there when enough tell it. Wrong one way, a liar hides the claim that shows us the preimage; the other way, it
 * ends a lock that stands.
 */
export function standingLogs(words: readonly ToldLogs[]): StandingLogs {
  const votes = new Map<string, Vote>();
  for (const one of words)
    for (const event of one.events) {
      if (event.what.is === 'redeemed' && !provesItself(event)) continue;
      const vote = votes.get(placeOf(event)) ?? { event, by: new Set() };
      votes.set(placeOf(event), { event, by: vote.by.add(one) });
    }
  const claimed = claimsIn(votes.values());
  const events: LockEvent[] = [];
  const contested: number[] = [];
  const contradictions: Contradiction[] = [];
  for (const vote of votes.values()) {
    const { event } = vote;
    const { verdict, sentence } = judge(vote, words);
    if (verdict === 'contested') contested.push(event.height);
    if (sentence !== null) contradictions.push({ height: event.height, sentence });
    // One that is told above its claim is another lock, which proves nothing (facts/faults.md 373).
    const isClaimed = event.what.is === 'created' && event.height <= (claimed.get(nameOf(event)) ?? -1);
    const stands = event.what.is === 'created' ? verdict !== 'not there' : verdict === 'there';
    if (stands || isClaimed || event.what.is === 'redeemed') events.push(event);
  }
  return {
    events: events.toSorted((a, b) => a.height - b.height || a.logIndex - b.logIndex),
    contested,
    contradictions,
  };
}

/** The height of the last claim of each lock. */
function claimsIn(votes: Iterable<Vote>): ReadonlyMap<string, number> {
  const claimed = new Map<string, number>();
  for (const { event } of votes)
    if (event.what.is === 'redeemed')
      claimed.set(nameOf(event), Math.max(event.height, claimed.get(nameOf(event)) ?? event.height));
  return claimed;
}

/** By those that count and remember the block; a single one's word is all that there is. */
function judge({ event, by }: Vote, words: readonly ToldLogs[]): { verdict: Verdict; sentence: string | null } {
  const all = words.filter(({ counts, from }) => counts && from <= event.height);
  const yes = all.filter((one) => by.has(one));
  const no = all.filter((one) => !by.has(one) && one.to >= event.height && !mayHaveDropped(one, event));
  const enough = (same: readonly ToldLogs[]): boolean => same.length === all.length || enoughToAgree(all, same);
  const [teller, denier] = [yes[0], no[0]];
  const isThere = teller !== undefined && enough(yes);
  const isNot = denier !== undefined && enough(no);
  if (teller === undefined || denier === undefined)
    return { verdict: isThere ? 'there' : isNot ? 'not there' : 'open', sentence: null };
  const sentence = isNot
    ? `The RPC ${teller.name} tells a log of block ${event.height} that no other one has: it is on a branch, or lies.`
    : `The RPC ${denier.name} lacks a log of block ${event.height} that another one has: one of them has lost it, ` +
      'or lies.';
  return { verdict: isThere ? 'there' : isNot ? 'not there' : 'contested', sentence };
}

function mayHaveDropped({ dropped }: ToldLogs, { preimageHash, height }: LockEvent): boolean {
  const blocks = dropped?.get(toHex(preimageHash));
  return blocks !== undefined && blocks.from <= height && height <= blocks.to;
}

/** A claim whose preimage fits its hash. */
function provesItself({ what, preimageHash }: LockEvent): boolean {
  return what.is === 'redeemed' && preimageMatches(preimageHash, what.preimage) !== null;
}

function nameOf({ htlc, preimageHash, key }: LockEvent): string {
  return `${toHex(htlc)}:${toHex(preimageHash)}:${toHex(key)}`;
}

/**
 * All that a log says: two RPCs that tell of one place and not of the very same event tell of two. Wrong: of two that
 * count as one the body of either stands, with the votes of both.
 */
export function placeOf({ blockHash, height, txid, logIndex, preimageHash, key, what }: LockEvent): string {
  const body = what.is === 'redeemed' ? toHex(what.preimage) : '';
  return [blockHash, height, txid, logIndex, what.is, toHex(preimageHash), toHex(key), body].join(':');
}
