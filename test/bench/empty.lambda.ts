/** The least a function is. */
export async function handler(): Promise<void> {}
