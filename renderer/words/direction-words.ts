import { byWireName, labelsWith } from './direction-labels.ts';
import { between } from './en/between.ts';
import { translated } from './translation.ts';

/** Directions by their names, `Arkade to EVM`: they come with the pages of who provides. */
export const directionWords = labelsWith(translated('between', between).to);

/** The same by the names that records have for them. */
export const wireDirectionWords = byWireName(directionWords);
