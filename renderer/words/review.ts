import { review } from './en/review.ts';

/** The sentences of the review: they come with it, and not with what a newcomer opens first. */
export const reviewWords: typeof review = review;
