/** `2022-06-28T01:57:35.603+0000`, the form in which CloudWatch gives an instant. */
export const cloudWatchInstant = (atMs: number): string => new Date(atMs).toISOString().replace('Z', '+0000');
