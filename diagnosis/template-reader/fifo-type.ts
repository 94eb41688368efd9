import type { PropertyValue } from '../../template/given';
import { isKnown, type MaybeKnown } from '../../template/told';

/** All FIFO topics and queues are named so, and nothing else is. */
export const FIFO_NAME = /\.fifo$/;

/** Whether how a name ends is chosen when it is deployed. */
const OPEN_END = />$/;

/**
 * Whether a topic or queue is a FIFO one: by its name, or else by the property that says so.
 * @param flag `FifoTopic` or `FifoQueue`
 */
export function isFifoType(flag: PropertyValue, arn: MaybeKnown<string>): MaybeKnown<boolean> {
  if (isKnown(arn) && FIFO_NAME.test(arn)) return true;
  const said = flag.flag(false);
  return isKnown(said) || !isKnown(arn) || OPEN_END.test(arn) ? said : false;
}
