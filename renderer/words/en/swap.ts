export const swap = {
  title: 'Swap',
  lead: 'You see everything it can cost before you pay.',
};
