import { CallFailed } from '../../engine/contract/client.ts';
import { plainText } from '../format/plain.ts';
import { words } from '../words/words.ts';

/** What to tell a person when a call failed: the node's own sentence, or that it did not answer. */
export function troubleText(error: unknown): string {
  return error instanceof CallFailed ? plainText(error.message) : words.parts.notAnswering;
}
