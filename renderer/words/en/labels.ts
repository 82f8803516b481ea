export const labels = {
  title: 'Label and note',
  lead: 'For you alone: no provider sees it, and it changes nothing about the swap. You find the swap by it.',
  label: 'Label',
  note: 'Note',
  save: 'Save',
  saved: 'Saved.',
  tooLong: (most: string) => `${most} characters at most`,
};
