import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { mismatchProblems, pathOf, secondsProblems, throwProblems } from '../../shared/checks';
import { DeadLetterAccess, type ImportedDeadLetterQueueProps } from '../imported-dead-letter-queue-props';
import { LONGEST_RETENTION_SECONDS, queueArnProblems } from '../processing/queue-checks';
import { watchProblems } from './dead-letters';

/** The properties of an imported dead-letter queue, once every one of them has been judged. */
export function checkedImport(
  scope: Construct,
  id: string,
  props: ImportedDeadLetterQueueProps,
): ImportedDeadLetterQueueProps {
  const { account, region } = Stack.of(scope);
  const { env } = props.queue;
  const regionRule = 'must be in the Region of the stack, for an alarm watches the metrics of its own Region,';
  const accountRule = 'must be in the account of the stack that writes its policy,';
  const writes = props.access === DeadLetterAccess.WRITE_POLICY;
  throwProblems(pathOf(scope, id), [
    ...queueArnProblems('queue', props.queue),
    ...mismatchProblems('queue', regionRule, region, env.region),
    ...(writes ? mismatchProblems('queue', accountRule, account, env.account) : []),
    ...secondsProblems('retentionPeriod', props.retentionPeriod, { min: 60, max: LONGEST_RETENTION_SECONDS }),
    ...watchProblems(props),
  ]);
  return props;
}
