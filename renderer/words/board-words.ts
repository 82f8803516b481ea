import { board } from './en/board.ts';

/** The sentences of the node's own pages: they come with those pages, and not with what a newcomer opens first. */
export const boardWords: typeof board = board;
