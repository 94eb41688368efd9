import type { Given } from '../../template/given';
import { isTold, type Told } from '../../template/told';

/** All FIFO topics and queues are named so, and nothing else is. */
export const FIFO_NAME = /\.fifo$/;

/** Whether how a name ends is chosen when it is deployed. */
const OPEN_END = />$/;

/**
 * Whether a topic or queue is a FIFO one: by its name, or else by the property that says so.
 * @param flag `FifoTopic` or `FifoQueue`
 */
export function isFifoType(flag: Given, arn: Told<string>): Told<boolean> {
  if (isTold(arn) && FIFO_NAME.test(arn)) return true;
  const said = flag.flag(false);
  return isTold(said) || !isTold(arn) || OPEN_END.test(arn) ? said : false;
}
