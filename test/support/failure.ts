import { PortFailure } from '../../engine/domain/errors.ts';

/** A failure with a code of no network: for what goes by `retry` alone. */
export const anyFailure = PortFailure.of<'away' | 'chaos' | 'injected' | 'lost' | 'process-gone' | 'refused'>();
