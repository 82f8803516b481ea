/** What becomes of a transaction on its way once its swap ended without it: it stands, or its coins went elsewhere. */
export type Fate = 'final' | 'dead';

/** The fate of each purpose that a network's transactions have. */
export type Fates<Purpose extends string = string> = { readonly [P in Purpose]: Fate };
