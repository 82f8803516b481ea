import type { Sats } from '../../../domain/money.ts';
import type { Coin } from './ledger.ts';
import { reject } from './rejection.ts';
import { type ScriptKind, kindOf } from './script-kind.ts';
import type { Tx, TxOutput } from './tx.ts';

/** Satoshis per virtual byte below which nothing is relayed. */
export const relayFloor = 1;
/** Version 3 transactions are small, so that whoever bumps one pays little (BIP-431). */
export const trucVersion = 3;

const largestWeight = 400_000;
const smallestSize = 65;
const largestInputScript = 1_650;
const largestData = 83;
/** Three sats a byte for the output and for the input that would spend it, as Core counts them. */
const dustRate = 3;
const spendSize = { witness: 67, other: 148 };
const witnessLimits = { items: 100, item: 80, script: 3_600 };
const annexTag = 0x50;
const tapscriptVersion = 0xc0;

/** Whether a miner's node would relay it, whoever's coins it spends. */
export function checkStandard(tx: Tx): void {
  if (tx.version < 1 || tx.version > trucVersion) reject('version');
  if (tx.weight > largestWeight) reject('tx-size');
  if (tx.weight < smallestSize * 4 && tx.bytes.length < smallestSize) reject('tx-size-small');
  for (const { script } of tx.inputs) {
    if (script.length > largestInputScript) reject('scriptsig-size');
    if (!pushesOnly(script)) reject('scriptsig-not-pushonly');
  }
  for (const { script } of tx.outputs) {
    const kind = kindOf(script);
    if (kind === 'unknown') reject('scriptpubkey');
    if (kind === 'op_return' && script.length > largestData) reject('datacarrier');
  }
  if (tx.outputs.filter(({ script }) => kindOf(script) === 'op_return').length > 1) reject('multi-op-return');
}

/** Dust may leave only what pays nothing itself, so that a child comes with it and spends it. */
export function checkDust(tx: Tx, fee: Sats): void {
  const dust = tx.outputs.filter(isDust).length;
  if (dust > 1 || (dust === 1 && fee > 0n)) reject('dust', dust > 1 ? undefined : 'tx with dust output must be 0-fee');
}

export function isDust({ amount, script }: TxOutput): boolean {
  const kind = kindOf(script);
  return kind !== 'op_return' && amount < dustLimit(script, kind);
}

function dustLimit(script: Uint8Array, kind: ScriptKind): bigint {
  const spend = kind === 'p2pkh' || kind === 'p2sh' || kind === 'unknown' ? spendSize.other : spendSize.witness;
  return BigInt((8 + 1 + script.length + spend) * dustRate);
}

/** What its witnesses may look like, by the coins they spend. */
export function checkWitnesses(tx: Tx, coins: readonly Coin[]): void {
  const wrong = tx.inputs.some(({ witness }, i) => {
    const coin = coins[i];
    if (coin === undefined || witness.length === 0) return false;
    const kind = kindOf(coin.script);
    const last = witness.at(-1) ?? new Uint8Array();
    if (kind === 'anchor') return true;
    if (kind === 'v0_p2wsh') {
      return (
        last.length > witnessLimits.script ||
        witness.length - 1 > witnessLimits.items ||
        witness.slice(0, -1).some((item) => item.length > witnessLimits.item)
      );
    }
    if (kind !== 'v1_p2tr') return false;
    if (witness.length < 2) return false;
    if (last[0] === annexTag) return true;
    return (
      ((last[0] ?? 0) & 0xfe) === tapscriptVersion &&
      witness.slice(0, -2).some((item) => item.length > witnessLimits.item)
    );
  });
  if (wrong) reject('bad-witness-nonstandard');
}

/** The floor that a transaction, or a package of them, must pay. */
export function feeFloor(vsize: number): bigint {
  return BigInt(Math.ceil(vsize * relayFloor));
}

/** `minimum`: what a full mempool asks for now, in satoshis per virtual byte. */
export function checkFee(fee: Sats, vsize: number, minimum: number): void {
  if (fee < feeFloor(vsize)) reject('min relay fee not met', `${fee} < ${feeFloor(vsize)}`);
  const least = BigInt(Math.ceil(vsize * minimum));
  if (fee < least) reject(belowMinimum, `${fee} < ${least}`);
}

/** Below what a full mempool asks: with a child that pays enough it still enters. */
export const belowMinimum = 'mempool min fee not met';

function pushesOnly(script: Uint8Array): boolean {
  for (let at = 0; at < script.length;) {
    const opcode = script[at] ?? 0xff;
    if (opcode > 0x60) return false;
    const view = new DataView(script.buffer, script.byteOffset, script.byteLength);
    try {
      const length =
        opcode < 0x4c
          ? opcode
          : opcode === 0x4c
            ? 1 + view.getUint8(at + 1)
            : opcode === 0x4d
              ? 2 + view.getUint16(at + 1, true)
              : opcode === 0x4e
                ? 4 + view.getUint32(at + 1, true)
                : 0;
      at += 1 + length;
    } catch {
      return false;
    }
    if (at > script.length) return false;
  }
  return true;
}
