import { Duration, Stack, Stage } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, ProcessingQueue, Redrive, RedriveDestination } from '../../lib';
import { inlineFunction, newFunction } from '../support/inline-function';
import { APP_ENV, arn } from './bad-input/refused';
import { newStack, opsTopic, problemsOf, templateOf, warningIds } from './support';

const NOTHING = 'exports.handler = async () => {};';

const importedIn = (stack: Stack) => Queue.fromQueueArn(stack, 'Dead', arn('sqs', 'dead'));

/** Redrives a queue to another. */
function redriven(queueIn: (stack: Stack) => IQueue): Stack {
  const stack = newStack(APP_ENV);
  const alarmActions = [opsTopic(stack)];
  const destination = RedriveDestination.queue(new ProcessingQueue(stack, 'Orders', { alarmActions }));
  new Redrive(stack, 'It', { deadLetterQueue: queueIn(stack), destination, alarmActions });
  return stack;
}

describe('A redrive of a queue', () => {
  test.each<[string, (stack: Stack) => IQueue, string[]]>([
    ['of which nothing is known', importedIn, ['redrive-source-unknown']],
    ['that is made here, and that nobody names', stack => new Queue(stack, 'Dead'), ['redrive-source-unknown']],
    [
      'that a queue names',
      stack => {
        const queue = importedIn(stack);
        new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
        return queue;
      },
      [],
    ],
    [
      'that a subscription names',
      stack => {
        const deadLetterQueue = importedIn(stack);
        const endpoint = new Queue(stack, 'Subscriber', {
          deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 },
        });
        const topic = new Topic(stack, 'Topic');
        const protocol = SubscriptionProtocol.SQS;
        new Subscription(stack, 'Subscription', { topic, protocol, endpoint: endpoint.queueArn, deadLetterQueue });
        return deadLetterQueue;
      },
      [],
    ],
    [
      'that is imported as a dead-letter queue',
      stack => {
        const { queueArn } = importedIn(stack);
        return DeadLetterQueue.fromQueueArn(stack, 'Imported', queueArn);
      },
      ['alarm-tells-nobody'],
    ],
  ])('%s is warned, or not, that it may be at work', (_, queueIn, ids) => {
    expect(warningIds(redriven(queueIn))).toEqual(ids);
  });

  test('that a function of another stack consumes is refused, once that is there, by whatever construct it goes', () => {
    const stack = redriven(importedIn);
    const handler = inlineFunction(new Stack(stack.node.root, 'Elsewhere', { env: APP_ENV }), 'Function', NOTHING);
    handler.addEventSourceMapping('Mapping', { eventSourceArn: arn('sqs', 'dead') });
    const lines = problemsOf(() => Stage.of(stack)?.synth());
    expect(lines.join()).toContain(
      'deadLetterQueue must be a dead-letter queue, and its messages go to a function by an event source mapping, got "Elsewhere/Function/Mapping/Resource"',
    );
  });

  test('whose mapping is disabled, and so reads nothing, is redriven', () => {
    const stack = redriven(scope => {
      const eventSourceArn = arn('sqs', 'dead');
      const target = newFunction(scope, { timeout: Duration.seconds(5) });
      new EventSourceMapping(scope, 'Mapping', { target, eventSourceArn, enabled: false });
      return importedIn(scope);
    });
    templateOf(stack).resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
  });
});
