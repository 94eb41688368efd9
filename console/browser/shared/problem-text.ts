/** Why a call failed. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
