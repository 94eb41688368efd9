import { ACCESS_ROWS } from './access-rows';
import { ALARM_ROWS } from './alarm-rows';
import { EVENT_ROWS } from './event-rows';
import { FIREHOSE_ROWS } from './firehose-rows';
import { POLICY_ROWS } from './policy-rows';
import { QUEUE_ROWS } from './queue-rows';
import type { Row } from './row';
import { SHARED_QUEUE_ROWS } from './shared-queue-rows';
import { SUBSCRIPTION_ROWS } from './subscription-rows';

/** Rows for every check. */
export const ROWS: readonly Row[] = [
  ...SUBSCRIPTION_ROWS,
  ...POLICY_ROWS,
  ...ACCESS_ROWS,
  ...QUEUE_ROWS,
  ...SHARED_QUEUE_ROWS,
  ...ALARM_ROWS,
  ...EVENT_ROWS,
  ...FIREHOSE_ROWS,
];
