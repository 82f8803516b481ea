import { failed, refused, type Answered } from '../api/answers.ts';
import { refuse, type Refusal } from '../domain/errors.ts';

/** By words that clients look for, beside the 404. */
export function unknownSwap(id: string): Refusal {
  return refuse('unknown-swap', `could not find swap with id: ${id}`);
}

/**
 * A refusal in the statuses of this interface: what the state of a swap does not allow is a 400, as what a request says
 * wrong is where the operation has no other status for that.
 */
export function answerRefusal(refusal: Refusal, wrong = 400): Answered {
  switch (refusal.refusal) {
    case 'forbidden':
      return failed(400, refusal.sentence);
    case 'invalid':
      return failed(wrong, refusal.sentence);
    default:
      return refused(refusal, 404);
  }
}
