import { Duration, type Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventSourceMapping, type CfnEventSourceMappingProps } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { ProcessingQueue, Quarantine, RedriveLane, type RedriveLaneProps } from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { type Act, arn, ONE_PLACE, OTHER_REGION_ENV, OURS, plainQueue, type Refused } from './refused';

const mappingOf =
  (props: Partial<CfnEventSourceMappingProps>): Act =>
  stack =>
    new CfnEventSourceMapping(stack, 'Mapping', {
      functionName: newFunction(stack).functionName,
      eventSourceArn: new CfnQueue(stack, 'Queue').attrArn,
      ...props,
    });

const lane = (
  what: string,
  props: (stack: Stack) => Partial<RedriveLaneProps>,
  line: string,
  aws: Act | string,
): Refused => ({
  what: `RedriveLane with ${what}`,
  act: stack => new RedriveLane(stack, 'It', { handler: newFunction(stack), ...props(stack) }),
  line,
  aws,
});

const consumed = (stack: Stack, functions: number): ProcessingQueue => {
  const laneOf = new ProcessingQueue(stack, 'Orders');
  for (let i = 0; i < functions; i += 1) {
    laneOf.addFunctionConsumer(inlineFunction(stack, `F${i}`, 'exports.handler = async () => {};'));
  }
  return laneOf;
};

const HANDLER =
  'handler must be present, or laneOf have one function that consumes it, and no other: ask for the lane after that';

const RETENTION = 'retentionPeriod must be a whole number from 60 to 1,209,600 seconds, got 1296000';

export const REFUSED_LANES: readonly Refused[] = [
  ...[0, 2].map(
    (functions): Refused => ({
      what: `RedriveLane of a queue that ${functions} functions consume`,
      act: stack => new RedriveLane(stack, 'It', { laneOf: consumed(stack, functions) }),
      line: `${HANDLER}, got "${functions} functions"`,
      aws: OURS,
    }),
  ),
  lane(
    'no receive',
    () => ({ maxReceiveCount: 0 }),
    'maxReceiveCount must be a whole number from 1 to 1,000, got 0',
    stack => {
      const { attrArn: deadLetterTargetArn } = new CfnQueue(stack, 'Dlq');
      return new CfnQueue(stack, 'Queue', { redrivePolicy: { deadLetterTargetArn, maxReceiveCount: 0 } });
    },
  ),
  lane(
    'one invocation at a time',
    () => ({ maximumConcurrency: 1 }),
    'maximumConcurrency must be a whole number from 2 to 1,000, got 1',
    mappingOf({ scalingConfig: { maximumConcurrency: 1 } }),
  ),
  lane(
    'eleven messages an invocation',
    () => ({ batchSize: 11 }),
    'batchSize must be a whole number from 1 to 10, got 11',
    mappingOf({ batchSize: 11 }),
  ),
  lane(
    'messages kept for 15 days',
    () => ({ retentionPeriod: Duration.days(15) }),
    RETENTION,
    plainQueue({ messageRetentionPeriod: 1_296_000 }),
  ),
  lane(
    'a type of its own beside a queue that has one',
    stack => ({ laneOf: new ProcessingQueue(stack, 'Orders'), fifo: true }),
    'fifo must be absent where laneOf is present, whose type the lane has, got true',
    OURS,
  ),
  lane(
    'a quarantine of the other type',
    stack => ({ fifo: true, quarantine: new Quarantine(stack, 'Quarantine') }),
    'quarantine.fifo must be true, as its source Stack/It is, got false',
    stack => {
      const { attrArn: deadLetterTargetArn } = new CfnQueue(stack, 'Dlq');
      return new CfnQueue(stack, 'Queue', {
        fifoQueue: true,
        redrivePolicy: { deadLetterTargetArn, maxReceiveCount: 3 },
      });
    },
  ),
  lane(
    'a key of another Region',
    stack => ({ encryptionMasterKey: Key.fromKeyArn(stack, 'Key', arn('kms', 'key/1', OTHER_REGION_ENV)) }),
    'encryptionMasterKey must be in the Region of the queue, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
];
