import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is alive on the heap. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
