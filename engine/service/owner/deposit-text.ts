/** What an invoice says by which the owner puts money in: by it the books know it again. */
export const depositText = 'Deposit to the swap node';
