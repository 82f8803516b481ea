import { Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { fromHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Coin } from './coins.ts';
import { refusal } from './errors.ts';
import {
  type Output,
  type Psbt,
  anchorScript,
  inputKey,
  parsePsbt,
  soleLeaf,
  unmetCondition,
  unsignedKey,
} from './psbt.ts';
import { type Leaf, leafBelongs } from './script.ts';
import { forfeitPayment } from './settings.ts';
import { type OperatorState, lockedUntil } from './state.ts';

/** A coin given up to the operator, effective with the connector of one batch. */
export interface Forfeit {
  readonly coin: Coin;
  readonly tx: Psbt;
  readonly text: string;
  readonly connector: string;
  /** Its signatures or condition do not hold: the batch fails. */
  readonly invalid: boolean;
}

export interface ForfeitNeeds {
  /** Coins of the round that need one, by outpoint. */
  readonly coins: ReadonlyMap<string, Coin>;
  /** Connector outputs of the round, by outpoint. */
  readonly connectors: ReadonlyMap<string, Output>;
}

export function readForfeits(state: OperatorState, texts: readonly string[], needs: ForfeitNeeds): Forfeit[] {
  const fail = (why: string) =>
    refusal('INVALID_FORFEIT_TXS', `failed to sign forfeit txs: ${why}`, { forfeit_txs: `[${texts.join(' ')}]` });
  return texts.map((text) => {
    let tx: Psbt;
    try {
      tx = parsePsbt(text);
    } catch (cause) {
      throw fail(cause instanceof Error ? cause.message : String(cause));
    }
    const coinIndex = [0, 1].find((i) => i < tx.inputsLength && needs.coins.has(inputKey(tx, i)));
    if (tx.inputsLength !== 2 || coinIndex === undefined)
      throw fail('invalid forfeit tx: unknown or superfluous vtxo input');
    const coin = needs.coins.get(inputKey(tx, coinIndex)) as Coin;
    const connector = inputKey(tx, 1 - coinIndex);
    const connectorOutput = needs.connectors.get(connector);
    if (connectorOutput === undefined) throw fail(`invalid forfeit tx: connector ${connector} not found`);
    const spending = soleLeaf(tx, coinIndex);
    const leaf = spending?.leaf ?? null;
    const pkScript = fromHex(coin.script);
    if (spending === null || leaf === null || !leafBelongs(spending.proof, pkScript) || leaf.delay !== null)
      throw fail('invalid forfeit closure script');
    const lock = leaf.locktime === null ? null : lockedUntil(state, leaf.locktime);
    if (lock !== null)
      throw fail(`forfeit closure is CLTV locked, ${leaf.locktime} > ${lock.current} (block ${lock.type})`);
    const prevouts = order(coinIndex, { script: pkScript, amount: coin.amount }, connectorOutput);
    const expected = rebuild(state, coin, connector, coinIndex, leaf, coin.amount + connectorOutput.amount);
    if (tx.id !== expected.id) throw fail(`invalid forfeit tx: expected txid ${expected.id}, got ${tx.id}`);
    const allowed = [SigHash.DEFAULT, SigHash.ALL, SigHash.ALL_ANYONECANPAY];
    const unsigned = unsignedKey(tx, coinIndex, leaf, prevouts, state.signers.others(leaf.keys), allowed);
    return { coin, tx, text, connector, invalid: unsigned !== null || unmetCondition(tx, coinIndex, leaf) !== null };
  });
}

function order<T>(coinIndex: number, coin: T, connector: T): [T, T] {
  return coinIndex === 0 ? [coin, connector] : [connector, coin];
}

function rebuild(
  state: OperatorState,
  coin: Coin,
  connector: string,
  coinIndex: number,
  leaf: Leaf,
  amount: bigint,
): Psbt {
  const tx = new Transaction({ version: 3, lockTime: Number(leaf.locktime ?? 0n) });
  const [txid = '', vout = '0'] = connector.split(':');
  const coinInput = { txid: coin.txid, index: coin.vout, sequence: leaf.locktime === null ? 0xffffffff : 0xfffffffe };
  const connectorInput = { txid, index: Number(vout), sequence: 0xffffffff };
  for (const input of order(coinIndex, coinInput, connectorInput)) tx.addInput(input);
  tx.addOutput({ script: forfeitPayment(state.network, state.keys).script, amount });
  tx.addOutput({ script: anchorScript, amount: 0n });
  return tx;
}

/** Which coins still lack a forfeit; a connector counts once. */
export function missingForfeits(needs: ForfeitNeeds, given: ReadonlyMap<string, Forfeit>): string[] {
  return [...needs.coins.keys()].filter((key) => !given.has(key));
}

export function takeForfeits(given: Map<string, Forfeit>, more: readonly Forfeit[]): void {
  for (const forfeit of more) {
    const key = outpointKey(forfeit.coin);
    const used = [...given].some(([other, { connector }]) => other !== key && connector === forfeit.connector);
    if (used)
      throw refusal('INVALID_FORFEIT_TXS', `failed to sign forfeit txs: connector ${forfeit.connector} used twice`, {
        forfeit_txs: '[]',
      });
    given.set(key, forfeit);
  }
}
