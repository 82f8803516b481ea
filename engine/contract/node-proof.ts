import { tokenProof } from '../domain/token-proof.ts';
import { CallFailed, type Client } from './client.ts';
import type { ProofRequest } from './requests/proof.ts';

/**
 * Throws unless who answers has the owner's token already: to be awaited before that is sent. While the node is down
 * any program of this machine may take its port (facts/faults.md 242). `node` must call without the token.
 */
export async function proveNode(node: Client, token: string, query: ProofRequest): Promise<void> {
  const { proof } = await node.call('proof', { query });
  if (proof !== tokenProof(token, query.nonce, query.origin))
    throw new CallFailed(
      401,
      'What answers at the address of the node does not have this owner token: copy it from the file owner.token ' +
        'again, and if that is the same, see which program has taken the port.',
    );
}
