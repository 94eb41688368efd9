import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DeadLetterQueueProps } from '../../dead-letter-queue-props';
import { pathOf, throwProblems } from '../checks';
import { encryptionFor, LONGEST_RETENTION_SECONDS, queuePropsProblems } from '../queues/queue-checks';
import { watchProblems } from './dead-letters';

/** What becomes of `props` once this construct's own defaults are filled in. */
function withDefaults(props: DeadLetterQueueProps): DeadLetterQueueProps {
  return {
    ...props,
    retentionPeriod: props.retentionPeriod ?? Duration.seconds(LONGEST_RETENTION_SECONDS),
    enforceSSL: props.enforceSSL ?? true,
    encryption: props.encryption ?? encryptionFor(props.encryptionMasterKey),
  };
}

/** The properties of a dead-letter queue, once every one of them has been judged. */
export function checkedProps(scope: Construct, id: string, props: DeadLetterQueueProps): DeadLetterQueueProps {
  const ofItsOwn = props.deadLetterQueue && {
    property: 'deadLetterQueue',
    rule: 'must be absent, for a dead-letter queue is the last stop',
    value: props.deadLetterQueue.queue.node.path,
  };
  throwProblems(pathOf(scope, id), [
    ...queuePropsProblems(props),
    ...watchProblems(props),
    ...(ofItsOwn ? [ofItsOwn] : []),
  ]);
  return withDefaults(props);
}
