import { request } from '../field.ts';
import { patterned, text } from '../scalars.ts';

/** GET /proof: what the caller chose, and where it believes to find the node. */
export interface ProofRequest {
  readonly nonce: string;
  readonly origin: string;
}

export const proofQuery = request(
  {
    nonce: patterned(
      { name: 'nonce', hint: '64 random hex digits in lower case, new ones each time' },
      '32 random bytes in lower-case hex, new ones each time',
      /^[0-9a-f]{64}$/,
    ),
    origin: text('origin', 'the origin at which the node is called, as http://127.0.0.1:7733'),
  },
  (wire): ProofRequest => wire,
);
