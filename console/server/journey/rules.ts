import type { JourneyStep } from '../../api/journey';

type Rule = NonNullable<JourneyStep['rule']>;

const AWS = 'https://docs.aws.amazon.com';
const SNS = `${AWS}/sns/latest/dg`;
const SQS = `${AWS}/AWSSimpleQueueService/latest/SQSDeveloperGuide`;
const LAMBDA = `${AWS}/lambda/latest/dg`;
const EVENTS = `${AWS}/eventbridge/latest/userguide`;

const SNS_RETRIES: Rule = {
  title: 'Amazon SNS message delivery retries',
  url: `${SNS}/sns-message-delivery-retries.html`,
};
const SNS_DEAD: Rule = { title: 'Amazon SNS dead-letter queues', url: `${SNS}/sns-dead-letter-queues.html` };
const VISIBILITY: Rule = { title: 'Amazon SQS visibility timeout', url: `${SQS}/sqs-visibility-timeout.html` };
const SQS_DEAD: Rule = { title: 'Amazon SQS dead-letter queues', url: `${SQS}/sqs-dead-letter-queues.html` };
const REDRIVE: Rule = {
  title: 'Dead-letter queue redrive',
  url: `${SQS}/sqs-configure-dead-letter-queue-redrive.html`,
};
const RETENTION: Rule = { title: 'Amazon SQS queue parameters', url: `${SQS}/sqs-configure-queue-parameters.html` };
const LAMBDA_ASYNC: Rule = {
  title: 'How Lambda handles errors and retries with asynchronous invocation',
  url: `${LAMBDA}/invocation-async-error-handling.html`,
};
const LAMBDA_SQS: Rule = {
  title: 'Handling errors for an SQS event source in Lambda',
  url: `${LAMBDA}/services-sqs-errorhandling.html`,
};
const LAMBDA_RECORDS: Rule = {
  title: 'Records of asynchronous invocations',
  url: `${LAMBDA}/invocation-async-retain-records.html`,
};
const EVENTS_RETRY: Rule = { title: 'How EventBridge retries', url: `${EVENTS}/eb-rule-retry-policy.html` };
const EVENTS_DEAD: Rule = { title: 'Dead-letter queues of EventBridge', url: `${EVENTS}/eb-rule-dlq.html` };
const SCHEDULER_DEAD: Rule = {
  title: 'Dead-letter queues of EventBridge Scheduler',
  url: `${AWS}/scheduler/latest/UserGuide/configuring-schedule-dlq.html`,
};

/** By type of event. */
const RULES: Readonly<Record<string, Rule>> = {
  'sns.attempt': SNS_RETRIES,
  'sns.dead-letter-attempt': SNS_DEAD,
  'sns.dead-lettered': SNS_DEAD,
  'sns.lost': SNS_DEAD,
  'sns.filtered': {
    title: 'Amazon SNS message filtering',
    url: `${SNS}/sns-message-filtering.html`,
  },
  'sqs.received': VISIBILITY,
  'sqs.visible': VISIBILITY,
  'sqs.visibility-changed': VISIBILITY,
  'sqs.dead-lettered': SQS_DEAD,
  'sqs.moved': REDRIVE,
  'sqs.expired': RETENTION,
  'lambda.retry-scheduled': LAMBDA_ASYNC,
  'lambda.throttled': LAMBDA_ASYNC,
  'lambda.lost': LAMBDA_ASYNC,
  'lambda.dead-lettered': LAMBDA_RECORDS,
  'lambda.destination-delivered': LAMBDA_RECORDS,
  'lambda.batch-finished': LAMBDA_SQS,
  'events.invocation-failed': EVENTS_RETRY,
  'events.dead-lettered': EVENTS_DEAD,
  'events.dropped': EVENTS_DEAD,
  'scheduler.invocation-failed': SCHEDULER_DEAD,
  'scheduler.dead-lettered': SCHEDULER_DEAD,
  'scheduler.dropped': SCHEDULER_DEAD,
};

/** The rule in AWS's documentation by which something happened. */
export function ruleOf(type: string): Rule | null {
  return RULES[type] ?? null;
}
