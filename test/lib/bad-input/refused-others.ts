import { Stack } from 'aws-cdk-lib';
import { CfnAlarm, CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, OpsDashboard, OpsTopic, RentalBilling, RentalOrders } from '../../../lib';
import { RUNBOOK_CONTEXT } from '../../../lib/shared/runbook-url';
import { opsTopic } from '../support';
import {
  type Act,
  arn,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  plainSubscription,
  plainTopic,
  type Refused,
  UNRECORDED,
} from './refused';

const TOPIC_NAME = 'must be 1 to 256 letters, digits, hyphens and underscores where the topic is not FIFO';

const feedbackRole = (stack: Stack) =>
  new Role(stack, 'Feedback', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });

const SHARE = 'so share what it shows among two dashboards';

/** An alarm of CloudFormation's own, on nothing in particular. */
const plainAlarm =
  (alarmActions: string[]): Act =>
  stack =>
    new CfnAlarm(stack, 'Alarm', {
      namespace: 'Post',
      metricName: 'Letters',
      statistic: 'Sum',
      period: 60,
      evaluationPeriods: 1,
      threshold: 1,
      comparisonOperator: 'GreaterThanThreshold',
      alarmActions,
    });

const actionOn = (stack: Stack, topicArn: string) =>
  new SnsAction(Topic.fromTopicArn(stack, `Ops${topicArn}`, topicArn));
const SIX = Array.from({ length: 6 }, (_, i) => arn('sns', `ops${i}`));

export const REFUSED_OTHERS: readonly Refused[] = [
  {
    what: 'An alarm that speaks to another Region',
    act: stack =>
      new DeadLetterQueue(stack, 'It', {
        alarmActions: [actionOn(stack, arn('sns', 'ops', OTHER_REGION_ENV))],
        watchUnattended: false,
      }),
    line: 'alarmActions must be in the Region of the alarm, us-east-1, got "eu-west-1"',
    aws: plainAlarm([arn('sns', 'ops', OTHER_REGION_ENV)]),
  },
  {
    what: 'An alarm that speaks to a topic of another account that has no name',
    act: stack => {
      const theirs = new Stack(stack.node.root, 'Theirs', { env: OTHER_ACCOUNT_ENV });
      return new DeadLetterQueue(stack, 'It', { alarmActions: [opsTopic(theirs)], watchUnattended: false });
    },
    line: 'alarmActions must be of the account of the alarm, or have names of their own: pass those of that account to the delivery, got "Theirs/Ops"',
    aws: ONE_PLACE,
  },
  {
    what: 'An alarm that speaks to six topics',
    act: stack => new DeadLetterQueue(stack, 'It', { alarmActions: SIX.map(it => actionOn(stack, it)) }),
    line: 'alarmActions must be at most 5, got 6',
    aws: plainAlarm(SIX),
  },
  {
    what: 'DurableTopic that logs nothing, and says how much',
    act: stack =>
      new DurableTopic(stack, 'It', { logDeliveryStatus: false, deliveryStatusLogging: { successSampleRate: 10 } }),
    line: 'deliveryStatusLogging must be absent where logDeliveryStatus is false, got ["successSampleRate"]',
    aws: OURS,
  },
  {
    what: 'DurableTopic that logs one protocol in two ways',
    act: stack => {
      const config = { protocol: LoggingProtocol.SQS, failureFeedbackRole: feedbackRole(stack) };
      return new DurableTopic(stack, 'It', { loggingConfigs: [config] }).addLoggingConfig(config);
    },
    line: 'protocol must have one logging configuration, for a topic logs each protocol in one way, got "sqs"',
    aws: UNRECORDED,
  },
  ...[
    { topicName: 'a b', line: `topicName ${TOPIC_NAME}, got "a b"` },
    { displayName: 'x'.repeat(101), line: 'displayName must have at most 100 characters, got 101' },
  ].map(
    ({ line, ...props }): Refused => ({
      what: `OpsTopic ${Object.keys(props)}`,
      act: stack => new OpsTopic(stack, 'It', props),
      line,
      aws: plainTopic(props),
    }),
  ),
  {
    what: 'OpsTopic with no mailbox',
    act: stack => new OpsTopic(stack, 'It', { email: 'ops' }),
    line: 'email must be one e-mail address, got "ops"',
    aws: plainSubscription({ protocol: 'email', endpoint: 'ops' }),
  },
  {
    what: 'OpsTopic that is FIFO, with a mailbox',
    act: stack => new OpsTopic(stack, 'It', { fifo: true, email: 'ops@example.com' }),
    line: 'email must be absent where fifo is true, got "ops@example.com"',
    aws: plainSubscription({ protocol: 'email', endpoint: 'ops@example.com' }, { fifoTopic: true }),
  },
  {
    what: 'OpsDashboard with a space in its name',
    act: stack => new OpsDashboard(stack, 'It', { dashboardName: 'Rental Orders' }),
    line: 'dashboardName must be 1 to 255 letters, digits, hyphens and underscores, got "Rental Orders"',
    aws: stack =>
      new CfnDashboard(stack, 'Dashboard', { dashboardName: 'Rental Orders', dashboardBody: '{"widgets":[]}' }),
  },
  {
    what: 'OpsDashboard that shows too much',
    act: stack => {
      const queues = Array.from({ length: 497 }, (_, i) => Queue.fromQueueArn(stack, `Q${i}`, arn('sqs', `Q${i}`)));
      return new OpsDashboard(stack, 'It', { deadLetterQueues: queues });
    },
    line: `widgets must be at most 500, ${SHARE}, got 998`,
    aws: OURS,
  },
  {
    what: 'RentalOrders with a space in its names',
    act: stack => new RentalOrders(stack, 'It', { namePrefix: 'a b' }),
    line: 'namePrefix must be 1 to 50 letters, digits, hyphens and underscores, got "a b"',
    aws: OURS,
  },
  {
    what: 'RentalOrders with no URL to bill at',
    act: stack => new RentalOrders(stack, 'It', { billingEndpoint: 'billing' }),
    line: 'billingEndpoint must be an absolute http or https URL, got "7 characters that are no URL"',
    aws: OURS,
  },
  {
    what: 'RentalBilling with no URL to bill at',
    act: stack => new RentalBilling(stack, 'It', { billingEndpoint: 'ftp://billing.example.com' }),
    line: 'billingEndpoint must be an absolute http or https URL, got "ftp://billing.example.com"',
    aws: OURS,
  },
  {
    what: 'The context with no URL of a runbook',
    act: stack => {
      stack.node.setContext(RUNBOOK_CONTEXT, 7);
      return new DeadLetterQueue(stack, 'It');
    },
    line: `${RUNBOOK_CONTEXT} must be an absolute http or https URL, got 7`,
    aws: OURS,
  },
  {
    what: 'The context with the URL of a runbook that no browser opens',
    act: stack => {
      stack.node.setContext(RUNBOOK_CONTEXT, 's3://runbooks/orders');
      return new DeadLetterQueue(stack, 'It');
    },
    line: `${RUNBOOK_CONTEXT} must be an absolute http or https URL, got "s3://runbooks"`,
    aws: OURS,
  },
];
