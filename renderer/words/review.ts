import { review } from './en/review.ts';
import { translated } from './translation.ts';

/** The sentences of the review: they come with it, and not with what a newcomer opens first. */
export const reviewWords: typeof review = translated('review', review);
