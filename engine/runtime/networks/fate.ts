/**
 * What becomes of a transaction on its way once its swap ended without it: it stands, its coins went elsewhere, or a
 * queue of its own goes on with it unless it was never sent.
 */
export type Fate = 'final' | 'dead' | 'queued';

/** The fate of each purpose that a network's transactions have. */
export type Fates<Purpose extends string = string> = { readonly [P in Purpose]: Fate };
