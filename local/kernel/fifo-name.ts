/** The end of the name of every FIFO topic and queue. */
export const FIFO_SUFFIX = '.fifo';

export function isFifoName(nameOrArn: string): boolean {
  return nameOrArn.endsWith(FIFO_SUFFIX);
}
