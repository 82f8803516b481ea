import { hash } from 'node:crypto';
import type { Txid } from '../../../domain/outpoint.ts';

/** Which transactions touch which scripts (hex text), in the order of their arrival. */
export interface ScriptIndex {
  of(script: string): readonly Txid[];
  /** The script whose SHA-256 is this, hex text. */
  named(hash: string): string | undefined;
  add(txid: Txid, scripts: readonly string[]): void;
  remove(txid: Txid): void;
}

export function createScriptIndex(): ScriptIndex {
  const txidsOf = new Map<string, Set<Txid>>();
  const scriptOf = new Map<string, string>();
  const scriptsOf = new Map<Txid, readonly string[]>();

  return {
    of: (script) => [...(txidsOf.get(script) ?? [])],
    named: (name) => scriptOf.get(name),
    add(txid, scripts) {
      scriptsOf.set(txid, scripts);
      for (const script of scripts) {
        const txids = txidsOf.get(script);
        if (txids === undefined) {
          txidsOf.set(script, new Set([txid]));
          scriptOf.set(hashOf(script), script);
        } else txids.add(txid);
      }
    },
    remove(txid) {
      for (const script of scriptsOf.get(txid) ?? []) {
        const txids = txidsOf.get(script);
        txids?.delete(txid);
        if (txids?.size !== 0) continue;
        txidsOf.delete(script);
        scriptOf.delete(hashOf(script));
      }
      scriptsOf.delete(txid);
    },
  };
}

function hashOf(script: string): string {
  return hash('sha256', Buffer.from(script, 'hex'), 'hex');
}
