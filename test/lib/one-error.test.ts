import { App, Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ProcessingQueue } from '../../lib';
import { newFunction } from '../support/inline-function';

describe('One error lists', () => {
  test('every problem with the properties of a construct, when it is created', () => {
    const stack = new Stack(new App(), 'Test');
    const create = () =>
      new ProcessingQueue(stack, 'Orders', { maxReceiveCount: 0, consumerTimeout: Duration.days(1) });
    expect(create).toThrow(
      [
        'Test/Orders has 3 problems:',
        '  - maxReceiveCount must be a whole number from 1 to 1,000, got 0',
        '  - consumerTimeout must be a whole number from 0 to 43,200 seconds, got 86400',
        '  - visibilityTimeout must be longer than consumerTimeout, 86400 seconds, got 30',
      ].join('\n'),
    );
  });

  test('what the finished app shows about all constructs, at the end of synthesis', () => {
    const app = new App();
    for (const name of ['Shop', 'Warehouse']) {
      const stack = new Stack(app, name);
      const queue = new ProcessingQueue(stack, 'Orders', { visibilityTimeout: Duration.seconds(20) });
      const consumer = newFunction(stack, { timeout: Duration.seconds(60) });
      consumer.addEventSource(new SqsEventSource(queue));
    }
    expect(() => app.synth()).toThrow(/\[Shop\/Orders\] .*\n.*\[Warehouse\/Orders\] /);
  });
});
