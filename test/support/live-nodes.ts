/** Folders of the nodes of this process that were started and not ended. */
export const liveNodes = new Set<string>();
