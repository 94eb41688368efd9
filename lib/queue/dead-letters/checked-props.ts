import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { absentProblems, pathOf, throwProblems } from '../../shared/checks';
import type { DeadLetterQueueProps } from '../dead-letter-queue-props';
import {
  encryptionFor,
  keyPlaceProblems,
  LONGEST_RETENTION_SECONDS,
  queuePropsProblems,
} from '../processing/queue-checks';
import { watchProblems } from './dead-letters';

/** What becomes of a queue, and of the letters in it, that is taken out of the app; a deployment that fails leaves none. */
const KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** What becomes of `props` once this construct's own defaults are filled in. */
function withDefaults(props: DeadLetterQueueProps): DeadLetterQueueProps {
  return {
    ...props,
    retentionPeriod: props.retentionPeriod ?? Duration.seconds(LONGEST_RETENTION_SECONDS),
    enforceSSL: props.enforceSSL ?? true,
    encryption: props.encryption ?? encryptionFor(props.encryptionMasterKey),
    removalPolicy: props.removalPolicy ?? KEPT,
  };
}

/** The properties of a dead-letter queue, once every one of them has been judged. */
export function checkedProps(scope: Construct, id: string, props: DeadLetterQueueProps): DeadLetterQueueProps {
  const ofItsOwn = props.deadLetterQueue?.queue.node.path;
  throwProblems(pathOf(scope, id), [
    ...queuePropsProblems(props),
    ...keyPlaceProblems(scope, props),
    ...watchProblems(props),
    ...absentProblems('deadLetterQueue', ofItsOwn, ', for a dead-letter queue is the last stop'),
  ]);
  return withDefaults(props);
}
