import { ProviderUnavailableError, maybeArkError } from '@arkade-os/sdk';
import { AnswerLost, OperatorAway, OperatorError } from '../../../engine/sandbox/world/arkade/errors.ts';
import { errorJson } from '../../../engine/sandbox/wire/arkade/json.ts';

/** Runs a call on the operator and fails as the SDK's own provider of that kind would over HTTP. */
export async function asSdk<T>(kind: 'arkade' | 'indexer', what: string, call: () => T): Promise<T> {
  await Promise.resolve();
  try {
    return call();
  } catch (error) {
    throw sdkError(kind, what, error);
  }
}

function sdkError(kind: 'arkade' | 'indexer', what: string, error: unknown): unknown {
  if (error instanceof AnswerLost || error instanceof OperatorAway) {
    return new ProviderUnavailableError(`${kind} request failed`, { cause: error });
  }
  if (!(error instanceof OperatorError)) return error;
  const { status, body } = errorJson(error);
  const text = JSON.stringify(body);
  const numbered = maybeArkError(new Error(text));
  if (numbered === undefined && status >= 500)
    return new ProviderUnavailableError(`${kind} unavailable: ${status}`, { cause: error });
  if (kind === 'arkade' && numbered !== undefined) return numbered;
  return new Error(`${what}: ${text}`, { cause: error });
}
