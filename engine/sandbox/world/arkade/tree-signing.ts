import { fromHex, toHex } from '../../../domain/hex.ts';
import type { BatchHub } from './batch-events.ts';
import {
  type NodeSession,
  type TreeNode,
  aggregateNonce,
  buildTree,
  openNodeSession,
  partialIsValid,
  signNode,
  sweepRoot,
} from './batch-tree.ts';
import type { Coin } from './coins.ts';
import type { Commitment } from './commitment.ts';
import { refusal } from './errors.ts';
import { printPsbt } from './psbt.ts';
import { type Round, RoundFailed, refuseBroken, stage } from './round.ts';
import type { OperatorState } from './state.ts';

interface Operator {
  readonly state: OperatorState;
  readonly hub: BatchHub;
}

/** Shows the tree of new coins, and opens a session for each of its transactions. */
export function startSigning({ state, hub }: Operator, round: Round, commitment: Commitment): TreeNode[] {
  const { tree: key } = state.keys;
  const tree = buildTree(
    commitment.tx.id,
    commitment.leaves,
    key.publicKey,
    sweepRoot(state.settings, state.keys),
    state.settings.vtxoExpiry,
  );
  if (tree.length === 0) return [];
  for (const { tx, topic, children } of tree) {
    hub.publish({ treeTx: { id: round.id, topic, batchIndex: 0, txid: '', tx: printPsbt(tx), children } });
  }
  round.sessions = tree.map((node) => openNodeSession(node, key));
  const users = [...new Set(commitment.leaves.flatMap((leaf) => leaf.users.map(toHex)))];
  hub.publish({
    treeSigningStarted: { id: round.id, cosignersPubkeys: users, unsignedCommitmentTx: printPsbt(commitment.tx) },
  });
  return tree;
}

export async function collectNonces({ state, hub }: Operator, round: Round, ms: number): Promise<void> {
  if (round.sessions.length === 0) return;
  await collect(state, round, 'nonces', ms);
  round.stage = 'signatures';
  for (const { node, nonces } of round.sessions) {
    const byXOnly = Object.fromEntries([...nonces].map(([key, nonce]) => [key.slice(2), toHex(nonce)]));
    hub.publish({ treeNonces: { id: round.id, topic: node.topic, txid: node.tx.id, nonces: byXOnly } });
  }
  const aggregated = Object.fromEntries(
    round.sessions.map((session) => [session.node.tx.id, toHex(aggregateNonce(session))]),
  );
  hub.publish({ treeNoncesAggregated: { id: round.id, treeNonces: aggregated } });
}

export async function collectSignatures({ state, hub }: Operator, round: Round, ms: number): Promise<void> {
  if (round.sessions.length === 0) return;
  await collect(state, round, 'signatures', ms);
  for (const session of round.sessions) {
    const { tx, topic } = session.node;
    const signature = toHex(signNode(session, state.keys.tree));
    hub.publish({ treeSignature: { id: round.id, topic, batchIndex: 0, txid: tx.id, signature } });
  }
}

async function collect(state: OperatorState, round: Round, name: 'nonces' | 'signatures', ms: number): Promise<void> {
  const what = name === 'nonces' ? 'nonces' : 'partials';
  const all = new Set(
    round.intents.flatMap((intent) => (intent.offchain.length === 0 ? [] : intent.cosigners.map(toHex))),
  ).size;
  if (await stage(round, name, ms, () => lacking(state, round, what).size === 0)) return;
  refuseBroken(round);
  const silent = lacking(state, round, what);
  for (const intent of round.intents) {
    const cosigner = intent.cosigners.map(toHex).find((key) => silent.has(key));
    if (cosigner === undefined) continue;
    for (const key of intent.inputs) convict(state, round, name, cosigner, (state.coins.get(key) as Coin).script);
  }
  const [label, unit] = name === 'nonces' ? ['nonce collection', 'nonces'] : ['signature collection', 'signatures'];
  throw new RoundFailed(
    `SIGNING_SESSION_TIMED_OUT (28): musig2 signing session timed out (${label}), collected ` +
      `${all - silent.size}/${all} ${unit}`,
  );
}

/** The cosigners that something is still waited for from. */
function lacking(state: OperatorState, round: Round, what: 'nonces' | 'partials'): Set<string> {
  const own = toHex(state.keys.tree.publicKey);
  const keys = round.sessions.flatMap((session) =>
    session.node.topic.filter((key) => key !== own && !session[what].has(key)),
  );
  return new Set(keys);
}

function convict(
  state: OperatorState,
  round: Round,
  withheld: 'nonces' | 'signatures',
  cosigner: string,
  script: string,
): void {
  const now = state.clock.now();
  const crime = withheld === 'nonces' ? 'nonce' : 'signature';
  state.convictions.add({
    script,
    crime,
    cosigner,
    roundId: round.id,
    createdAt: now,
    expiresAt: now + state.settings.banDuration,
  });
}

export function takeNonces(round: Round, pubkey: string, nonces: Readonly<Record<string, string>>): void {
  for (const [session, nonce] of sessionsOf(round, pubkey, nonces)) {
    if (nonce.length !== 66) throw refusal('INTERNAL_ERROR', `a public nonce is 66 bytes, not ${nonce.length}`);
    session.nonces.set(pubkey, nonce);
  }
}

export function takeSignatures(round: Round, pubkey: string, signatures: Readonly<Record<string, string>>): void {
  for (const [session, partial] of sessionsOf(round, pubkey, signatures)) {
    if (!partialIsValid(session, pubkey, partial))
      throw refusal('INVALID_SIGNATURE', `invalid partial signature of ${pubkey} for tree tx ${session.node.tx.id}`);
    session.partials.set(pubkey, partial);
  }
}

function sessionsOf(
  round: Round,
  pubkey: string,
  values: Readonly<Record<string, string>>,
): [NodeSession, Uint8Array][] {
  return Object.entries(values).map(([txid, text]) => {
    const session = round.sessions.find(({ node }) => node.tx.id === txid);
    if (session === undefined || !session.node.topic.includes(pubkey)) {
      throw refusal('INTERNAL_ERROR', `cosigner ${pubkey} does not sign tree tx ${txid}`);
    }
    return [session, fromHex(text)];
  });
}
