import { directionLabels } from './en/directions.ts';
import { translated } from './translation.ts';

/** Directions by their names: they come with the pages of who provides. */
export const directionWords: typeof directionLabels = translated('directions', directionLabels);
