import { labels } from './en/labels.ts';
import { translated } from './translation.ts';

/** The sentences of labels: they come with the form, and not before. */
export const labelWords: typeof labels = translated('labels', labels);
