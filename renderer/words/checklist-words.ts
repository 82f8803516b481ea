import { checklist } from './en/checklist.ts';
import { translated } from './translation.ts';

/** The sentences of the checklist: they come with its page, and not with what a newcomer opens first. */
export const checklistWords: typeof checklist = translated('checklist', checklist);
