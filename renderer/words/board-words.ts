import { board } from './en/board.ts';
import { translated } from './translation.ts';

/** The sentences of the node's own pages: they come with those pages, and not with what a newcomer opens first. */
export const boardWords: typeof board = translated('board', board);
