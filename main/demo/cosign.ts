import type { CooperativeReply } from '../../engine/contract/records/refunds.ts';
import type { JointWish } from '../../engine/index.ts';
import { askUntilKnown } from './http.ts';
import type { DemoNode } from './node.ts';

/** The service's half of a spend by the key of both: for a refund, or for a claim that shows it the secret. */
export async function cosign(
  node: DemoNode,
  { id }: { readonly id: string },
  purpose: 'refund' | { readonly secret: Uint8Array },
  { signature, ...wish }: JointWish,
): Promise<CooperativeReply> {
  const [path, body] =
    purpose === 'refund'
      ? ['cooperative-refund', { ...wish, signature }]
      : ['cooperative-claim', { ...wish, preimage: Buffer.from(purpose.secret).toString('hex') }];
  return (await askUntilKnown(node, 'POST', `/swap/${id}/${path}`, body)) as unknown as CooperativeReply;
}
