import { Duration, type Stack } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, RelayFleet, type RelayFleetProps } from '../../../lib';
import { newFunction } from '../../support/inline-function';
import { type Act, arn, ONE_PLACE, OTHER_REGION_ENV, OURS, type Refused } from './refused';

const refused = (props: RelayFleetProps, line: string, aws: Act | string = OURS): Refused => ({
  what: `RelayFleet ${JSON.stringify(props)}`,
  act: stack => new RelayFleet(stack, 'It', props),
  line,
  aws,
});

const mapping: Act = stack =>
  new CfnEventSourceMapping(stack, 'Mapping', {
    functionName: newFunction(stack).functionName,
    eventSourceArn: new CfnQueue(stack, 'Queue').attrArn,
    scalingConfig: { maximumConcurrency: 1 },
  });

const given = (what: string, propsOf: (stack: Stack) => RelayFleetProps, line: string, aws = OURS): Refused => ({
  what: `RelayFleet with ${what}`,
  act: stack => new RelayFleet(stack, 'It', propsOf(stack)),
  line,
  aws,
});

const tableOf = (stack: Stack, place?: typeof OTHER_REGION_ENV) =>
  Table.fromTableArn(stack, 'Table', arn('dynamodb', 'table/fleet', place));

const keyOf = (stack: Stack, place?: typeof OTHER_REGION_ENV) =>
  Key.fromKeyArn(stack, 'Key', arn('kms', 'key/1', place));

export const REFUSED_FLEETS: readonly Refused[] = [
  refused(
    { fleetName: 'my fleet' },
    'fleetName must be 1 to 80 letters, digits, hyphens and underscores, and known before deployment, got "my fleet"',
  ),
  refused(
    { totalTimeout: Duration.minutes(2) },
    'totalTimeout must be a whole number from 1 to 60,000 milliseconds, got 120000',
  ),
  refused(
    { retryPolicy: { numRetries: 3, maxDelayTarget: Duration.days(1) } },
    'retryPolicy.maxDelayTarget must be less than or equal to 43200, got 86400',
  ),
  refused({ maxAge: Duration.days(15) }, 'maxAge must be a whole number from 60 to 1,209,600 seconds, got 1296000'),
  refused({ maximumConcurrency: 1 }, 'maximumConcurrency must be a whole number from 2 to 1,000, got 1', mapping),
  refused(
    { disableAfter: Duration.minutes(5) },
    'disableAfter must be a whole number from 3,600 to 7,776,000 seconds, got 300',
  ),
  refused(
    { attemptRetention: Duration.minutes(1) },
    'attemptRetention must be a whole number from 3,600 to 31,536,000 seconds, got 60',
  ),
  refused(
    { disableFailingEndpoints: false, disableAfter: Duration.days(1) },
    'disableAfter must be absent where disableFailingEndpoints is false, got "Duration.days(1)"',
  ),
  refused(
    { logAttempts: false, attemptRetention: Duration.days(1) },
    'attemptRetention must be absent where logAttempts is false, got "Duration.days(1)"',
  ),
  refused({ logAttempts: false, logBodies: true }, 'logBodies must be absent where logAttempts is false, got true'),
  refused(
    { failureRateAlarm: { thresholdPercent: 100 } },
    'failureRateAlarm.thresholdPercent must be a whole number from 0 to 99, got 100',
  ),
  given(
    'a table without the key of its secrets',
    stack => ({ table: tableOf(stack), fleetName: 'hooks' }),
    'key must be that of the fleet whose table is taken over, got nothing',
  ),
  given(
    'a table without the name of its fleet',
    stack => ({ table: tableOf(stack), key: keyOf(stack) }),
    'fleetName must be that of the fleet whose table is taken over, got nothing',
  ),
  given(
    'a table with a key of its own',
    stack => {
      const tableArn = arn('dynamodb', 'table/fleet');
      const table = Table.fromTableAttributes(stack, 'Table', { tableArn, encryptionKey: keyOf(stack) });
      return { table, key: Key.fromKeyArn(stack, 'Other', arn('kms', 'key/2')), fleetName: 'hooks' };
    },
    'table must be encrypted by a key of DynamoDB or by encryptionMasterKey, got "Stack/Table"',
  ),
  given(
    'a table of another Region',
    stack => ({ table: tableOf(stack, OTHER_REGION_ENV), key: keyOf(stack), fleetName: 'hooks' }),
    'table must be in the Region of the fleet, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  given(
    'a key of another Region',
    stack => ({ key: keyOf(stack, OTHER_REGION_ENV) }),
    'key must be in the Region of the fleet, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  given(
    'a FIFO topic for notices',
    stack => ({ noticesTopic: new Topic(stack, 'Topic', { fifo: true }) }),
    'noticesTopic must be a standard topic, got "Stack/Topic"',
  ),
  given(
    'a topic of another Region for notices',
    stack => ({ noticesTopic: Topic.fromTopicArn(stack, 'Topic', arn('sns', 'notices', OTHER_REGION_ENV)) }),
    'noticesTopic must be in the Region of the fleet, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  {
    what: 'Raw delivery to a fleet, which needs the envelope',
    act: stack => {
      const { eventsQueue } = new RelayFleet(stack, 'It');
      return new DurableTopic(stack, 'Topic').deliverToQueue('X', eventsQueue, { rawMessageDelivery: true });
    },
    line: 'rawMessageDelivery must be absent where the queue is that of a RelayFleet, which needs the envelope, got true',
    aws: OURS,
  },
];
