/** An empty function. */
export async function handler(): Promise<void> {}
