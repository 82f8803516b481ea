import { readFileSync } from 'node:fs';
import { CosignerPublicKey, getArkPsbtFields, Transaction } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { expect, test } from 'vitest';
import { isSigned } from '../../../engine/adapters/arkade/batch/tree.ts';

/** The first event of a kind that arkd was recorded to send, wherever the recording has it. */
function recorded(kind: string, within: unknown): Record<string, string> | null {
  const parts: unknown[] =
    typeof within === 'string'
      ? within.split('\n').flatMap(parsed)
      : typeof within === 'object' && within !== null
        ? Object.values(within)
        : [];
  if (typeof within === 'object' && within !== null && kind in within)
    return (within as Record<string, Record<string, string>>)[kind] ?? null;
  return parts.reduce<Record<string, string> | null>((first, part) => first ?? recorded(kind, part), null);
}

function parsed(line: string): unknown[] {
  try {
    return [JSON.parse(line.slice(line.indexOf('{')))];
  } catch {
    return [];
  }
}

test('the batch recorded from arkd shows its signature, and us among its cosigners', () => {
  const recording: unknown = JSON.parse(
    readFileSync(new URL('../../vectors/arkd/sse-v1-batch-events.json', import.meta.url), 'utf8'),
  );
  const [tree, signing, signature] = ['treeTx', 'treeSigningStarted', 'treeSignature'].map((kind) =>
    recorded(kind, recording),
  ) as [Record<string, string>, Record<string, string>, Record<string, string>];
  const spends = Transaction.fromPSBT(base64.decode(signing['unsignedCommitmentTx'] as string)).getOutput(0) as {
    script: Uint8Array;
    amount: bigint;
  };
  const tx = Transaction.fromPSBT(base64.decode(tree['tx'] as string));
  const before = isSigned({ tx, spends });
  tx.updateInput(0, { tapKeySig: hex.decode(signature['signature'] as string) });
  const cosigners = getArkPsbtFields(tx, 0, CosignerPublicKey).map(({ key }) => hex.encode(key));
  expect({
    before,
    after: isSigned({ tx, spends }),
    ours: cosigners.includes(signing['cosignersPubkeys']?.[0] as string),
  }).toEqual({ before: false, after: true, ours: true });
});
