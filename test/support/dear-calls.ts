import { HDKey } from '@scure/bip32';
import { Transaction } from '@scure/btc-signer';
import { randomBytes } from 'node:crypto';

/** Of a POST. */
export type Call = readonly [path: string, body: string];

/**
 * What the node can be made to do by anybody, the dearest first: keys to derive, and transactions of a thousand
 * outputs.
 */
export function dearest(refundable: string): (() => Call)[] {
  const crowded = new Transaction({
    version: 3,
    allowUnknown: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
  });
  crowded.addInput({ txid: randomBytes(32), index: 0 });
  for (let n = 0; n < 1_000; n++)
    crowded.addOutput({ script: new Uint8Array([0x51, 0x20, ...randomBytes(32)]), amount: 10n });
  const large = Buffer.from(crowded.toPSBT()).toString('base64');
  const key = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
  return [
    () => ['/swap/recover', JSON.stringify({ xpub: HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey })],
    () => [
      `/api/swap/arkade-evm/${refundable}/collab-refund`,
      JSON.stringify({ ark_tx: large, checkpoint_txs: [large, large, large, large] }),
    ],
    () => [
      `/api/swap/arkade-evm/${refundable}/collab-refund`,
      JSON.stringify({ ark_tx: large, checkpoint_txs: [large.slice(0, 5_996)] }),
    ],
    () => [
      `/api/swap/arkade-evm/${refundable}/collab-refund-delegate`,
      JSON.stringify({ intent_proof: large, forfeit_psbts: [] }),
    ],
    () => [
      '/api/delegate/settle',
      JSON.stringify({
        intent_proof: large,
        forfeit_psbts: [large, large, large, large],
        intent_message: '{}',
        cosigner_pk: key,
      }),
    ],
    () => [
      '/api/delegate/settle',
      JSON.stringify({ intent_proof: large, forfeit_psbts: [], intent_message: '{}', cosigner_pk: key }),
    ],
    () => ['/swap/bulk-status', JSON.stringify({ ids: Array.from({ length: 100 }, () => refundable) })],
  ];
}
