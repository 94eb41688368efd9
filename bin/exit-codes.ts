/** What the help of a command says of how it ends. */
export const EXIT_CODES = 'Exit codes: 0 done, 1 could not, 2 bad input.';
