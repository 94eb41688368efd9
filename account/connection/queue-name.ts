/** The last part of a queue's ARN or URL. */
export function queueNameOf(arnOrUrl: string): string {
  return arnOrUrl.split(/[:/]/).at(-1) ?? '';
}
