import { labels } from './en/labels.ts';

/** The sentences of labels: they come with the form, and not before. */
export const labelWords: typeof labels = labels;
