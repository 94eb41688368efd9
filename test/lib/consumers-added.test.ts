import { Duration, Stack } from 'aws-cdk-lib';
import { CfnEventSourceMapping, EventSourceMapping, FilterCriteria } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { ProcessingQueue, type ProcessingQueueProps } from '../../lib';
import { inlineFunction } from '../support/inline-function';
import { newApp, newStack, numberToken, problemsOf, warningIds, warningText } from './support';

const CODE = 'exports.handler = async () => {};';

/** A queue, and a function of so many seconds that consumes it by an event source, as the CDK has it. */
function consumed(stack: Stack, seconds: number, props: ProcessingQueueProps = {}, source: SqsEventSourceProps = {}) {
  const queue = new ProcessingQueue(stack, 'Orders', props);
  const handler = inlineFunction(stack, 'Function', CODE, { timeout: Duration.seconds(seconds) });
  handler.addEventSource(new SqsEventSource(queue, source));
  return { queue, handler };
}

const raised = (stack: Stack) => warningIds(stack).filter(id => id !== 'alarm-tells-nobody');

describe('A ProcessingQueue judges a function that consumes it by addEventSource as one by addFunctionConsumer', () => {
  test.each<[string, number, ProcessingQueueProps, SqsEventSourceProps, string[]]>([
    ['one that fits', 5, {}, {}, []],
    ['one with no room for a throttled batch', 20, {}, {}, ['visibility-too-short']],
    [
      'one whose batching window takes that room',
      5,
      {},
      { maxBatchingWindow: Duration.seconds(1) },
      ['visibility-too-short'],
    ],
    ['one with a single receive', 5, { maxReceiveCount: 1 }, {}, ['too-few-receives']],
    ['one that filters', 5, {}, { filters: [FilterCriteria.filter({ body: ['paid'] })] }, ['filters-delete-messages']],
  ])('%s', (_, seconds, props, source, ids) => {
    const stack = newStack();
    consumed(stack, seconds, props, source);
    expect(raised(stack)).toEqual(ids);
  });

  test('and refuses one that runs for longer than a message stays invisible, which Lambda does', () => {
    const app = newApp();
    consumed(new Stack(app, 'Stack'), 31);
    expect(problemsOf(() => app.synth()).join('\n')).toContain(
      '[Stack/Orders] visibilityTimeout must not be below the timeout of Stack/Function, 31 seconds, got 30',
    );
  });

  test('an alias, by its function', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const alias = inlineFunction(stack, 'Function', CODE, { timeout: Duration.seconds(20) }).addAlias('live');
    alias.addEventSource(new SqsEventSource(queue));
    expect(warningText(stack, 'visibility-too-short')).toContain('leaves Stack/Function/Aliaslive no room');
  });

  test('in whatever stack it stands', () => {
    const app = newApp();
    const [one, other] = [new Stack(app, 'One'), new Stack(app, 'Other')];
    const queue = new ProcessingQueue(one, 'Orders');
    const handler = inlineFunction(other, 'Function', CODE, { timeout: Duration.seconds(20) });
    handler.addEventSource(new SqsEventSource(queue));
    expect(raised(one)).toEqual(['visibility-too-short']);
  });

  test('each once, and not those of another queue', () => {
    const stack = newStack();
    const { queue, handler } = consumed(stack, 5);
    queue.addFunctionConsumer(inlineFunction(stack, 'Slow', CODE, { timeout: Duration.seconds(20) }));
    handler.addEventSource(new SqsEventSource(new Queue(stack, 'Another'), { filters: [FilterCriteria.filter({})] }));
    expect(raised(stack)).toEqual(['visibility-too-short']);
    const said = queue.node.metadata.filter(({ data }) => String(data).includes('visibility-too-short'));
    expect(said).toHaveLength(1);
  });

  test('as far as anything is known of it before deployment', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders', { maxReceiveCount: 1 });
    new CfnEventSourceMapping(stack, 'Plain', { functionName: 'fulfil', eventSourceArn: queue.queueArn });
    const target = inlineFunction(stack, 'Function', CODE);
    new EventSourceMapping(stack, 'Late', {
      target,
      eventSourceArn: queue.queueArn,
      maxBatchingWindow: Duration.seconds(numberToken()),
    });
    expect(raised(stack)).toEqual(['too-few-receives']);
  });
});
